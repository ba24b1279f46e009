import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { Unavailable } from '../../../actors/domain/problem.js';
import { Caches } from '../../../store/cache/cache.js';
import { CachedTables, type WrittenRow } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, remove } from '../../../store/port.js';
import {
  accounts,
  cursors,
  marks,
  nameIndex,
  names,
  notifications,
  publicBuckets,
  tagBuckets,
} from '../../../store/tables.js';
import { tablesContract } from '../../contract/tables-contract.js';
import { StageTables } from '../../kit/actors/stage.js';
import { fc } from '../../kit/property.js';

tablesContract('cached memory', async () => ({
  tables: new CachedTables(new MemoryTables({ nowMs: () => Date.now() })),
  destroy: async () => {},
  runs: 100,
}));

/** An id with leading zeros. */
const key = { account: makeId(1_000, 1, 0) };
const blank = accounts.value.decode(new Uint8Array());
const having = (followers: number) => put(accounts, key, { ...blank, followers });

/** Creates tables that count their inner reads and delay them while `held`. */
function world(options: ConstructorParameters<typeof CachedTables>[1] = {}) {
  const shared = new MemoryTables();
  const stage = new StageTables(shared);
  const state = { reads: 0, hold: undefined as Promise<void> | undefined };
  const inner = {
    ...stage.tables,
    get: (async (...asked: Parameters<typeof shared.get>) => {
      state.reads += 1;
      const found = await shared.get(...asked);
      await state.hold;
      return found;
    }) as typeof shared.get,
  };
  const cached = new CachedTables(inner, { monotonicMs: () => performance.now(), ...options });
  return { shared, stage, state, cached, read: async () => (await cached.get(accounts, key))?.followers };
}

test('a row is read once, and a write of this node is visible at once', async () => {
  const { cached, state, read, shared } = world();
  await shared.write([having(1)]);
  const first = await cached.get(accounts, key);
  assert.equal(await cached.get(accounts, { account: String(BigInt(key.account)) }), first, 'decoded once');
  assert.equal(state.reads, 1);
  await cached.write([having(2)]);
  assert.deepEqual([await read(), state.reads], [2, 1]);
  await cached.write([remove(accounts, key)]);
  assert.equal(await read(), undefined);
  await shared.write([having(3)]);
  assert.equal(await read(), 3, 'what is not there is looked for each time');
});

test('a read that was under way during a write caches nothing', async () => {
  const { cached, state, read, shared } = world();
  await shared.write([having(1)]);
  let go = () => {};
  state.hold = new Promise((resolve) => {
    go = resolve;
  });
  const slow = [read(), read()];
  await cached.write([having(2)]);
  state.hold = undefined;
  go();
  assert.deepEqual(await Promise.all(slow), [1, 1], 'they began before the write was done');
  assert.equal(await read(), 2);
});

test('a read during a write may return either value, and caches nothing', async () => {
  const { cached, stage, read, shared } = world();
  await shared.write([having(1)]);
  const proceed = stage.holdWrites(accounts);
  const writing = cached.write([having(2)]);
  assert.equal(await read(), 1);
  proceed();
  await writing;
  assert.equal(await read(), 2);
});

test('after a failed write rows are read from the store, because it may have happened', async () => {
  const { cached, stage, read, shared } = world();
  await shared.write([having(1)]);
  await read();
  stage.afterWrite = () => Promise.reject(new Unavailable('no answer'));
  await assert.rejects(cached.write([having(2)]), Unavailable);
  assert.equal(await read(), 2);
});

test('two concurrent writes leave nothing in the cache', async () => {
  const { cached, stage, state, read } = world();
  const proceed = stage.holdWrites(accounts);
  const both = [cached.write([having(1)]), cached.write([having(2)])];
  proceed();
  await Promise.all(both);
  assert.deepEqual([await read(), state.reads], [2, 1]);
});

test('writes of other nodes invalidate their rows, or all rows if the rows are unknown', async () => {
  const { cached, read, shared } = world();
  for (const told of [[{ table: 'accounts', key: [key.account] }], undefined]) {
    await shared.write([having(1)]);
    cached.forget(told);
    assert.equal(await read(), 1);
    await shared.write([having(2)]);
    assert.equal(await read(), 1);
    cached.forget(told);
    assert.equal(await read(), 2);
  }
});

test('the cache is bypassed while other nodes’ messages do not arrive', async () => {
  let isHeard = true;
  const { cached, read, shared } = world({ trusts: () => isHeard });
  await cached.write([having(1)]);
  await shared.write([having(2)]);
  isHeard = false;
  assert.equal(await read(), 2);
  isHeard = true;
  cached.forget(undefined);
  assert.equal(await read(), 2);
});

test('writes of hot and watched tables are published with the new values, others are not published', async () => {
  const { cached, stage } = world();
  const told: (readonly WrittenRow[])[] = [];
  cached.onWritten((rows) => told.push(rows));
  const mark = { account: key.account, era: 3, status: '7' };
  await cached.write([put(marks, mark, { favouriteId: '9' })]);
  await cached.write([put(cursors, { actor: 'x' }, cursors.value.decode(new Uint8Array()))]);
  stage.afterWrite = () => Promise.reject(new Unavailable('no answer'));
  await assert.rejects(cached.write([remove(marks, mark)]));
  const row = { table: 'marks', key: [key.account, '3', '7'.padStart(18, '0')] };
  assert.deepEqual(told, [[{ ...row, now: { value: { favouriteId: '9' } } }], [row]]);
});

test('a slow write is neither cached nor published with its value: another writer may own the row by now', async () => {
  let nowMs = 0;
  const { cached, read, shared, stage } = world({ promptMs: 20, monotonicMs: () => nowMs });
  const [told, heard]: [(readonly WrittenRow[])[], (readonly WrittenRow[] | undefined)[]] = [[], []];
  cached.onWritten((rows) => told.push(rows));
  cached.onChanged((rows) => heard.push(rows));
  stage.afterWrite = async () => {
    nowMs += 21;
    await shared.write([having(2)]);
  };
  await cached.write([having(1)]);
  const rows = [[{ table: 'accounts', key: [key.account] }]];
  assert.deepEqual([told, heard], [rows, rows]);
  assert.equal(await read(), 2);
});

test('cached rows are available synchronously, and only while a read would return them', async () => {
  let trusts = true;
  const { cached, read, shared } = world({ trusts: () => trusts });
  const peek = () => {
    const found = cached.peek(accounts, key)?.followers;
    assert.equal(cached.peekId(accounts, key.account)?.followers, found);
    assert.equal(cached.peekId(accounts, key.account.replace(/^0+/, ''))?.followers, found);
    return found;
  };
  await shared.write([having(1)]);
  assert.equal(peek(), undefined);
  await read();
  assert.equal(peek(), 1);
  const writing = cached.write([having(2)]);
  assert.equal(peek(), 1, 'as a read meanwhile may say');
  await writing;
  assert.equal(peek(), 2);
  trusts = false;
  assert.equal(peek(), undefined);
  trusts = true;
  cached.forget([{ table: 'accounts', key: [key.account] }]);
  assert.equal(peek(), undefined);
  assert.equal(cached.peek(cursors, { actor: 'a' }), undefined, 'nothing of tables that are not hot');
});

const account = makeId(1_000, 1, 0);
const notice = (id: string, from: string) =>
  put(notifications, { account, era: 0, notification: id }, { type: 'mention', from, atMs: 0 });

/** Writes, and reads of newest pages, some of them concurrent. */
const deed = fc.record({
  id: fc.integer({ min: 1, max: 200 }).map(String),
  does: fc.constantFrom('put', 'put', 'remove', 'read', 'read', 'fail'),
  limit: fc.constantFrom(1, 3, 20, 40, 80),
  before: fc.option(fc.integer({ min: 1, max: 200 }).map(String), { nil: undefined }),
  after: fc.option(fc.integer({ min: 1, max: 200 }).map(String), { nil: undefined }),
});
interface Deed {
  readonly id: string;
  readonly does: string;
  readonly limit: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

for (const [what, kept] of [
  ['the newest rows of a partition are', { newest: [notifications] }],
  ['whole answers for ranges are', { ranges: [notifications] }],
] as const) {
  test(`${what} those of the store under any writes, also concurrent ones`, async () => {
    const told = async (steps: Deed[][]) => {
      const shared = new MemoryTables();
      const stage = new StageTables(shared);
      const cached = new CachedTables(stage.tables, kept);
      const page = (tables: typeof shared | CachedTables, { limit, before, after }: Omit<Deed, 'id' | 'does'>) => {
        const bounds = {
          ...(before === undefined ? {} : { before: { notification: before } }),
          ...(after === undefined ? {} : { after: { notification: after } }),
        };
        return tables.range(notifications, { account, era: 0 }, { limit, reverse: true, ...bounds });
      };
      const newest = { limit: 20, before: undefined, after: undefined };
      const stateOf = () => cached.peekState(notifications, { account, era: 0 });
      for (const [n, step] of steps.entries()) {
        const before = { state: stateOf(), all: await page(shared, { ...newest, limit: 1_000 }) };
        const doing = step.map(async (one) => {
          const { id, does } = one;
          if (does === 'put') return cached.write([notice(id, String(n))]);
          if (does === 'remove') return cached.write([remove(notifications, { account, era: 0, notification: id })]);
          if (does === 'read') return page(cached, one);
          stage.afterWrite = () => {
            stage.afterWrite = () => undefined;
            throw new Unavailable('it may have been written');
          };
          return cached.write([notice(id, `${n} perhaps`)]).catch(() => undefined);
        });
        await Promise.allSettled(doing);
        stage.mend();
        for (const one of step) {
          assert.deepEqual(await page(cached, one), await page(shared, one));
          assert.deepEqual(await page(cached, newest), await page(shared, newest));
          const { limit, before, after } = one;
          const span = { before: before?.padStart(18, '0'), after: after?.padStart(18, '0'), reverse: true };
          const byIds = cached.peekIds(notifications, { account, era: 0 }, span, limit);
          const rows = (await page(shared, one)).map(({ key, value }) => ({ id: key.notification, value }));
          if (byIds !== undefined) assert.deepEqual(plain(byIds), rows);
        }
        if (before.state !== undefined && before.state === stateOf()) {
          assert.deepEqual(await page(shared, { ...newest, limit: 1_000 }), before.all, 'nothing was written');
        }
      }
    };
    const plain = (found: readonly { readonly id: string; readonly value: unknown }[]) =>
      found.map(({ id, value }) => ({ id, value }));
    const steps = fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { maxLength: 60 });
    await fc.assert(fc.asyncProperty(steps, told), { numRuns: 150 });
  });
}

const NAMES = ['acct:ada', 'acct:bob'] as const;
const claim = fc.record({
  name: fc.constantFrom(...NAMES),
  does: fc.constantFrom('claim', 'release', 'put', 'read', 'fail'),
});

test('cached single rows, including absent ones, are those of the store under any writes', async () => {
  const told = async (steps: { readonly name: string; readonly does: string }[][]) => {
    const shared = new MemoryTables();
    const stage = new StageTables(shared);
    const cached = new CachedTables(stage.tables, { ranges: [names] });
    for (const [n, step] of steps.entries()) {
      const doing = step.map(async ({ name, does }) => {
        const value = { id: String(n), atMs: n };
        if (does === 'read') return cached.get(names, { name });
        if (does === 'put') return cached.write([put(names, { name }, value)]);
        const current = await shared.get(names, { name });
        if (does === 'claim') return cached.compareAndSet(names, { name }, undefined, value);
        if (does === 'release') return cached.compareAndSet(names, { name }, current, undefined);
        stage.afterWrite = () => {
          stage.afterWrite = () => undefined;
          throw new Unavailable('it may have been written');
        };
        return cached.write([put(names, { name }, value)]).catch(() => undefined);
      });
      await Promise.allSettled(doing);
      stage.mend();
      for (const name of NAMES) {
        const now = await shared.get(names, { name });
        const known = cached.peekOne(names, { name });
        if (known !== undefined) assert.deepEqual(known.value, now);
        assert.deepEqual(await cached.get(names, { name }), now);
        assert.deepEqual(cached.peekOne(names, { name }), { value: now });
      }
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(fc.array(claim, { minLength: 1, maxLength: 4 }), { maxLength: 40 }), told));
});

test('answers to ever other queries of one partition have a bound, and an answer has a lifetime', async () => {
  let nowMs = 0;
  const caches = new Caches();
  const { tables } = new StageTables(new MemoryTables());
  let reads = 0;
  const range = (async (...asked: Parameters<typeof tables.range>) => {
    reads += 1;
    return tables.range(...asked);
  }) as typeof tables.range;
  const cached = new CachedTables({ ...tables, range }, { ranges: [nameIndex], monotonicMs: () => nowMs, caches });
  const ask = (word: string) => cached.range(nameIndex, { start: 'a' }, { after: { word }, limit: 5 });
  for (let n = 0; n < 5_000; n++) await ask(`a${n}`);
  const { weight = 0, weightMax = 0 } = caches.figures().find(({ name }) => name === 'range_answers') ?? {};
  assert.ok(weight > 0 && weight <= weightMax / 4, `${weight} of ${weightMax}`);
  assert.equal(reads, 5_000);
  await ask('a4999');
  assert.equal(reads, 5_000);
  nowMs = 600_000;
  await ask('a4999');
  await ask('a4999');
  assert.equal(reads, 5_001);
});

test('the newest rows of a partition in the order of numbers are those of the store', async () => {
  const { cached, shared } = world({ newest: [tagBuckets] });
  const read = (tables: typeof shared | CachedTables) =>
    tables.range(tagBuckets, { tag: 'a' }, { limit: 3, reverse: true, after: { bucket: 7 } });
  for (const bucket of [9, 10, 8, 100, 7, 11]) {
    await cached.write([put(tagBuckets, { tag: 'a', bucket }, { atMs: bucket })]);
    await cached.range(tagBuckets, { tag: 'a' }, { limit: 32, reverse: true });
    assert.deepEqual(await read(cached), await read(shared));
  }
  await cached.write([remove(tagBuckets, { tag: 'a', bucket: 10 })]);
  assert.deepEqual(
    (await read(cached)).map(({ key }) => key.bucket),
    [100, 11, 9],
  );
});

test('newest pages are read once, and again after a write elsewhere', async () => {
  const shared = new MemoryTables();
  const stage = new StageTables(shared);
  let reads = 0;
  const range: typeof shared.range = (...asked) => {
    reads += 1;
    return shared.range(...asked);
  };
  const cached = new CachedTables({ ...stage.tables, range }, { newest: [notifications] });
  const ids = async () =>
    (await cached.range(notifications, { account, era: 0 }, { limit: 3, reverse: true })).map(({ key }) =>
      Number(key.notification),
    );
  await cached.write([notice('5', 'a'), notice('6', 'a'), notice('7', 'a'), notice('8', 'a')]);
  assert.deepEqual([await ids(), await ids(), reads], [[8, 7, 6], [8, 7, 6], 1]);
  await cached.write([notice('9', 'a')]);
  assert.deepEqual([await ids(), reads], [[9, 8, 7], 1]);
  cached.forget([{ table: notifications.name, key: [account, '0', '9'.padStart(18, '0')] }]);
  assert.deepEqual([await ids(), reads], [[9, 8, 7], 2]);
  cached.forget(undefined);
  assert.deepEqual([await ids(), reads], [[9, 8, 7], 3]);
});

test('newest pages are read again after the removal of a range, here and on nodes that are notified', async () => {
  const shared = new MemoryTables();
  const [cached, other] = [0, 1].map(
    () => new CachedTables(new StageTables(shared).tables, { newest: [notifications] }),
  ) as [CachedTables, CachedTables];
  const ids = async (tables: CachedTables) =>
    (await tables.range(notifications, { account, era: 0 }, { limit: 3, reverse: true })).map(({ key }) =>
      Number(key.notification),
    );
  const states = () => [cached, other].map((tables) => tables.peekState(notifications, { account, era: 0 }));
  cached.onWritten((written) => other.forget(written));
  await cached.write([notice('5', 'a'), notice('6', 'a'), notice('7', 'a'), notice('8', 'a')]);
  assert.deepEqual(
    [await ids(cached), await ids(other)],
    [
      [8, 7, 6],
      [8, 7, 6],
    ],
  );
  const before = states();
  await cached.removeRange(notifications, { account, era: 0 }, { before: { notification: '8' } });
  assert.deepEqual([await ids(cached), await ids(other)], [[8], [8]]);
  for (const [n, state] of states().entries()) assert.notEqual(state, before[n]);
});

test('newest rows are read once, even if their pages overlap', async () => {
  const shared = new MemoryTables();
  const reads: number[] = [];
  const range: typeof shared.range = (table, partition, options) => {
    reads.push(options.limit);
    return shared.range(table, partition, options);
  };
  const cached = new CachedTables({ ...new StageTables(shared).tables, range }, { newest: [notifications] });
  const id = (n: number) => String(n).padStart(18, '0');
  await cached.write(Array.from({ length: 150 }, (_, n) => notice(id(n + 1), 'a')));
  const read = async (before: number, limit: number) => {
    const asked = { limit, reverse: true, before: { notification: id(before) } };
    const rows = await cached.range(notifications, { account, era: 0 }, asked);
    return rows.map(({ key }) => Number(key.notification));
  };
  const below = (from: number, count: number) => Array.from({ length: count }, (_, n) => from - 1 - n);
  await cached.range(notifications, { account, era: 0 }, { limit: 20, reverse: true });
  assert.deepEqual(await read(131, 80), below(131, 80));
  assert.deepEqual(await read(101, 40), below(101, 40));
  assert.deepEqual(await read(61, 40), below(61, 40));
  assert.deepEqual(await read(11, 20), below(11, 10));
  assert.deepEqual(reads, [40, 60, 40, 40]);
  assert.deepEqual(await read(31, 30), below(31, 30), 'all of it is known now');
  assert.equal(reads.length, 4);
});

test('a constant row is written once, and again after a failure', async () => {
  const { cached, stage } = world();
  const bucket = (atMs: number) => put(publicBuckets, { century: 0, bucket: 1 }, { atMs });
  stage.breakWrites(publicBuckets);
  await assert.rejects(cached.write([bucket(5)]), Unavailable);
  let written = 0;
  stage.beforeWrite = (rows) => {
    written += rows.length;
  };
  await cached.write([bucket(5), having(1)]);
  await cached.write([bucket(5)]);
  assert.equal(written, 2);
  await cached.write([remove(publicBuckets, { century: 0, bucket: 1 })]);
  await cached.write([bucket(5)]);
  assert.deepEqual(await cached.get(publicBuckets, { century: 0, bucket: 1 }), { atMs: 5 });
});

test('a row above the maximum age is read again', async () => {
  let ageMaxMs = 60_000;
  const { state, cached, read } = world({ ageMaxMs: () => ageMaxMs });
  await cached.write([having(1)]);
  assert.deepEqual([await read(), await read(), state.reads], [1, 1, 0]);
  ageMaxMs = -1;
  assert.deepEqual([await read(), state.reads], [1, 1]);
  assert.deepEqual([cached.peek(accounts, key), cached.peekId(accounts, key.account)], [undefined, undefined]);
  ageMaxMs = 60_000;
  // It takes effect in the next turn.
  await Promise.resolve();
  assert.deepEqual([await read(), state.reads], [1, 1]);
});

test('the maximum age is computed once a turn', async () => {
  let asked = 0;
  const ageMaxMs = () => {
    asked += 1;
    return asked === 1 ? 60_000 : -1;
  };
  const { cached } = world({ ageMaxMs });
  await cached.write([having(1)]);
  asked = 0;
  await Promise.resolve();
  const looks = () => [1, 2, 3].map(() => cached.peek(accounts, key)?.followers);
  assert.deepEqual([looks(), asked], [[1, 1, 1], 1]);
  await Promise.resolve();
  assert.deepEqual([looks(), asked], [[undefined, undefined, undefined], 2]);
});
