import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable, WriteRefused } from '../../../actors/domain/problem.js';
import { CommitQueue } from '../../../store/lmdb/commit-queue.js';
import type { Change, HeldTable } from '../../../store/lmdb/overlay.js';
import { pacingOn } from '../../../store/pacing.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const pacing = pacingOn(new VirtualClock());
const table = { name: 'things', index: 0 } as HeldTable;
const change = (name: string): Change => ({ table, key: Buffer.from(name), bytes: Buffer.from('x') });

/** Records what reaches the disk, group by group; the test answers each write. */
function world() {
  const groups: string[][] = [];
  const answers: (() => void)[] = [];
  const write = (changes: readonly Change[]) => {
    groups.push(changes.map(({ key }) => key.toString()));
    return new Promise<void>((resolve) => answers.push(resolve));
  };
  const queue = new CommitQueue({ isDue: false, show: () => {}, write }, pacing);
  const commit = (name: string) => queue.commit([change(name)]);
  return { groups, answers, queue, commit };
}

/** Runs `then` in an immediate of the same phase of the event loop, like an actor's turn. */
const inImmediate = <T>(then: () => T | Promise<T>) =>
  new Promise<T>((resolve, reject) => {
    setImmediate(() => Promise.resolve().then(then).then(resolve, reject));
  });

test('a write to an idle disk starts before anything else of the event loop, with all writes of its turn', async () => {
  const { groups, answers, commit } = world();
  const both = inImmediate(async () => {
    const first = commit('a');
    await Promise.resolve();
    return Promise.all([first, commit('b')]);
  });
  const seen = await new Promise<string[][]>((resolve) => setImmediate(() => resolve(structuredClone(groups))));
  assert.deepEqual(seen, [['a', 'b']], 'the next immediate of the same phase finds them written');
  answers[0]?.();
  await both;
});

test('writes of turns that a finished group caused share the next group', async () => {
  const { groups, answers, commit } = world();
  // Like effects of stored events: after some promises they activate actors, who write in their turns.
  const effects = async (name: string) => {
    await commit(name);
    for (let depth = 0; depth < 20; depth++) await Promise.resolve();
    const turns = [`${name}1`, `${name}2`].map((effect) => inImmediate(() => commit(effect)));
    // Rows that are written before the turns must wait for the writes of those turns.
    const rows = commit(`${name}0`);
    await Promise.all([rows, ...turns]);
  };
  const all = effects('a');
  await inImmediate(() => {});
  assert.deepEqual(groups, [['a']]);
  answers[0]?.();
  await inImmediate(() => {});
  await inImmediate(() => {});
  assert.deepEqual(groups.slice(1), [['a0', 'a1', 'a2']]);
  answers[1]?.();
  await all;
  assert.equal(groups.length, 2);
});

test('writes during a running group share the next one', async () => {
  const { groups, answers, queue, commit } = world();
  const all = [commit('a')];
  await inImmediate(() => {});
  for (const name of ['b', 'c', 'd']) all.push(inImmediate(() => commit(name)));
  await inImmediate(() => {});
  await inImmediate(() => {});
  assert.deepEqual(groups, [['a']]);
  answers[0]?.();
  await inImmediate(() => {});
  await inImmediate(() => {});
  assert.deepEqual(groups.slice(1), [['b', 'c', 'd']]);
  assert.equal(queue.idle, false);
  answers[1]?.();
  await Promise.all(all);
  await queue.whenIdle();
});

test('a write with an unreported outcome is in doubt, and one that the disk refuses is refused', async () => {
  const errors = [new Unavailable('EIO'), new Error('ENOSPC')];
  const queue = new CommitQueue({ isDue: false, show: () => {}, write: () => Promise.reject(errors.shift()) }, pacing);
  const outcome = () => queue.commit([change('a')]).catch((error: unknown) => error);
  const [doubtful, refused] = [await outcome(), await outcome()];
  assert.ok(doubtful instanceof Unavailable && !(doubtful instanceof WriteRefused));
  assert.ok(refused instanceof WriteRefused);
});
