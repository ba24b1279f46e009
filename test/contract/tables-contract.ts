import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { StoreEventRecord } from '../../proto/gen/types.js';
import { put, type RangeOptions, remove, type Tables, WRITE_ROWS_MAX } from '../../store/port.js';
import { fc } from '../kit/property.js';
import { until } from '../kit/time/until.js';
import { brief, event, guarded, others, rows } from './contract-tables.js';

export interface ContractStore {
  readonly tables: Tables;
  /** Closes the store and reopens it on the same data; absent when nothing outlives the adapter. */
  readonly reopen?: () => Promise<Tables>;
  readonly destroy: () => Promise<void>;
  /** Examples per property: fewer on real servers. */
  readonly runs: number;
}

type RowKey = { owner: string; part: number; word: string; at: number; item: string };
type Bounds = RangeOptions<typeof rows.clustering>;

const id = (n: number | bigint): string => String(n).padStart(18, '0');
/** Any text that a column may hold: no lone surrogates, which have no UTF-8. */
const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const words = fc.oneof(fc.constantFrom('', 'a', 'a\0', 'a\0b', 'ab', '\u00ff', '\uffff', '😀', 'a\u0001'), anyText);
const numbers = fc.oneof(fc.constantFrom(0, 1, 255, 256, 2 ** 32, Number.MAX_SAFE_INTEGER), fc.nat());
const items = fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n }).map(id);

/** A store under test. */
interface Subject {
  /** Stays the same when the store is reopened. */
  readonly tables: Tables;
  readonly runs: () => number;
  /** Returns the name of a partition that has no rows. */
  readonly owner: () => string;
  /** Closes the store and reopens it on the same data; false when nothing outlives the adapter. */
  readonly reopen: () => Promise<boolean>;
}

/** The contract of Tables on every adapter. */
export function tablesContract(name: string, open: () => Promise<ContractStore>): void {
  describe(`tables: ${name}`, () => {
    let store: ContractStore;
    let opened: Tables;
    let owners = 0;
    before(async () => {
      store = await open();
      opened = store.tables;
    });
    after(async () => {
      await store?.destroy();
    });
    const subject: Subject = {
      tables: forwarding(() => opened),
      runs: () => store.runs,
      owner: () => `owner ${++owners}`,
      reopen: async () => {
        if (store.reopen === undefined) return false;
        opened = await store.reopen();
        return true;
      },
    };
    rowsContract(subject);
    rangesContract(subject);
    removalsContract(subject);
    writesContract(subject);
    batchesContract(subject);
    conditionalContract(subject);
    durabilityContract(subject);
  });
}

const forwarding = (tables: () => Tables): Tables => ({
  get: (...args) => tables().get(...args),
  getMany: (...args) => tables().getMany(...args),
  range: (...args) => tables().range(...args),
  write: (...args) => tables().write(...args),
  removeRange: (...args) => tables().removeRange(...args),
  compareAndSet: (...args) => tables().compareAndSet(...args),
  close: () => tables().close(),
});

function rowsContract({ tables, runs, owner }: Subject): void {
  test('a row that was never written is absent', async () => {
    assert.equal(await tables.get(rows, { owner: owner(), part: 0, word: '', at: 0, item: id(0) }), undefined);
    assert.deepEqual(await tables.range(rows, { owner: owner(), part: 0 }, { limit: 10 }), []);
  });

  test('a written row is read, replaced, and gone once removed', async () => {
    const key = { owner: owner(), part: 1 };
    await tables.write([put(others, key, event('one', Buffer.from([0, 255])))]);
    const read = await tables.get(others, key);
    assert.equal(read?.type, 'one');
    assert.deepEqual(Buffer.from(read.payload), Buffer.from([0, 255]));
    await tables.write([put(others, key, event('two'))]);
    assert.equal((await tables.get(others, key))?.type, 'two');
    await tables.write([remove(others, key)]);
    assert.equal(await tables.get(others, key), undefined);
  });

  test('many keys are answered in their order, the absent ones as undefined', async () => {
    const of = owner();
    await tables.write([1, 3].map((part) => put(others, { owner: of, part }, event(`${part}`))));
    const found = await tables.getMany(
      others,
      [3, 2, 1, 3].map((part) => ({ owner: of, part })),
    );
    assert.deepEqual(
      found.map((value) => value?.type),
      ['3', undefined, '1', '3'],
    );
    assert.deepEqual(await tables.getMany(others, []), []);
  });

  test('keys of every kind come back as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(words, numbers, words, numbers, items, async (prefix, part, word, at, item) => {
        const key = { owner: `${prefix}${owner()}`, part, word, at, item };
        await tables.write([put(rows, key, event('x'))]);
        assert.equal((await tables.get(rows, key))?.type, 'x');
        const found = await tables.range(rows, { owner: key.owner, part }, { limit: 5 });
        assert.deepEqual(
          found.map((row) => ({ ...row.key })),
          [key],
        );
      }),
      { numRuns: runs() },
    );
  });
}

function rangesContract({ tables, runs, owner }: Subject): void {
  test('a range is what a sorted list would give, between any bounds, in both directions', async () => {
    const entry = fc.record({ word: words, at: fc.nat(3), item: fc.nat(3).map(id) });
    const bound = fc.option(
      fc.record({ word: words, at: fc.nat(3), item: fc.nat(3).map(id), columns: fc.integer({ min: 1, max: 3 }) }),
      { nil: undefined },
    );
    const limit = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        bound,
        bound,
        fc.boolean(),
        limit,
        async (entries, low, high, reverse, most) => {
          const partition = { owner: owner(), part: 0 };
          const keys = entries.map((each) => ({ ...partition, ...each }));
          await tables.write([
            ...keys.map((key) => put(rows, key, event('in'))),
            put(rows, { owner: partition.owner, part: 1, word: 'm', at: 1, item: id(1) }, event('out')),
          ]);
          const options: Bounds = {
            limit: most,
            reverse,
            ...(low && { after: prefix(low) }),
            ...(high && { before: prefix(high) }),
          };
          const found = await tables.range(rows, partition, options);
          assert.deepEqual(
            found.map((row) => ({ ...row.key })),
            model(keys, options),
          );
        },
      ),
      { numRuns: runs() },
    );
  });
}

function removalsContract({ tables, runs, owner }: Subject): void {
  test('the removal of a range takes the rows between its bounds, and no others', async () => {
    const entry = fc.record({ word: words, at: fc.nat(3), item: fc.nat(3).map(id) });
    const bound = fc.option(
      fc.record({ word: words, at: fc.nat(3), item: fc.nat(3).map(id), columns: fc.integer({ min: 1, max: 3 }) }),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), bound, bound, async (entries, low, high) => {
        const partition = { owner: owner(), part: 0 };
        const beside = { owner: partition.owner, part: 1, word: 'm', at: 1, item: id(1) };
        const keys = entries.map((each) => ({ ...partition, ...each }));
        await tables.write([...keys, beside].map((key) => put(rows, key, event('in'))));
        const bounds = { ...(low && { after: prefix(low) }), ...(high && { before: prefix(high) }) };
        await tables.removeRange(rows, partition, bounds);
        const left = await tables.range(rows, partition, { limit: 20 });
        const gone = model(keys, { ...bounds, limit: 20 }).map((key) => JSON.stringify(key));
        assert.deepEqual(
          left.map((row) => ({ ...row.key })),
          model(keys, { limit: 20 }).filter((key) => !gone.includes(JSON.stringify(key))),
        );
        assert.equal((await tables.get(rows, beside))?.type, 'in');
      }),
      { numRuns: runs() },
    );
  });

  test('rows written after the removal of their range stay, and a removal takes many rows', async () => {
    const partition = { owner: owner(), part: 0 };
    const keys = Array.from({ length: 1_200 }, (_, at) => ({ ...partition, word: '', at, item: id(at) }));
    for (let from = 0; from < keys.length; from += WRITE_ROWS_MAX)
      await tables.write(keys.slice(from, from + WRITE_ROWS_MAX).map((key) => put(rows, key, event('old'))));
    await tables.removeRange(rows, partition, {});
    assert.deepEqual(await tables.range(rows, partition, { limit: 5 }), []);
    await tables.removeRange(rows, partition, {});
    await tables.write([put(rows, keys[7] as RowKey, event('new'))]);
    const left = await tables.range(rows, partition, { limit: 5 });
    assert.deepEqual(
      left.map((row) => row.value.type),
      ['new'],
    );
  });
}

function writesContract({ tables, owner }: Subject): void {
  test('the last of two writes to one row in one call counts', async () => {
    const key = { owner: owner(), part: 1 };
    await tables.write([put(others, key, event('z')), put(others, key, event('a'))]);
    assert.equal((await tables.get(others, key))?.type, 'a');
    await tables.write([remove(others, key), put(others, key, event('back'))]);
    assert.equal((await tables.get(others, key))?.type, 'back');
  });

  test('rows of several tables and partitions are written in one call', async () => {
    const of = owner();
    const parts = Array.from({ length: WRITE_ROWS_MAX - 1 }, (_, part) => part);
    await tables.write([
      ...parts.map((part) => put(others, { owner: of, part }, event(`${part}`))),
      put(rows, { owner: of, part: 0, word: '', at: 0, item: id(1) }, event('row')),
    ]);
    const found = await tables.getMany(
      others,
      parts.map((part) => ({ owner: of, part })),
    );
    assert.deepEqual(
      found.map((value) => value?.type),
      parts.map(String),
    );
    assert.equal((await tables.range(rows, { owner: of, part: 0 }, { limit: 5 })).length, 1);
  });

  test('a bad row in a call leaves the others unwritten', async () => {
    const of = owner();
    const bad = put(others, { owner: of, part: -1 }, event('bad'));
    await assert.rejects(tables.write([put(others, { owner: of, part: 1 }, event('good')), bad]), RangeError);
    assert.equal(await tables.get(others, { owner: of, part: 1 }), undefined);
  });

  test('calls past the limits and against the table are refused', async () => {
    const of = owner();
    const many = Array.from({ length: WRITE_ROWS_MAX + 1 }, (_, part) => put(others, { owner: of, part }, event('')));
    await assert.rejects(tables.write(many), RangeError);
    await assert.rejects(tables.range(rows, { owner: of, part: 0 }, { limit: 5_001 }), RangeError);
    await assert.rejects(tables.range(rows, { owner: of, part: 0 }, { limit: 0 }), RangeError);
    await assert.rejects(tables.get(others, { owner: 'x'.repeat(513), part: 0 }), RangeError);
    await assert.rejects(tables.write([put(guarded, { owner: of, name: 'n' }, event('x'))]), TypeError);
    await assert.rejects(tables.removeRange(guarded, { owner: of }, {}), TypeError);
    await assert.rejects(tables.compareAndSet(others, { owner: of, part: 0 }, undefined, event('x')), TypeError);
  });
}

function batchesContract({ tables, owner }: Subject): void {
  test('a batch of one partition is seen whole or not at all', async () => {
    const partition = { owner: owner(), part: 0 };
    const round = (label: string) =>
      [1, 2, 3, 4].map((at) => put(rows, { ...partition, word: 'w', at, item: id(at) }, event(label)));
    await tables.write(round('0'));
    let writing = true;
    const writer = (async () => {
      for (let n = 1; n <= 30; n += 1) await tables.write(round(`${n}`));
      writing = false;
    })();
    while (writing) {
      const seen = await tables.range(rows, partition, { limit: 10 });
      assert.equal(new Set(seen.map((row) => row.value.type)).size, 1);
      assert.equal(seen.length, 4);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writer;
  });

  test('a batch far above what Cassandra warns of is stored whole', async () => {
    const partition = { owner: owner(), part: 0 };
    const big = Buffer.alloc(8_000, 7);
    const keys = Array.from({ length: 64 }, (_, at) => ({ ...partition, word: '', at, item: id(at) }));
    await tables.write(keys.map((key) => put(rows, key, event('big', big))));
    const found = await tables.range(rows, partition, { limit: 100 });
    assert.equal(found.length, 64);
    assert.ok(found.every((row) => Buffer.compare(row.value.payload, big) === 0));
  });
}

function durabilityContract({ tables, owner, reopen }: Subject): void {
  test('rows vanish when their time is over', async () => {
    const of = owner();
    await tables.write([put(brief, { owner: of, at: 1 }, event('soon gone'))]);
    assert.equal((await tables.get(brief, { owner: of, at: 1 }))?.type, 'soon gone');
    await until(
      'the row has expired',
      async () => (await tables.get(brief, { owner: of, at: 1 })) === undefined || undefined,
      10_000,
    );
    assert.deepEqual(await tables.range(brief, { owner: of }, { limit: 5 }), []);
    await tables.write([put(brief, { owner: of, at: 1 }, event('again'))]);
    assert.equal((await tables.get(brief, { owner: of, at: 1 }))?.type, 'again');
  });

  test('acknowledged writes survive a restart', async () => {
    const of = owner();
    const parts = Array.from({ length: 50 }, (_, part) => part);
    await Promise.all(parts.map((part) => tables.write([put(others, { owner: of, part }, event(`${part}`))])));
    await tables.compareAndSet(guarded, { owner: of, name: 'n' }, undefined, event('claimed'));
    if (!(await reopen())) return;
    const found = await tables.getMany(
      others,
      parts.map((part) => ({ owner: of, part })),
    );
    assert.deepEqual(
      found.map((value) => value?.type),
      parts.map(String),
    );
    assert.equal((await tables.get(guarded, { owner: of, name: 'n' }))?.type, 'claimed');
  });
}

function conditionalContract({ tables, owner }: Subject): void {
  test('compareAndSet creates, changes and removes a row, and returns the current row when it does not apply', async () => {
    const key = { owner: owner(), name: 'n' };
    const set = (expected: StoreEventRecord | undefined, next: StoreEventRecord | undefined) =>
      tables.compareAndSet(guarded, key, expected, next);
    assert.deepEqual(await set(event('x'), event('y')), { applied: false, current: undefined });
    assert.equal((await set(undefined, event('one'))).applied, true);
    const refused = await set(undefined, event('two'));
    assert.equal(refused.applied, false);
    assert.equal(refused.current?.type, 'one');
    assert.equal((await set(event('other'), event('two'))).applied, false);
    assert.equal((await set(event('other'), undefined)).applied, false);
    const changed = await set(event('one'), event('two'));
    assert.deepEqual([changed.applied, changed.current?.type], [true, 'two']);
    assert.equal((await tables.get(guarded, key))?.type, 'two');
    assert.deepEqual(await set(event('two'), undefined), { applied: true, current: undefined });
    assert.equal(await tables.get(guarded, key), undefined);
    assert.deepEqual(await set(undefined, undefined), { applied: true, current: undefined });
    assert.equal((await set(undefined, event('anew'))).applied, true);
  });

  test('a value that another version wrote with fewer fields can still be changed', async () => {
    const key = { owner: owner(), name: 'n' };
    // Without its payload field on the wire; decoding adds the default, encoding would write it.
    const older = { type: 'old' } as StoreEventRecord;
    await tables.compareAndSet(guarded, key, undefined, older);
    const current = await tables.get(guarded, key);
    const result = await tables.compareAndSet(guarded, key, current, event('new'));
    assert.deepEqual([result.applied, result.current?.type], [true, 'new']);
  });

  test('exactly one of many concurrent claims of a row succeeds', async () => {
    const key = { owner: owner(), name: 'n' };
    const claims = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => tables.compareAndSet(guarded, key, undefined, event(`${n}`))),
    );
    const won = claims.flatMap((claim, n) => (claim.status === 'fulfilled' && claim.value.applied ? [`${n}`] : []));
    const winner = (await tables.get(guarded, key))?.type;
    assert.deepEqual(won, [winner]);
  });

  test('changes raced by many add up', async () => {
    const key = { owner: owner(), name: 'count' };
    await tables.compareAndSet(guarded, key, undefined, event('0'));
    const add = async () => {
      for (;;) {
        const current = await tables.get(guarded, key);
        const next = event(`${Number(current?.type) + 1}`);
        if ((await tables.compareAndSet(guarded, key, current, next)).applied) return;
      }
    };
    await Promise.all([add(), add(), add(), add()]);
    assert.equal((await tables.get(guarded, key))?.type, '4');
  });

  test('conditional rows are read as a range too', async () => {
    const of = owner();
    for (const name of ['b', 'a']) await tables.compareAndSet(guarded, { owner: of, name }, undefined, event(name));
    const found = await tables.range(guarded, { owner: of }, { limit: 10 });
    assert.deepEqual(
      found.map((row) => row.value.type),
      ['a', 'b'],
    );
  });
}

function prefix(bound: { word: string; at: number; item: string; columns: number }): NonNullable<Bounds['after']> {
  const { word, at, item, columns } = bound;
  return { word, ...(columns > 1 && { at }), ...(columns > 2 && { item }) };
}

/** Returns a negative number when the row precedes the bound, zero when it begins with it. */
function compare(key: RowKey, bound: NonNullable<Bounds['after']>): number {
  const word = Buffer.compare(Buffer.from(key.word), Buffer.from(bound.word as string));
  if (word !== 0) return word;
  if (bound.at !== undefined && key.at !== bound.at) return key.at - bound.at;
  if (bound.item !== undefined) return Number(BigInt(key.item) - BigInt(bound.item));
  return 0;
}

function model(keys: readonly RowKey[], { after: low, before: high, reverse, limit }: Bounds): RowKey[] {
  const unique = new Map(keys.map((key) => [JSON.stringify([key.word, key.at, key.item]), key]));
  const sorted = [...unique.values()].sort((a, b) => compare(a, b));
  const inside = sorted.filter(
    (key) => (low === undefined || compare(key, low) > 0) && (high === undefined || compare(key, high) < 0),
  );
  return (reverse ? inside.reverse() : inside).slice(0, limit);
}
