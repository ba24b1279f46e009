import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec } from '../../../proto/codec.js';
import { GapWatch, Numbering } from '../../../transport/nats/published.js';
import { ReceivedNumbers } from '../../../transport/received-numbers.js';

const empty = new Uint8Array();
const newWatch = () => new GapWatch(new ReceivedNumbers({ nowMs: () => 0 }));
const gaps = (watch: GapWatch, ...messages: Uint8Array[]) => messages.map((message) => watch.unwrap(message).gap);

test('messages in sequence have no gap, whichever number the first one has', () => {
  const numbering = new Numbering('a');
  const [, second, third] = [1, 2, 3].map(() => numbering.wrap('x', empty)) as [Uint8Array, Uint8Array, Uint8Array];
  assert.deepEqual(gaps(newWatch(), second, third), [false, false]);
});

test('a missing message shows in the next one, once', () => {
  const numbering = new Numbering('a');
  const messages = [1, 2, 3, 4].map(() => numbering.wrap('x', empty)) as [Uint8Array, ...Uint8Array[]];
  assert.deepEqual(gaps(newWatch(), ...messages.filter((_, index) => index !== 1)), [false, true, false]);
});

test('publishers and subjects are numbered apart', () => {
  const [a, b] = [new Numbering('a'), new Numbering('b')];
  a.wrap('y', empty);
  const watch = newWatch();
  assert.deepEqual(gaps(watch, a.wrap('x', empty), b.wrap('x', empty), a.wrap('x', empty)), [false, false, false]);
});

test('a subject whose number was forgotten shows a gap rather than none', () => {
  const numbering = new Numbering('a', 2);
  const watch = newWatch();
  const first = numbering.wrap('x', empty);
  numbering.wrap('y', empty);
  numbering.wrap('z', empty);
  assert.deepEqual(gaps(watch, first, numbering.wrap('x', empty)), [false, true]);
});

test('a message without publisher or with an invalid number is refused', () => {
  const published = codec('murmuration.node.Published');
  for (const [publisher, number] of [
    ['', 1],
    ['a', 0],
    ['a', 0.5],
    ['a', Number.NaN],
  ] as const) {
    assert.throws(() => newWatch().unwrap(published.encode({ publisher, number, payload: empty })), RangeError);
  }
});
