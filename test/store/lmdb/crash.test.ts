import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../actors/runtime/system.js';
import { type Device, disk } from '../../../store/lmdb/device.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import { contractTables, event, others } from '../../contract/contract-tables.js';
import { CrashedFolders, type CrashState, RecordingDevice } from '../../kit/actors/recording-device.js';

const clock = systemClock;
const log = { info: () => {}, warn: () => {}, error: () => {} };
const open = (folder: string, device: Device, checkpointBytes: number) =>
  LmdbTables.open({ folder, clock, log, device, checkpointBytes, tables: contractTables });
const fresh = () => mkdtemp(join(tmpdir(), 'murmuration-crash-'));

const KEYS = 6;
const key = (part: number) => ({ owner: 'a', part });
/** The value of a row that was never written, or was removed. */
const GONE = -1;

/** Returns the effect of a write: two rows change together, one of which may be removed. */
function change(number: number): ReadonlyMap<number, number> {
  const [one, other] = [number % KEYS, (number * 5 + 1) % KEYS];
  return new Map([
    [one, number],
    [other, number % 3 === 0 ? GONE : number],
  ]);
}

function rowsOf(number: number, extraBytes: number): RowWrite[] {
  return [...change(number)].map(([part, value]) =>
    value === GONE ? remove(others, key(part)) : put(others, key(part), event(`${value}`, Buffer.alloc(extraBytes))),
  );
}

/** Returns the rows after each number of writes. */
function expectedStates(writes: number): string[] {
  const rows = Array.from({ length: KEYS }, () => GONE);
  const states = [rows.join()];
  for (let number = 0; number < writes; number++) {
    for (const [part, value] of change(number)) rows[part] = value;
    states.push(rows.join());
  }
  return states;
}

async function stateOf(tables: LmdbTables): Promise<string> {
  const found = await tables.getMany(
    others,
    Array.from({ length: KEYS }, (_, part) => key(part)),
  );
  return found.map((row) => row?.type ?? GONE).join();
}

/** Writes from the number `first` on, some at a time, like one process. */
async function write(tables: LmdbTables, device: RecordingDevice, first: number, end: number): Promise<void> {
  for (let number = first; number < end; ) {
    const together = 1 + (number % 3);
    const group: Promise<void>[] = [];
    for (; group.length < together && number < end; number++) {
      const acknowledged = number + 1;
      group.push(
        tables.write(rowsOf(number, (number * 37) % 200)).then(() => {
          device.acknowledged = acknowledged;
          device.note();
        }),
      );
    }
    await Promise.all(group);
  }
}

/** Opens what a crash left; returns the number of writes in it: all acknowledged ones, and none in part. */
async function writesIn(folder: string, device: Device, crash: CrashState, states: readonly string[]): Promise<number> {
  const tables = await open(folder, device, 700);
  try {
    const found = states.lastIndexOf(await stateOf(tables));
    assert.ok(found >= crash.acknowledged, `${found} of ${crash.acknowledged} acknowledged writes, ${crash.name}`);
    return found;
  } finally {
    await tables.close();
  }
}

/** Judges every possible crash of a recording; returns the number of states. */
async function judge(
  folders: CrashedFolders,
  device: RecordingDevice,
  visit: (folder: string, crash: CrashState) => Promise<void>,
): Promise<number> {
  const crashes = device.crashStates();
  for (const crash of crashes) {
    const folder = await folders.make(crash);
    try {
      await visit(folder, crash);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  await folders.remove();
  return crashes.length;
}

/** Records a store from an empty folder to its closing. `between` may wrap the device. */
async function live(writes: number, between: (device: RecordingDevice) => Device = (device) => device) {
  const folder = await fresh();
  const device = new RecordingDevice();
  const folders = await CrashedFolders.from(folder);
  const tables = await open(folder, between(device), 700);
  await write(tables, device, 0, writes);
  await tables.close();
  await rm(folder, { recursive: true });
  return { device, folders };
}

test('a crash at any write to the disk, whole or torn, leaves every acknowledged write and none in part', async () => {
  const writes = 24;
  const states = expectedStates(writes);
  const { device, folders } = await live(writes);
  const judged = await judge(
    folders,
    device,
    async (folder, crash) => void (await writesIn(folder, disk, crash, states)),
  );
  assert.ok(judged > 150, `${judged} states`);
});

test('a crash at any write of the start after a crash does not bring older rows back', async () => {
  const writes = 24;
  const states = expectedStates(writes);
  const { device, folders } = await live(writes);
  let second = 0;
  await judge(folders, device, async (folder, crash) => {
    // Torn writes were judged above; here each life ends between writes.
    if (crash.name.includes('[')) return;
    const again = new RecordingDevice();
    const copies = await CrashedFolders.from(folder);
    await writesIn(folder, again, crash, states);
    const { acknowledged } = crash;
    second += await judge(copies, again, async (copy, { name, steps }) => {
      const where = { name: `${crash.name} then ${name}`, steps, acknowledged };
      await writesIn(copy, disk, where, states);
    });
  });
  assert.ok(second > 40, `${second} states`);
});

/** Returns numbers that a seed determines. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

test('each life after a crash continues from the acknowledged writes', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = randomOf(seed);
    const states = expectedStates(200);
    let [folder, first] = [await fresh(), 0];
    for (let life = 0; life < 8; life++) {
      const device = new RecordingDevice();
      device.acknowledged = first;
      const folders = await CrashedFolders.from(folder);
      const tables = await open(folder, device, 300 + random(900));
      const found = await stateOf(tables);
      // The write under way at the crash may have happened: continue after it.
      for (first = Math.min(first + 3, 199); states[first] !== found; first--) assert.ok(first > 0, `seed ${seed}`);
      assert.ok(first >= device.acknowledged, `seed ${seed}: ${first} of ${device.acknowledged}`);
      await write(tables, device, first, first + 1 + random(20));
      await tables.close();
      const crashes = device.crashStates();
      const crash = crashes[random(crashes.length)] as CrashState;
      await rm(folder, { recursive: true });
      folder = await folders.make(crash);
      await folders.remove();
      first = crash.acknowledged;
    }
    await rm(folder, { recursive: true });
  }
});

test('this test detects a store that does not record which logs LMDB has', async () => {
  const forgetful = (device: RecordingDevice): Device => ({
    openLog: device.openLog,
    commit: (root, changes) =>
      device.commit(
        root,
        changes.filter(({ key: text }) => text.toString() !== 'completed_log'),
      ),
  });
  const states = expectedStates(12);
  const { device, folders } = await live(12, forgetful);
  await assert.rejects(
    judge(folders, device, async (folder, crash) => void (await writesIn(folder, disk, crash, states))),
  );
});
