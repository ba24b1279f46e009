import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dedupe } from '../../../../actors/runtime/asking/dedupe.js';
import { SOURCES_MAX } from '../../../../actors/runtime/limits.js';

const cause = (actor: string, seq: number, n = 0) => ({ actor, seq, n });

test('an effect not newer than the last of its source is a repeat', () => {
  const dedupe = new Dedupe();
  dedupe.note(cause('a', 5, 1));
  assert.ok(dedupe.repeats(cause('a', 5, 1)));
  assert.ok(dedupe.repeats(cause('a', 5, 0)));
  assert.ok(dedupe.repeats(cause('a', 4, 9)));
  assert.ok(!dedupe.repeats(cause('a', 5, 2)));
  assert.ok(!dedupe.repeats(cause('a', 6, 0)));
  assert.ok(!dedupe.repeats(cause('b', 1, 0)));
});

test('the least recently received source is dropped when there are too many', () => {
  const dedupe = new Dedupe();
  for (let source = 0; source <= SOURCES_MAX; source++) {
    dedupe.note(cause(`${source}`, 1));
    dedupe.note(cause('0', source + 1));
  }
  assert.ok(dedupe.repeats(cause('0', 1)));
  assert.ok(!dedupe.repeats(cause('1', 1)));
  assert.ok(dedupe.repeats(cause('2', 1)));
});

test('received effects are restored from a snapshot', () => {
  const dedupe = new Dedupe();
  dedupe.note(cause('a', 5));
  assert.ok(Dedupe.from(dedupe.marks()).repeats(cause('a', 5)));
});
