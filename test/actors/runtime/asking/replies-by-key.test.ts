import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepliesByKey } from '../../../../actors/runtime/asking/replies-by-key.js';
import { ANSWERED_BYTES_MAX, ANSWERED_MAX, ANSWERED_MS } from '../../../../actors/runtime/limits.js';

/** Both clocks show the same. */
const at = (ms: number) => ({ wallMs: ms, steadyMs: ms });
const note = (answered: RepliesByKey, said: { key: string; reply: Uint8Array }, ms: number) =>
  answered.note({ ...said, steadyMs: ms }, ms);
const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index % 256);

test('a reply is returned byte by byte, until it expires after an hour', () => {
  const answered = new RepliesByKey();
  note(answered, { key: 'add a', reply: bytes(300).subarray(7) }, 1_000);
  assert.deepEqual(Buffer.compare(answered.find('add a', at(1_000)) ?? bytes(0), bytes(300).subarray(7)), 0);
  assert.notEqual(answered.find('add a', at(1_000 + ANSWERED_MS - 1)), undefined);
  assert.equal(answered.find('add a', at(1_000 + ANSWERED_MS)), undefined);
  assert.equal(answered.find('add b', at(1_000)), undefined);
});

test('a reply expires after an hour by both the wall clock and steady time', () => {
  const answered = new RepliesByKey();
  note(answered, { key: 'add a', reply: bytes(1) }, 0);
  const isFound = (wallMs: number, steadyMs: number) => answered.find('add a', { wallMs, steadyMs }) !== undefined;
  assert.ok(isFound(2 * ANSWERED_MS, 1) && isFound(1, 2 * ANSWERED_MS) && isFound(-ANSWERED_MS, 1));
  assert.ok(!isFound(ANSWERED_MS, ANSWERED_MS));
  assert.equal(answered.marks({ wallMs: 2 * ANSWERED_MS, steadyMs: 1 }).length, 1);
});

test('the oldest of too many replies, and expired ones, are dropped', () => {
  const answered = new RepliesByKey();
  for (let n = 0; n <= ANSWERED_MAX; n++) note(answered, { key: `add ${n}`, reply: bytes(1) }, n);
  assert.deepEqual([answered.find('add 0', at(0)), answered.marks(at(0)).length], [undefined, ANSWERED_MAX]);
  assert.notEqual(answered.find('add 1', at(1)), undefined);
  assert.equal(answered.marks(at(ANSWERED_MS + 10)).length, ANSWERED_MAX - 10);
  note(answered, { key: 'add late', reply: bytes(1) }, 2 * ANSWERED_MS);
  assert.equal(answered.marks(at(2 * ANSWERED_MS)).length, 1);
});

test('the total size of replies is bounded, but a single new one may exceed it', () => {
  const answered = new RepliesByKey();
  const half = bytes(ANSWERED_BYTES_MAX / 2);
  for (const key of ['one', 'two', 'three']) note(answered, { key, reply: half }, 0);
  assert.deepEqual(
    answered.marks(at(0)).map(([key]) => key),
    ['three'],
  );
  note(answered, { key: 'small', reply: bytes(0) }, 0);
  assert.equal(answered.marks(at(0)).length, 2);
  note(answered, { key: 'large', reply: bytes(2 * ANSWERED_BYTES_MAX) }, 0);
  assert.deepEqual(
    answered.marks(at(0)).map(([key]) => key),
    ['large'],
  );
});

test('stored replies are restored from a snapshot', () => {
  const answered = new RepliesByKey();
  note(answered, { key: 'add a', reply: bytes(256) }, 5);
  const again = RepliesByKey.from(answered.marks(at(6)));
  assert.deepEqual(again.find('add a', at(6)), Buffer.from(bytes(256)));
  assert.deepEqual(again.marks(at(6)), answered.marks(at(6)));
});
