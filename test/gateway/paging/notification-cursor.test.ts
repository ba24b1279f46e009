import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialAccount } from '../../../actors/account/slices.js';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { accountRecord } from '../../../actors/reactions/account/rows.js';
import { notificationCursor } from '../../../gateway/paging/notification-cursor.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, type ReadTables } from '../../../store/port.js';
import { accounts, notifications } from '../../../store/tables.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const START_MS = 1_700_000_000_000;
/** Distance of notifications: ten in each of several eras. */
const STEP_MS = 2 ** 31;
const ROWS = 60;
const CLEARED = 34;

test('a list reads no row at or below the last cleared notification', async () => {
  const account = makeId(START_MS, 0, 0);
  const clock = new VirtualClock();
  clock.skewMs = START_MS + ROWS * STEP_MS - clock.nowMs();
  const tables = new MemoryTables();
  const ids = Array.from({ length: ROWS }, (_, n) => makeId(START_MS + (n + 1) * STEP_MS, 0, 0));
  // Cleared rows still exist, because their deletion takes time.
  for (const id of ids) {
    const record = { type: 'follow', from: account, atMs: START_MS } as never;
    await tables.write([put(notifications, { account, era: eraOfId(id), notification: id }, record)]);
  }
  const upToId = ids[CLEARED - 1] as string;
  const record = accountRecord({ ...initialAccount(account), clearedUpToId: upToId });
  await tables.write([put(accounts, { account }, record)]);
  const bounds: unknown[] = [];
  const watched: Pick<ReadTables, 'get' | 'getMany' | 'range'> = {
    get: (table, key) => tables.get(table, key),
    getMany: (table, keys) => tables.getMany(table, keys),
    range: (table, partition, options) => {
      bounds.push(options.after);
      return tables.range(table, partition, options);
    },
  };
  const read = async (upwards: boolean, after?: string) => {
    const cursor = notificationCursor({ tables: watched, clock }, account, { before: undefined, after, upwards });
    return (await cursor.next(ROWS)).map(({ id }) => id);
  };
  const left = ids.slice(CLEARED);
  assert.deepEqual(await read(false), left.toReversed());
  assert.deepEqual(await read(true, ids[3]), left);
  assert.deepEqual(await read(true, ids[CLEARED + 5]), left.slice(6));
  assert.ok(bounds.every((after) => (after as { notification: string }).notification >= upToId));
});
