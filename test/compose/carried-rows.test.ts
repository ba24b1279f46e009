import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../actors/domain/ids.js';
import { Unavailable } from '../../actors/domain/problem.js';
import { cachedTogether, rowCarrier } from '../../compose/cached-rows.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { put, remove } from '../../store/port.js';
import { accounts, marks } from '../../store/tables.js';
import { InProcessHub } from '../../transport/in-process-bus.js';
import { realClock } from '../transport/real-clock.js';

const key = { account: makeId(1_000, 1, 0) };
const blank = accounts.value.decode(new Uint8Array());
const having = (followers: number) => put(accounts, key, { ...blank, followers });

async function twoNodes() {
  const shared = new MemoryTables();
  const hub = new InProcessHub(realClock);
  const one = await cachedTogether(shared, hub.bus('one'), 'one');
  const two = await cachedTogether(shared, hub.bus('two'), 'two');
  const reads = { count: 0, held: Promise.resolve() };
  const get = shared.get.bind(shared);
  shared.get = (async (...asked: Parameters<typeof get>) => {
    reads.count += 1;
    const found = await get(...asked);
    await reads.held;
    return found;
  }) as typeof shared.get;
  return { one, two, reads };
}

test('a row that came with a reply is not read, and its next write is received', async () => {
  const { one, two, reads } = await twoNodes();
  await one.write([having(1)]);
  const carried = rowCarrier(one).load([{ table: accounts, key }]);
  assert.equal(carried.length, 1);
  rowCarrier(two).unload(carried);
  assert.deepEqual([(await two.get(accounts, key))?.followers, reads.count], [1, 0]);
  await one.write([having(2)]);
  await new Promise((resolve) => void setImmediate(resolve));
  assert.equal((await two.get(accounts, key))?.followers, 2);
});

test('rows outside the cache are not carried, and rows of uncached or unknown tables are not accepted', async () => {
  const { one, two } = await twoNodes();
  assert.deepEqual(rowCarrier(one).load([{ table: accounts, key }]), []);
  const value = new Uint8Array();
  rowCarrier(two).unload([
    { table: 'no such table', key: 'x', value },
    { table: 'journal', key: 'x', value },
  ]);
});

const heard = () => new Promise((resolve) => void setImmediate(resolve));

test('counts that another node changed are applied without a read, and the rest of the row stays', async () => {
  const { one, two, reads } = await twoNodes();
  const named = (followers: number) => put(accounts, key, { ...blank, username: 'ada', followers });
  await one.write([named(1)]);
  assert.equal((await two.get(accounts, key))?.followers, 1);
  await one.write([named(2)]);
  await heard();
  const row = await two.get(accounts, key);
  assert.deepEqual([row?.followers, row?.username, reads.count], [2, 'ada', 1]);
});

test('a row that changed in more than its counts is read again', async () => {
  const { one, two, reads } = await twoNodes();
  await one.write([having(1)]);
  await two.get(accounts, key);
  await one.write([put(accounts, key, { ...blank, followers: 2, disabled: true })]);
  await heard();
  assert.deepEqual([(await two.get(accounts, key))?.disabled, reads.count], [true, 2]);
});

test('the result of a read under way is not cached when counts change meanwhile', async () => {
  const { one, two, reads } = await twoNodes();
  await one.write([having(1)]);
  let letGo: () => void = () => undefined;
  reads.held = new Promise((resolve) => {
    letGo = resolve;
  });
  const reading = two.get(accounts, key);
  await heard();
  await one.write([having(2)]);
  await heard();
  letGo();
  assert.equal((await reading)?.followers, 1);
  assert.deepEqual([(await two.get(accounts, key))?.followers, reads.count], [2, 2]);
});

test('the value of a mark that another node created or removed is received', async () => {
  const { one, two } = await twoNodes();
  const told: unknown[] = [];
  two.onChanged((rows) => {
    for (const { now } of rows ?? []) told.push(now?.value);
  });
  const mark = { account: makeId(1_000, 1, 0), era: 3, status: makeId(1_000, 2, 0) };
  await one.write([put(marks, mark, { favouriteId: '5' })]);
  await one.write([remove(marks, mark)]);
  await heard();
  assert.deepEqual(told, [{ favouriteId: '5' }, undefined]);
});

test('rows of a failed write are published again, because it may happen late', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shared = new MemoryTables();
  const hub = new InProcessHub(realClock);
  const write = shared.write.bind(shared);
  let broken = true;
  shared.write = async (rows) => {
    if (broken) throw new Unavailable('no answer');
    await write(rows);
  };
  const one = await cachedTogether(shared, hub.bus('one'), 'one');
  const two = await cachedTogether(shared, hub.bus('two'), 'two');
  await write([having(1)]);
  await assert.rejects(one.write([having(2)]), Unavailable);
  await heard();
  assert.deepEqual([(await two.get(accounts, key))?.followers, (await one.get(accounts, key))?.followers], [1, 1]);
  broken = false;
  await write([having(2)]);
  assert.equal((await two.get(accounts, key))?.followers, 1);
  t.mock.timers.tick(10_000);
  await heard();
  assert.deepEqual([(await two.get(accounts, key))?.followers, (await one.get(accounts, key))?.followers], [2, 2]);
});
