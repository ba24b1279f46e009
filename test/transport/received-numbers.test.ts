import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceivedNumbers, SILENT_MS } from '../../transport/received-numbers.js';

const of = (publisher: string, number: number) => ({ publisher, number });
const subscription = () => {
  const made = { nowMs: 0, numbers: undefined as unknown as ReceivedNumbers };
  made.numbers = new ReceivedNumbers({ nowMs: () => made.nowMs, firstMax: 1 });
  return made;
};
const having = (publisher: string, ...numbers: number[]) => {
  const made = subscription();
  for (const number of numbers) made.numbers.hear(publisher, number);
  return made;
};

test('messages of a publisher before its first received one are missing, unless there were none', () => {
  const { numbers } = subscription();
  assert.equal(numbers.hear('a', 1), false);
  assert.equal(numbers.hear('b', 2), true);
  assert.equal(numbers.hear('b', 3), false);
  assert.equal(new ReceivedNumbers({ nowMs: () => 0 }).hear('b', 2), false);
});

test('a subscription reports the last received number of each publisher', () => {
  const { numbers } = having('a', 1, 2, 4, 5);
  numbers.hear('b', 1);
  assert.deepEqual(numbers.receivedUpTo(), [of('a', 5), of('b', 1)]);
});

test('a subscription that has received everything later follows another; one that began later or has a gap does not', () => {
  assert.equal(having('a', 1, 2, 3).numbers.follows([of('a', 2)], []), true);
  assert.equal(having('a', 3, 4).numbers.follows([of('a', 2)], []), true);
  assert.equal(having('a', 4, 5).numbers.follows([of('a', 2)], []), false);
  assert.equal(having('a', 1, 2, 4).numbers.follows([of('a', 2)], []), false);
  assert.equal(having('a', 1, 2, 4).numbers.follows([of('a', 3)], []), true);
});

test('a subscription behind another follows it: missing messages arrive, or show as a gap', () => {
  const { numbers } = having('a', 1, 2);
  assert.equal(numbers.follows([of('a', 4)], []), true);
  assert.equal(numbers.hear('a', 3), false);
  assert.equal(numbers.hear('a', 5), true);
});

test('forgotten messages count as never received', () => {
  assert.equal(having('a', 1, 2, 3, 4).numbers.follows([of('a', 2)], [of('a', 2)]), true);
  assert.equal(having('a', 1, 2, 3, 4).numbers.follows([of('a', 2)], [of('a', 3)]), false);
});

test('a publisher unknown to the other must have been received from its beginning', () => {
  assert.equal(having('a', 1, 2).numbers.follows([], []), true);
  assert.equal(having('a', 2, 3).numbers.follows([], []), false);
});

test('the next message of a publisher known only to the other is expected, and reported', () => {
  const [inOrder, behind, gap] = [subscription(), subscription(), subscription()];
  for (const { numbers } of [inOrder, behind, gap]) {
    assert.equal(numbers.follows([of('a', 7)], []), true);
    assert.deepEqual(numbers.receivedUpTo(), [of('a', 7)]);
  }
  assert.deepEqual([inOrder.numbers.hear('a', 8), inOrder.numbers.hear('a', 10)], [false, true]);
  // In transit when the other had it already.
  assert.deepEqual(
    [behind.numbers.hear('a', 6), behind.numbers.hear('a', 7), behind.numbers.hear('a', 8)],
    Array(3).fill(false),
  );
  assert.equal(gap.numbers.hear('a', 9), true);
});

test('a publisher that has sent nothing for long is forgotten; a message of it shows as a gap', () => {
  const old = having('ended', 5, 6);
  old.nowMs = SILENT_MS;
  old.numbers.hear('a', 1);
  assert.equal(old.numbers.follows([of('a', 1)], []), false);
  old.nowMs += 1;
  assert.equal(old.numbers.follows([of('a', 1)], []), true);
  assert.deepEqual(old.numbers.receivedUpTo(), [of('a', 1)]);
  assert.equal(old.numbers.hear('ended', 7), true);
});
