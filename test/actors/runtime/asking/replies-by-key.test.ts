import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Answered } from '../../../../actors/runtime/asking/replies-by-key.js';
import { ANSWERED_BYTES_MAX, ANSWERED_MAX, ANSWERED_MS } from '../../../../actors/runtime/limits.js';

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index % 256);

test('a reply comes back byte by byte, until its hour is over', () => {
  const answered = new Answered();
  answered.note({ key: 'add a', reply: bytes(300).subarray(7) }, 1_000);
  assert.deepEqual(Buffer.compare(answered.find('add a', 1_000) ?? bytes(0), bytes(300).subarray(7)), 0);
  assert.notEqual(answered.find('add a', 1_000 + ANSWERED_MS - 1), undefined);
  assert.equal(answered.find('add a', 1_000 + ANSWERED_MS), undefined);
  assert.equal(answered.find('add b', 1_000), undefined);
});

test('the oldest of too many give way, and those whose hour is over', () => {
  const answered = new Answered();
  for (let n = 0; n <= ANSWERED_MAX; n++) answered.note({ key: `add ${n}`, reply: bytes(1) }, n);
  assert.deepEqual([answered.find('add 0', 0), answered.marks(0).length], [undefined, ANSWERED_MAX]);
  assert.notEqual(answered.find('add 1', 1), undefined);
  assert.equal(answered.marks(ANSWERED_MS + 10).length, ANSWERED_MAX - 10);
  answered.note({ key: 'add late', reply: bytes(1) }, 2 * ANSWERED_MS);
  assert.equal(answered.marks(2 * ANSWERED_MS).length, 1);
});

test('all together have a bound in bytes, which the newest may pass alone', () => {
  const answered = new Answered();
  const half = bytes(ANSWERED_BYTES_MAX / 2);
  for (const key of ['one', 'two', 'three']) answered.note({ key, reply: half }, 0);
  assert.deepEqual(
    answered.marks(0).map(([key]) => key),
    ['three'],
  );
  answered.note({ key: 'small', reply: bytes(0) }, 0);
  assert.equal(answered.marks(0).length, 2);
  answered.note({ key: 'large', reply: bytes(2 * ANSWERED_BYTES_MAX) }, 0);
  assert.deepEqual(
    answered.marks(0).map(([key]) => key),
    ['large'],
  );
});

test('what was answered survives a snapshot', () => {
  const answered = new Answered();
  answered.note({ key: 'add a', reply: bytes(256) }, 5);
  const again = Answered.from(answered.marks(6));
  assert.deepEqual(again.find('add a', 6), Buffer.from(bytes(256)));
  assert.deepEqual(again.marks(6), answered.marks(6));
});
