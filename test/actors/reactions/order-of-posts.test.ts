import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statuses } from '../../../store/tables.js';
import { blankPost, town } from './town.js';

/** The time for which a reply waits for effects. */
const PATIENCE_MS = 5_000;

test('a post whose effects outlast its reply is published before the next post of its author', async () => {
  const { stage, node, askAccount, account, id, published } = await town(['ann']);
  const held: (() => void)[] = [];
  let slow = '';
  node.store.beforeWrite = (rows) => {
    const row = rows.find(({ table }) => table.name === statuses.name);
    if (row === undefined) return undefined;
    const { status } = row.key as { status: string };
    if (slow === '') slow = status;
    return status === slow ? new Promise<void>((resolve) => void held.push(resolve)) : undefined;
  };
  const answer = askAccount(id('ann'), 'post', blankPost);
  await stage.clock.advance(2 * PATIENCE_MS);
  const first = await answer;
  const second = await account(id('ann'), 'post', blankPost);
  assert.ok('id' in first && 'id' in second && first.id === slow);
  await stage.clock.advance(2 * PATIENCE_MS);
  assert.deepEqual(published, []);
  for (const proceed of held) proceed();
  await stage.clock.advance(2 * PATIENCE_MS);
  assert.deepEqual(
    published.map(({ id, late }) => [id, late]),
    [
      [first.id, true],
      [second.id, true],
    ],
  );
});
