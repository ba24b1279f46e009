import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationsAbove } from '../../../actors/conversation/above.js';
import { GRAFTS_FOLLOWED_MAX } from '../../../actors/conversation/graft.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put } from '../../../store/port.js';
import { statuses } from '../../../store/tables.js';
import { status } from './thread-of-one.js';

const idOf = (number: number) => String(number).padStart(3, '0');

/** Stores the only statuses of conversations; each answers the one before it. */
async function chain(length: number, first: object = {}) {
  const tables = new MemoryTables();
  for (let number = 1; number <= length; number++) {
    const [id, inReplyToId] = [idOf(number), number === 1 ? undefined : idOf(number - 1)];
    const record = status({ id, conversationId: id, inReplyToId });
    await tables.write([put(statuses, { status: id }, number === 1 ? { ...record, ...first } : record)]);
  }
  return tables;
}

test('the conversations above one are named from the nearest up, those of deleted statuses too', async () => {
  const tables = await chain(3, { deleted: true });
  assert.deepEqual(await conversationsAbove(tables, idOf(3)), [idOf(2), idOf(1)]);
  assert.deepEqual(await conversationsAbove(tables, idOf(1)), []);
  assert.deepEqual(await conversationsAbove(tables, idOf(9)), []);
});

test('no more of them are read than a context follows, and a circle ends', async () => {
  const above = await conversationsAbove(await chain(20), idOf(20));
  assert.deepEqual([above.length, above[0]], [GRAFTS_FOLLOWED_MAX, idOf(19)]);
  const circle = await chain(3, { inReplyToId: idOf(3) });
  assert.deepEqual(await conversationsAbove(circle, idOf(2)), [idOf(1), idOf(3)]);
});
