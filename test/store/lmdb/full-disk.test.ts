import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Unavailable } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { tied } from '../../../cluster/local/process.js';
import { Journal } from '../../../store/journal.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put } from '../../../store/port.js';
import { contractTables, event, others } from '../../contract/contract-tables.js';

const run = promisify(execFile);
const clock = systemClock;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** File size limit of a process that ignores SIGXFSZ: it looks like a full disk to LMDB. */
const LIMIT_BYTES = 4 * 2 ** 20;

const big = () => event('big', Buffer.alloc(2_000, 1));
/** An append larger than the round of writes that filled the disk, so that the rest cannot take it. */
const many = Array.from({ length: 128 }, () => ({ atMs: 1, events: [event('huge', Buffer.alloc(7_000, 2))] }));

test('on a full disk writes are refused whole, reads continue, and writes work again when there is space', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-full-'));
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const tables = await LmdbTables.open({
    folder,
    clock,
    log: { info: note, warn: note, error: note },
    tables: contractTables,
  });
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  try {
    await run('prlimit', ['--pid', `${process.pid}`, `--fsize=${LIMIT_BYTES}:unlimited`]);
    const { kept, refused } = await fill(tables);
    assert.ok(kept.length > 100, `${kept.length} rows were kept`);
    assert.equal(refused.length, 64);
    for (const part of kept) assert.ok(await tables.get(others, { owner: 'a', part }));
    for (const part of refused) {
      assert.equal(await tables.get(others, { owner: 'a', part }), undefined);
      assert.equal(await tables.get(others, { owner: 'b', part }), undefined);
    }
    await assert.rejects(new Journal(tables).append('account/1', 0, 1, many), Unavailable);
    const left = await new Journal(tables).read('account/1', 0, 1).next();
    assert.equal(left.done, true, 'nothing of the refused append is there');
    assert.equal(logged.length, 1, 'one line for the outage');
    assert.match(logged[0] ?? '', /the store cannot write/);

    await run('prlimit', ['--pid', `${process.pid}`, '--fsize=unlimited:unlimited']);
    await new Journal(tables).append('account/1', 0, 1, many);
    assert.match(logged[1] ?? '', /takes writes again/);
    await tables.close();
    const reopened = await LmdbTables.open({ folder, clock, log: quiet, tables: contractTables });
    for (const part of kept) assert.ok(await reopened.get(others, { owner: 'a', part }));
    for (const part of refused) assert.equal(await reopened.get(others, { owner: 'a', part }), undefined);
    await reopened.close();
  } finally {
    await run('prlimit', ['--pid', `${process.pid}`, '--fsize=unlimited:unlimited']);
    process.off('SIGXFSZ', ignore);
    await tables.close();
    await rm(folder, { recursive: true });
  }
});

test('a folder that a store holds is refused to a second one, in this process and in another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-lock-'));
  const open = () => LmdbTables.open({ folder, clock, log: quiet, tables: contractTables });
  const holder = await open();
  await assert.rejects(open(), /is in use by another process/);
  await holder.close();
  const module = new URL('../../../store/lmdb/lmdb-tables.js', import.meta.url).href;
  const script = `const { LmdbTables } = await import(${JSON.stringify(module)});
    const log = { info() {}, warn() {}, error() {} };
    await LmdbTables.open({ folder: ${JSON.stringify(folder)}, clock: { nowMs: () => 0 }, log });
    console.log('open'); setInterval(() => {}, 1000);`;
  const child = spawn(...tied(process.execPath, ['--input-type=module', '-e', script]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await assert.rejects(open(), Unavailable);
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
  // Nothing remains that would block the next one.
  await (await open()).close();
  await rm(folder, { recursive: true });
});

/** Writes pairs of rows, 64 pairs at a time, until a round is refused. */
async function fill(tables: LmdbTables): Promise<{ kept: number[]; refused: number[] }> {
  const kept: number[] = [];
  for (let first = 0; first < 20_000; first += 64) {
    const parts = Array.from({ length: 64 }, (_, n) => first + n);
    const outcomes = await Promise.allSettled(
      parts.map((part) => tables.write(['a', 'b'].map((owner) => put(others, { owner, part }, big())))),
    );
    const refused = parts.filter((_, n) => outcomes[n]?.status === 'rejected');
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Unavailable);
    }
    if (refused.length > 0) return { kept, refused };
    kept.push(...parts);
  }
  throw new Error('the disk never became full');
}
