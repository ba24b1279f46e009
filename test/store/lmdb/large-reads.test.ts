import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import { contractTables, event, others, rows } from '../../contract/contract-tables.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const ROWS = 1_000;
/** Rows of one write: fewer than its maximum. */
const WRITE_ROWS = 100;
/** A read of so many rows has at least this many steps. */
const STEPS_MIN = 5;
/** A step of a range has more rows, because they are next to one another. */
const RANGE_STEPS_MIN = 3;
const keys = Array.from({ length: ROWS }, (_, part) => ({ owner: 'alice', part }));
/** Every third row is missing. */
const values = keys.map(({ part }) => (part % 3 === 0 ? undefined : event(`${part}`)));
const alice = { owner: 'alice', part: 0 };
const rowKey = (at: number) => ({ ...alice, word: 'a', at, item: '116000000000000001' });
const inRange = keys.map(({ part: at }) => put(rows, rowKey(at), event(`${at}`)));

async function filled(folder: string): Promise<LmdbTables> {
  const tables = await LmdbTables.open({ folder, clock: systemClock, log, tables: contractTables });
  await writeAll(
    tables,
    values.flatMap((value, part) => (value ? [put(others, { owner: 'alice', part }, value)] : [])),
  );
  return tables;
}

async function writeAll(tables: LmdbTables, writes: readonly RowWrite[]): Promise<void> {
  for (let from = 0; from < writes.length; from += WRITE_ROWS)
    await tables.write(writes.slice(from, from + WRITE_ROWS));
}

/** Returns the result of a read, and the number of turns of the event loop until then. */
async function countTurns<T>(read: () => Promise<T>): Promise<{ readonly found: T; readonly turns: number }> {
  let turns = 0;
  let isRead = false;
  const count = () => {
    if (isRead) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const found = await read();
  isRead = true;
  return { found, turns };
}

test('a read of many rows leaves turns of the event loop to others, and misses no row', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-reads-'));
  const tables = await filled(folder);
  const { found, turns } = await countTurns(() => tables.getMany(others, keys));
  assert.deepEqual(
    found.map((value) => value?.type),
    values.map((value) => value?.type),
  );
  assert.ok(turns >= STEPS_MIN, `${turns} turns`);
  await tables.close();
  await rm(folder, { recursive: true });
});

test('a range of many rows leaves turns of the event loop to others, and shows the rows as of one moment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-reads-'));
  const tables = await filled(folder);
  await writeAll(tables, inRange);
  const expected = Array.from({ length: ROWS }, (_, at) => ({ at, type: `${at}` }));
  for (const reverse of [false, true]) {
    const { turns } = await countTurns(() => tables.range(rows, alice, { limit: ROWS, reverse }));
    assert.ok(turns >= RANGE_STEPS_MIN, `${turns} turns`);
    const reading = tables.range(rows, alice, { limit: ROWS, reverse });
    // Rows at both ends change while the range is decoded.
    const changes = [0, ROWS - 1].map((at) => put(rows, rowKey(at), event('changed')));
    await tables.write([...changes, put(rows, rowKey(ROWS), event('new'))]);
    assert.deepEqual(
      (await reading).map(({ key, value }) => ({ at: key.at, type: value.type })),
      reverse ? expected.toReversed() : expected,
    );
    await tables.write([...inRange.slice(0, 1), ...inRange.slice(-1), remove(rows, rowKey(ROWS))]);
  }
  await tables.close();
  await rm(folder, { recursive: true });
});

test('a read of many rows is refused if the store is closed meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-reads-'));
  const tables = await filled(folder);
  await writeAll(tables, inRange);
  const reading = assert.rejects(tables.getMany(others, keys), Unavailable);
  const ranging = assert.rejects(tables.range(rows, alice, { limit: ROWS }), Unavailable);
  await Promise.all([reading, ranging, tables.close()]);
  await rm(folder, { recursive: true });
});
