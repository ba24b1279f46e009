import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../actors/domain/ids.js';
import { cachedTogether, rowCarrier } from '../../compose/cached-rows.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { put } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
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
  const reads = { count: 0 };
  const get = shared.get.bind(shared);
  shared.get = ((...asked: Parameters<typeof get>) => {
    reads.count += 1;
    return get(...asked);
  }) as typeof shared.get;
  return { one, two, reads };
}

test('a row that came with a reply is not read, and what is written next is heard', async () => {
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

test('what is not in memory is not carried, nor taken for a table that is not kept or not known', async () => {
  const { one, two } = await twoNodes();
  assert.deepEqual(rowCarrier(one).load([{ table: accounts, key }]), []);
  const value = new Uint8Array();
  rowCarrier(two).unload([
    { table: 'no such table', key: 'x', value },
    { table: 'journal', key: 'x', value },
  ]);
});
