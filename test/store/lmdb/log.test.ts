import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Unavailable, WriteRefused } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { type Device, disk } from '../../../store/lmdb/device.js';
import { type LmdbOptions, LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put, remove } from '../../../store/port.js';
import type { StoreLog } from '../../../store/store-log.js';
import { brief, contractTables, event, others, rows } from '../../contract/contract-tables.js';
import { journalContract } from '../../contract/journal-contract.js';
import { reopened } from '../../contract/reopened.js';
import { tablesContract } from '../../contract/tables-contract.js';
import { until } from '../../kit/time/until.js';

const run = promisify(execFile);
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const clock = systemClock;
/** Small, so that nearly each write finds rows that are being copied from the log into LMDB. */
const SMALL = 2_000;

const at = (folder: string, checkpointBytes?: number, log: StoreLog = quiet) =>
  LmdbTables.open({ folder, clock, log, tables: contractTables, ...(checkpointBytes && { checkpointBytes }) });

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const start = () => at(folder, SMALL);
  return reopened(await start(), start, () => rm(folder, { recursive: true }), 100);
}
tablesContract('lmdb, rows on their way', opened);
journalContract('lmdb, rows on their way', opened);

/** Copies the folder of an open store: its contents as if the process ended without closing. */
async function copied(folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'murmuration-copy-'));
  await cp(folder, copy, { recursive: true });
  return copy;
}

const number = (part: number) => ({ owner: 'a', part });

async function partsIn(folder: string, upTo: number): Promise<number[]> {
  const tables = await at(folder);
  const found: number[] = [];
  for (let part = 0; part < upTo; part++) if (await tables.get(others, number(part))) found.push(part);
  await tables.close();
  return found;
}

test('writes acknowledged before a process ended without closing are there, removed rows are not', async () => {
  for (const checkpointBytes of [undefined, SMALL, 20_000]) {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
    const tables = await at(folder, checkpointBytes);
    for (let part = 0; part < 200; part++) {
      await tables.write([put(others, number(part), event(`no ${part}`, Buffer.alloc(part)))]);
      if (part % 3 === 2) await tables.write([remove(others, number(part - 1))]);
    }
    const copy = await copied(folder);
    const expected = Array.from({ length: 200 }, (_, part) => part).filter((part) => part % 3 !== 1 || part === 199);
    assert.deepEqual(await partsIn(copy, 200), expected);
    assert.deepEqual(await partsIn(copy, 200), expected, 'and once more');
    await tables.close();
    await Promise.all([folder, copy].map((name) => rm(name, { recursive: true })));
  }
});

test('a log that ends in the middle of a write has all writes before it, and accepts new ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const tables = await at(folder);
  for (let part = 0; part < 20; part++) await tables.write([put(others, number(part), event('a', Buffer.alloc(100)))]);
  const { size } = await stat(join(folder, 'writes-a.log'));
  for (let cut = 1; cut < size; cut += 173) {
    const copy = await copied(folder);
    const log = await open(join(copy, 'writes-a.log'), 'r+');
    await log.truncate(size - cut);
    await log.close();
    const found = await partsIn(copy, 20);
    assert.deepEqual(found, [...found.keys()], 'a beginning of what was written');
    assert.ok(found.length < 20);
    const again = await at(copy);
    await again.write([put(others, number(19), event('b'))]);
    const third = await copied(copy);
    assert.deepEqual(await partsIn(third, 20), [...found, 19]);
    await again.close();
    await Promise.all([copy, third].map((name) => rm(name, { recursive: true })));
  }
  await tables.close();
  await rm(folder, { recursive: true });
});

/** Creates a store whose process ended after 20 writes, all of them in the first log. */
async function crashed(checkpointBytes?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const tables = await at(folder, checkpointBytes);
  for (let part = 0; part < 20; part++) await tables.write([put(others, number(part), event('a', Buffer.alloc(100)))]);
  const copy = await copied(folder);
  await tables.close();
  await rm(folder, { recursive: true });
  return copy;
}

test('a log that is damaged before its last write stops the start, which changes neither file', async () => {
  const folder = await crashed();
  const path = join(folder, 'writes-a.log');
  const whole = await readFile(path);
  for (const position of [0, 8, 30, 700, 1_500]) {
    const damaged = Buffer.from(whole);
    damaged[position] = (damaged[position] as number) ^ 0x10;
    await writeFile(path, damaged);
    await assert.rejects(
      at(folder),
      /^Error: the write log .*writes-a\.log is damaged: .* No file was changed\. Restore/,
    );
    assert.deepEqual(await readFile(path), damaged);
  }
  await writeFile(path, whole);
  assert.equal((await partsIn(folder, 20)).length, 20);
  await rm(folder, { recursive: true });
});

test('an older log that lacks its last write stops the start when a newer one follows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  let isFull = false;
  const commit: Device['commit'] = async (...transaction) => {
    if (isFull) throw new Error('LMDB takes nothing');
    await disk.commit(...transaction);
  };
  const device = { ...disk, commit };
  const tables = await LmdbTables.open({
    folder,
    clock,
    log: quiet,
    tables: contractTables,
    checkpointBytes: SMALL,
    device,
  });
  isFull = true;
  for (let part = 0; part < 20; part++) await tables.write([put(others, number(part), event('a', Buffer.alloc(100)))]);
  const copy = await copied(folder);
  isFull = false;
  await tables.close();
  const sizes = await Promise.all(
    ['writes-a.log', 'writes-b.log'].map(async (name) => (await stat(join(copy, name))).size),
  );
  assert.ok(Math.min(...sizes) > 100, `both logs have writes: ${sizes}`);
  const path = join(copy, 'writes-a.log');
  const whole = await readFile(path);
  await writeFile(path, whole.subarray(0, -1));
  await assert.rejects(at(copy), /the write log in .* is damaged: writes before log 2 are missing/);
  await writeFile(path, Buffer.alloc(0));
  await assert.rejects(at(copy), /writes before log 2 are missing/);
  await writeFile(path, whole);
  assert.equal((await partsIn(copy, 20)).length, 20);
  await Promise.all([folder, copy].map((name) => rm(name, { recursive: true })));
});

test('a log of another store stops the start', async () => {
  const [folder, other] = await Promise.all([crashed(), crashed()]);
  await cp(join(other, 'writes-a.log'), join(folder, 'writes-b.log'));
  await assert.rejects(at(folder), /writes-b\.log is damaged: the bytes at 0 do not belong to this store/);
  await Promise.all([folder, other].map((name) => rm(name, { recursive: true })));
});

const O_DSYNC = 0o10_000;

/** Returns the flags with which this process has the logs open, from the kernel. */
async function logFlags(folder: string): Promise<number[]> {
  const flags: number[] = [];
  for (const fd of await readdir('/proc/self/fd')) {
    const path = await readlink(`/proc/self/fd/${fd}`).catch(() => '');
    if (!path.startsWith(folder) || !path.endsWith('.log')) continue;
    const info = await readFile(`/proc/self/fdinfo/${fd}`, 'utf8');
    flags.push(Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8));
  }
  return flags;
}

test('both logs are open so that a write is on the disk when it returns', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const tables = await at(folder);
  const flags = await logFlags(folder);
  assert.equal(flags.length, 2);
  for (const each of flags) assert.equal(each & O_DSYNC, O_DSYNC);
  await tables.close();
  await rm(folder, { recursive: true });
});

test('a log that is open without O_DSYNC is detected', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const handle = await open(join(folder, 'writes-a.log'), 'w+');
  const flags = await logFlags(folder);
  assert.equal(flags.length, 1);
  assert.equal((flags[0] as number) & O_DSYNC, 0);
  await handle.close();
  await rm(folder, { recursive: true });
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('other users cannot read the store, also when an earlier start let them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const store = join(folder, 'made', 'store');
  const names = ['data.mdb', 'lock.mdb', 'writes-a.log', 'writes-b.log'];
  const usual = process.umask(0);
  try {
    for (const round of ['new', 'opened again']) {
      const tables = await at(store);
      await tables.write([put(others, number(1), event('secret'))]);
      assert.deepEqual((await readdir(store)).sort(), names, round);
      assert.equal(await modeOf(join(folder, 'made')), 0o700, round);
      assert.equal(await modeOf(store), 0o700, round);
      for (const name of names) assert.equal(await modeOf(join(store, name)), 0o600, `${name} ${round}`);
      await tables.close();
      await chmod(store, 0o755);
      for (const name of names) await chmod(join(store, name), 0o666);
    }
  } finally {
    process.umask(usual);
  }
  await rm(folder, { recursive: true });
});

test('a store that was closed has all its rows in LMDB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const tables = await at(folder);
  for (let part = 0; part < 50; part++) await tables.write([put(others, number(part), event('a'))]);
  await tables.close();
  for (const name of await readdir(folder)) if (name.endsWith('.log')) await rm(join(folder, name));
  assert.equal((await partsIn(folder, 50)).length, 50);
  await rm(folder, { recursive: true });
});

test('rows expire both in the log and in LMDB', async () => {
  let nowMs = 1_000_000;
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const moving: LmdbOptions['clock'] = { nowMs: () => nowMs, after: (ms, callback) => clock.after(ms, callback) };
  const options = { folder, clock: moving, log: quiet, tables: contractTables, checkpointBytes: SMALL };
  const tables = await LmdbTables.open(options);
  for (let index = 0; index < 100; index++) await tables.write([put(brief, { owner: 'a', at: index }, event('a'))]);
  assert.equal((await tables.range(brief, { owner: 'a' }, { limit: 500 })).length, 100);
  nowMs += 3_000;
  await tables.write([put(brief, { owner: 'a', at: 50 }, event('b'))]);
  assert.deepEqual(
    (await tables.range(brief, { owner: 'a' }, { limit: 500 })).map(({ key }) => key.at),
    [50],
  );
  await tables.close();
  await rm(folder, { recursive: true });
});

test('while LMDB refuses rows they stay readable and durable, and writes are refused once the log is full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  const tables = await at(folder, 200_000, { info: note, warn: note, error: note });
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  try {
    // LMDB's file is larger than either log may become.
    for (let part = 0; part < 900; part++)
      await tables.write([put(others, number(part), event('a', Buffer.alloc(900)))]);
    const { size } = await stat(join(folder, 'data.mdb'));
    assert.ok(size > 500_000, `${size} bytes`);
    await run('prlimit', ['--pid', `${process.pid}`, `--fsize=${size}:unlimited`]);
    let taken = 900;
    await assert.rejects(async () => {
      for (; taken < 5_000; taken++) await tables.write([put(rows, row(taken), event('b', Buffer.alloc(900)))]);
    }, Unavailable);
    assert.ok(taken > 1_000, `${taken} rows were taken`);
    const all = async (from: LmdbTables) =>
      (await from.range(rows, { owner: 'a', part: 1 }, { limit: 5_000 })).map(({ key }) => key.at);
    const expected = Array.from({ length: taken - 900 }, (_, index) => 900 + index);
    assert.deepEqual(await all(tables), expected);
    assert.equal(said.length, 1, said.join());

    const copy = await copied(folder);
    await run('prlimit', ['--pid', `${process.pid}`, '--fsize=unlimited:unlimited']);
    const other = await at(copy);
    assert.deepEqual(await all(other), expected);
    await other.close();
    await rm(copy, { recursive: true });

    await tables.write([put(rows, row(taken), event('c'))]);
    await until('the store says that it writes again', async () => said.length === 2 || undefined, 5_000);
    assert.match(said[1] ?? '', /takes writes again/);
    assert.deepEqual(await all(tables), [...expected, taken]);
  } finally {
    await run('prlimit', ['--pid', `${process.pid}`, '--fsize=unlimited:unlimited']);
    process.off('SIGXFSZ', ignore);
    await tables.close();
    await rm(folder, { recursive: true });
  }
});

const row = (at: number) => ({ owner: 'a', part: 1, word: 'w', at, item: '1' });

test('a deferred write is read at once, also while older ones of the same row wait for the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const tables = await at(folder, SMALL);
  const underWay: Promise<void>[] = [];
  for (let turn = 0; turn < 300; turn++) {
    const [key, text] = [number(turn % 5), `turn ${turn}`];
    const isDeferred = turn % 3 !== 0;
    const written = tables.write([put(others, key, event(text, Buffer.alloc(50)))], { deferred: isDeferred });
    if (isDeferred) {
      await written;
      assert.equal((await tables.get(others, key))?.type, text);
    } else underWay.push(written);
  }
  await Promise.all(underWay);
  for (let part = 0; part < 5; part++)
    assert.equal((await tables.get(others, number(part)))?.type, `turn ${295 + part}`);
  await tables.close();
  const again = await at(folder);
  for (let part = 0; part < 5; part++)
    assert.equal((await again.get(others, number(part)))?.type, `turn ${295 + part}`);
  await again.close();
  await rm(folder, { recursive: true });
});

test('when a write is durable all earlier deferred ones are, at any end of the process', async () => {
  for (const checkpointBytes of [undefined, SMALL, 20_000]) {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
    const tables = await at(folder, checkpointBytes);
    let durable = -1;
    for (let part = 0; part < 120; part++) {
      const isDeferred = part % 7 !== 0;
      const written = tables.write([put(others, number(part), event('a', Buffer.alloc(100)))], {
        deferred: isDeferred,
      });
      if (isDeferred) continue;
      await written;
      durable = part;
      if (part % 21 !== 0) continue;
      const copy = await copied(folder);
      const found = await partsIn(copy, 120);
      assert.deepEqual(found, [...found.keys()], 'a beginning of what was written');
      assert.ok(found.length > durable, `${found.length} of ${durable + 1}`);
      await rm(copy, { recursive: true });
    }
    await tables.close();
    await rm(folder, { recursive: true });
  }
});

test('deferred writes that the disk refused stay readable and go with the next write', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-log-'));
  const tables = await at(folder);
  await tables.write([put(others, number(0), event('a', Buffer.alloc(3_000)))]);
  const { size } = await stat(join(folder, 'writes-a.log'));
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  try {
    await run('prlimit', ['--pid', `${process.pid}`, `--fsize=${size}:unlimited`]);
    await tables.write([put(others, number(1), event('deferred'))], { deferred: true });
    await assert.rejects(tables.write([put(others, number(2), event('awaited'))]), Unavailable);
    await assert.rejects(tables.write([put(others, number(3), event('late'))], { deferred: true }), Unavailable);
    assert.equal((await tables.get(others, number(1)))?.type, 'deferred');
    assert.equal(await tables.get(others, number(2)), undefined);
    assert.equal(await tables.get(others, number(3)), undefined);
  } finally {
    await run('prlimit', ['--pid', `${process.pid}`, '--fsize=unlimited']);
    process.off('SIGXFSZ', ignore);
  }
  await tables.write([put(others, number(2), event('again'))]);
  const copy = await copied(folder);
  assert.deepEqual(await partsIn(copy, 5), [0, 1, 2]);
  await tables.close();
  await Promise.all([folder, copy].map((name) => rm(name, { recursive: true })));
});

test('a write that the disk stores but reports as failed is in doubt: a later process may find it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-doubt-'));
  let failing: string | undefined;
  const device: Device = {
    ...disk,
    async openLog(path, flags) {
      const file = await disk.openLog(path, flags);
      const write = async (bytes: Buffer, length: number, position: number) => {
        const refused = failing === 'ENOSPC';
        const written = refused ? 0 : await file.write(bytes, length, position);
        if (failing !== undefined) throw Object.assign(new Error(failing), { code: failing });
        return written;
      };
      return { readAll: () => file.readAll(), close: () => file.close(), write };
    },
  };
  const tables = await LmdbTables.open({ folder, clock, log: quiet, tables: contractTables, device });
  const write = (part: number) => tables.write([put(others, { owner: 'a', part }, event('x', Buffer.alloc(3)))]);
  await write(1);
  failing = 'ENOSPC';
  await assert.rejects(write(2), WriteRefused);
  failing = 'EIO';
  await assert.rejects(write(3), (error) => error instanceof Unavailable && !(error instanceof WriteRefused));
  const copy = await copied(folder);
  const found = await at(copy);
  const has = async (part: number) => (await found.get(others, { owner: 'a', part })) !== undefined;
  assert.deepEqual([await has(1), await has(2), await has(3)], [true, false, true]);
  failing = undefined;
  for (const one of [found, tables]) await one.close();
  for (const one of [folder, copy]) await rm(one, { recursive: true });
});
