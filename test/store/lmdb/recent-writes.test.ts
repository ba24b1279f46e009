import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyLayout } from '../../../store/keys.js';
import { SLICE_CHANGES } from '../../../store/lmdb/checkpoint.js';
import { CommitQueue } from '../../../store/lmdb/commit-queue.js';
import type { Change, HeldTable } from '../../../store/lmdb/overlay.js';
import { RecentWrites } from '../../../store/lmdb/recent-writes.js';
import type { WriteLog } from '../../../store/lmdb/write-log.js';
import { pacingOn } from '../../../store/pacing.js';
import { cursors } from '../../../store/tables.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const layout = new KeyLayout(cursors);
const table: HeldTable = { name: cursors.name, index: 0, layout, db: undefined as never };
const change = (name: string): Change => ({ table, key: layout.key({ actor: name }), bytes: Buffer.from(name) });

const CHECKPOINT_BYTES = 40;
const ROW_BYTES = 20;
const inTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A store's log and LMDB, which record the values that reach them. The disk takes a turn of the event loop. */
function world() {
  const logged = new Set<string>();
  const early: string[] = [];
  let [bytes, number, copies] = [0, 1, 0];
  let isFull = false;
  const log = {
    get bytes() {
      return bytes;
    },
    append: async (changes: readonly Change[]) => {
      await inTurn();
      if (isFull) throw new Error('ENOSPC');
      for (const one of changes) logged.add(String(one.bytes));
      bytes += changes.length * ROW_BYTES;
    },
    turnOver: () => {
      bytes = 0;
      return number++;
    },
  };
  const pacing = pacingOn(new VirtualClock());
  const bringIn: ConstructorParameters<typeof RecentWrites>[0]['bringIn'] = async (overlay) => {
    for (const one of [...overlay.parts(SLICE_CHANGES)].flat())
      if (!logged.has(String(one.bytes))) early.push(String(one.bytes));
    await inTurn();
    copies += 1;
  };
  const recent = new RecentWrites({ bringIn }, log as unknown as WriteLog, () => {}, CHECKPOINT_BYTES, pacing);
  const queue = new CommitQueue(recent, pacing);
  const fill = (full: boolean) => {
    isFull = full;
  };
  return { queue, recent, logged, early, fill, copies: () => copies };
}

test('a row that readers see before it is in the log is not copied into LMDB before it is in the log', async () => {
  const { queue, early, copies, logged } = world();
  for (let index = 0; index < 60; index++) {
    const name = `row ${index}`;
    if (!queue.defer([change(name)])) await queue.commit([change(name)]);
    if (index % 3 === 0) await inTurn();
  }
  await queue.whenIdle();
  assert.deepEqual(early, []);
  assert.equal(logged.size, 60);
  assert.ok(copies() > 5, `rows were copied ${copies()} times only, although each write was seen before it was logged`);
});

test('rows that a full disk has refused are not copied into LMDB when the store closes', async () => {
  const { queue, recent, early, fill } = world();
  await queue.commit([change('before')]);
  assert.equal(queue.defer([change('seen, and refused')]), true);
  fill(true);
  await queue.whenIdle();
  await recent.settle();
  assert.deepEqual(early, []);
});
