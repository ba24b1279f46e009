import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable, WriteRefused } from '../../actors/domain/problem.js';
import { CommitQueue } from '../../store/lmdb/commit-queue.js';
import type { Change, HeldTable } from '../../store/lmdb/overlay.js';

const table = { name: 'things', index: 0 } as HeldTable;
const change = (name: string): Change => ({ table, key: Buffer.from(name), bytes: Buffer.from('x') });

/** What reaches the disk, group by group; each is there when it is answered. */
function world() {
  const groups: string[][] = [];
  const answers: (() => void)[] = [];
  const queue = new CommitQueue({
    show: () => {},
    write: (changes) => {
      groups.push(changes.map(({ key }) => key.toString()));
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  const commit = (name: string) => queue.commit([change(name)]);
  return { groups, answers, queue, commit };
}

/** Within one phase of the event loop: `then` runs in an immediate, as an actor's turn does. */
const inImmediate = <T>(then: () => T | Promise<T>) =>
  new Promise<T>((resolve, reject) => {
    setImmediate(() => Promise.resolve().then(then).then(resolve, reject));
  });

test('what finds the disk idle is on its way before anything else of the event loop, with all that came with it', async () => {
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

test('what the turns write that a finished group made due shares the next group, and is not a group later', async () => {
  const { groups, answers, commit } = world();
  // As the effects of what was stored do: some promises later they wake actors, who write in their turns.
  const effects = async (name: string) => {
    await commit(name);
    for (let depth = 0; depth < 20; depth++) await Promise.resolve();
    const turns = [`${name}1`, `${name}2`].map((effect) => inImmediate(() => commit(effect)));
    // Rows that are written before the turns must not leave without what those write.
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

test('while a group is on its way all others gather in one', async () => {
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

test('a write whose outcome the disk does not tell is in doubt, and one that it refuses is refused', async () => {
  const errors = [new Unavailable('EIO'), new Error('ENOSPC')];
  const queue = new CommitQueue({ show: () => {}, write: () => Promise.reject(errors.shift()) });
  const outcome = () => queue.commit([change('a')]).catch((error: unknown) => error);
  const [doubtful, refused] = [await outcome(), await outcome()];
  assert.ok(doubtful instanceof Unavailable && !(doubtful instanceof WriteRefused));
  assert.ok(refused instanceof WriteRefused);
});
