import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../actors/domain/problem.js';
import { TokenUses, USE_NOTED_MS } from '../../actors/token-uses.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { tokenUses } from '../../store/sign-in-tables.js';
import { until } from '../kit/time/until.js';

const hash = 'a-hash';

/** Two nodes over one store, whose reads and writes are counted. */
function nodes() {
  const store = new MemoryTables();
  const done = { reads: 0, writes: 0 };
  const tables: Pick<MemoryTables, 'get' | 'write'> = {
    get: (...wanted) => {
      done.reads++;
      return store.get(...wanted);
    },
    write: (...rows) => {
      done.writes++;
      return store.write(...rows);
    },
  };
  const time = { nowMs: 1_000_000_000 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  const node = () => new TokenUses(tables as never, clock);
  return { store, done, time, one: node(), two: node() };
}

test('a token in steady use is written once an hour, whatever the number of nodes', async () => {
  const { store, done, time, one, two } = nodes();
  const usedMs = async () => (await store.get(tokenUses, { hash }))?.atMs;
  for (let count = 0; count < 100; count++) one.note(hash);
  await until('the first write', async () => (await usedMs()) === time.nowMs || undefined, 5_000);
  for (let count = 0; count < 100; count++) two.note(hash);
  await until('the look of the other node', async () => done.reads === 2 || undefined, 5_000);
  assert.equal(done.writes, 1);
  time.nowMs += USE_NOTED_MS - 1;
  one.note(hash);
  assert.equal(done.reads, 2, 'within the hour');
  time.nowMs += 1;
  one.note(hash);
  await until('the next hour', async () => (await usedMs()) === time.nowMs || undefined, 5_000);
  assert.deepEqual(done, { reads: 3, writes: 2 });
});

test('a store that does not answer is asked again in the next hour only', async () => {
  let asked = 0;
  const get = async () => {
    asked++;
    throw new Unavailable('down');
  };
  const clock = { nowMs: () => 5, monotonicMs: () => 5 };
  const uses = new TokenUses({ get, write: async () => undefined } as never, clock);
  for (let count = 0; count < 10; count++) uses.note(hash);
  assert.equal(asked, 1);
});
