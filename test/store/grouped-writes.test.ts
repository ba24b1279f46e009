import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GroupedWrites, type SendGroup, type Unit, WAIT_MS_MAX } from '../../store/cassandra/grouped-writes.js';
import { pacingOn } from '../../store/pacing.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

const unit = (name: string, bytes = 100, partition = name): Unit => ({
  statements: [{ query: name, params: [] }],
  partition,
  rows: [name],
  bytes,
});

const limits = { partitions: 10, bytes: 4_000 };

class Mistake extends Error {}

/** Records groups as they are sent, by their queries; the test answers each. */
function world() {
  const clock = new VirtualClock();
  const sent: string[][] = [];
  const answers: ((error?: Error) => void)[] = [];
  const send: SendGroup = (statements) => {
    sent.push(statements.map(({ query }) => query));
    return new Promise((resolve, reject) => {
      answers.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  };
  const writes = new GroupedWrites(send, limits, (error) => error instanceof Mistake, pacingOn(clock));
  const turn = () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));
  return { sent, answers, writes, turn, clock };
}

test('writes of one turn share a request, from all callers', async () => {
  const { sent, answers, writes, turn } = world();
  const both = [writes.write([unit('a'), unit('b')]), writes.write([unit('c')])];
  await turn();
  assert.deepEqual(sent, [['a', 'b', 'c']]);
  answers[0]?.();
  await Promise.all(both);
});

test('while a request is under way the next group is collected, and a full one does not wait', async () => {
  const { sent, answers, writes, turn } = world();
  const all = [writes.write([unit('first')])];
  await turn();
  const names = Array.from({ length: limits.partitions + 1 }, (_, index) => `p${index}`);
  for (const name of names) all.push(writes.write([unit(name)]));
  assert.deepEqual(sent, [['first'], names.slice(0, limits.partitions)]);
  all.push(writes.write([unit('large', limits.bytes + 1)]), writes.write([unit('last')]));
  assert.deepEqual(sent.slice(2), [[names.at(-1)], ['large']]);
  for (const answer of answers) answer();
  await turn();
  assert.deepEqual(sent.slice(4), [['last']]);
  for (const answer of answers) answer();
  await Promise.all(all);
});

test('rows with the same partition key count as one partition, over all tables', async () => {
  const { sent, answers, writes, turn } = world();
  const units = Array.from({ length: 2 * limits.partitions + 1 }, (_, index) =>
    unit(`row ${index}`, 100, `partition ${Math.floor(index / 2)}`),
  );
  const write = writes.write(units);
  await turn();
  answers[0]?.();
  await turn();
  answers[1]?.();
  await write;
  assert.deepEqual(
    sent.map((group) => group.length),
    [2 * limits.partitions, 1],
  );
});

test('a group that waits for an answer goes when that takes long', async () => {
  const { sent, answers, writes, turn, clock } = world();
  const first = writes.write([unit('slow')]);
  await turn();
  const second = writes.write([unit('next')]);
  await clock.advance(WAIT_MS_MAX - 1);
  assert.deepEqual(sent, [['slow']]);
  await clock.advance(1);
  assert.deepEqual(sent, [['slow'], ['next']]);
  for (const answer of answers) answer();
  await Promise.all([first, second]);
});

test('two writes of one row are never in one group, so that the later one wins', async () => {
  const { sent, answers, writes, turn } = world();
  const both = [writes.write([unit('a'), unit('b')]), writes.write([unit('b'), unit('c')])];
  await turn();
  assert.deepEqual(sent[0], ['a', 'b']);
  answers[0]?.();
  await turn();
  assert.deepEqual(sent[1], ['b', 'c']);
  answers[1]?.();
  await Promise.all(both);
});

test('a failure concerns everybody in the group, and is reported when nothing of the write is under way', async () => {
  const { answers, writes, turn } = world();
  const lone = writes.write([unit('a')]);
  const large = writes.write([unit('b', limits.bytes), unit('c', limits.bytes)]);
  let ended = false;
  const watched = large.catch((error: Error) => {
    ended = true;
    return error.message;
  });
  await turn();
  answers[0]?.();
  await lone;
  answers[1]?.(new Error('no answer'));
  await turn();
  assert.equal(ended, false, 'c is under way');
  answers[2]?.();
  assert.equal(await watched, 'no answer');
});

test('rows that are refused fail alone', async () => {
  const { sent, answers, writes, turn } = world();
  const good = writes.write([unit('good')]);
  const bad = assert.rejects(writes.write([unit('bad')]), Mistake);
  await turn();
  answers[0]?.(new Mistake('refused'));
  await turn();
  assert.deepEqual(sent.slice(1), [['good'], ['bad']]);
  answers[1]?.();
  answers[2]?.(new Mistake('refused'));
  await good;
  await bad;
});
