import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { AccountLimits } from '../../../gateway/viewing/account-limits.js';
import { CachedTables } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { accountLimits } from '../../../store/moderation-tables.js';
import { put, remove } from '../../../store/port.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const account = makeId(1_000, 1, 0);
const key = { century: 0, account };
const limited = (silenced: boolean, suspended: boolean) => put(accountLimits, key, { silenced, suspended });
const told = (value?: object) => ({ table: accountLimits.name, key: ['0', account], now: { value } });
const refused = (error: unknown) => {
  throw error;
};

async function opened(failed: (error: unknown) => void = refused) {
  const shared = new MemoryTables();
  const tables = new CachedTables(shared);
  const clock = new VirtualClock();
  return { shared, tables, clock, limits: await AccountLimits.open(tables, clock, failed) };
}

test('a change with its value takes effect at once, without a read', async () => {
  const { tables, limits } = await opened();
  tables.forget([told({ silenced: true, suspended: true })]);
  assert.deepEqual([limits.silenced(account), limits.suspended(account)], [true, true]);
  tables.forget([told()]);
  assert.deepEqual([limits.silenced(account), limits.suspended(account)], [false, false]);
  await tables.write([limited(false, true)]);
  assert.deepEqual([limits.silenced(account), limits.suspended(account)], [false, true]);
});

test('a change without its value is read, and does not undo changes during the read', async () => {
  const { shared, tables, limits } = await opened();
  await shared.write([limited(true, false)]);
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const get = shared.get.bind(shared);
  shared.get = (async (...asked: Parameters<typeof get>) => {
    const found = await get(...asked);
    await held;
    return found;
  }) as typeof shared.get;
  tables.forget([{ table: accountLimits.name, key: ['0', account] }]);
  await shared.write([remove(accountLimits, key)]);
  tables.forget([told()]);
  letGo();
  await limits.settled();
  assert.equal(limits.silenced(account), false);
  tables.forget([told({ silenced: true, suspended: false })]);
  assert.equal(limits.silenced(account), true);
});

test('all limits are read after a gap', async () => {
  const { shared, tables, limits } = await opened();
  await shared.write([limited(true, true)]);
  tables.forget(undefined);
  await limits.settled();
  assert.deepEqual([limits.silenced(account), limits.suspended(account)], [true, true]);
});

test('all limits are read again until the store answers, however many changes arrive', async () => {
  const failures: unknown[] = [];
  const { shared, tables, clock, limits } = await opened((error) => failures.push(error));
  const { range, get } = shared;
  const sleeps = async () => {
    throw new Error('the store sleeps');
  };
  shared.range = shared.get = sleeps;
  await shared.write([limited(true, true)]);
  tables.forget(undefined);
  tables.forget([{ table: accountLimits.name, key: ['0', account] }]);
  await clock.advance(3_500);
  assert.equal(limits.suspended(account), false);
  assert.equal(failures.length, 5, 'two reads, and one a second for both');
  Object.assign(shared, { range, get });
  await clock.advance(1_000);
  await limits.settled();
  assert.deepEqual([limits.silenced(account), limits.suspended(account)], [true, true]);
  await clock.advance(5_000);
  assert.equal(failures.length, 5);
});
