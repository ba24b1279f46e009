import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tables } from '../../../../store/port.js';
import { tokens } from '../../../../store/tables.js';
import { town } from '../town.js';

test('a revoked token is never valid while the next owner repeats effects', async (t) => {
  const { stage, node, account, id, kinds, tables } = await town(['ann']);
  t.after(() => stage.close());
  const token = { tokenHash: 'hash', clientId: 'app', scopes: ['read'], kind: 'access' };
  await account(id('ann'), 'issueToken', token);
  assert.ok(await tables.get(tokens, { hash: 'hash' }));
  await account(id('ann'), 'revokeToken', { tokenHash: 'hash' });
  stage.kill(node);
  const seen: unknown[] = [];
  const watching = (inner: Tables): Tables => ({
    ...inner,
    write: async (rows, options) => {
      await inner.write(rows, options);
      seen.push(await tables.get(tokens, { hash: 'hash' }));
    },
  });
  await stage.node(2, {}, kinds, watching);
  await stage.clock.advance(10_000);
  assert.ok(seen.length > 0);
  assert.deepEqual(new Set(seen), new Set([undefined]));
});
