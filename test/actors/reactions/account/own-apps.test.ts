import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apps } from '../../../../store/tables.js';
import { town } from '../town.js';

const APP = {
  ...{ id: '7', name: 'Bot', redirectUris: ['https://bot.example/back'], scopes: ['read'] },
  ...{ secretHash: 'hash', atMs: 5 },
};

test('the row of an application follows its account', async (t) => {
  const { stage, account, id, tables } = await town(['ann']);
  t.after(() => stage.close());
  const row = () => tables.get(apps, { client: 'a' });
  await account(id('ann'), 'saveOwnApp', { clientId: 'a', ...APP });
  assert.deepEqual({ ...(await row()) }, APP);
  await account(id('ann'), 'saveOwnApp', { clientId: 'a', ...APP, secretHash: 'other' });
  assert.equal((await row())?.secretHash, 'other');
  await account(id('ann'), 'deleteOwnApp', { clientId: 'a' });
  assert.equal(await row(), undefined);
});
