import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAsFast, assertInProportion, timesAsLong } from './proportion.js';

let sink = 0;
const steps = (count: number) => {
  for (let step = 0; step < count; step++) sink = (sink * 31 + step) | 0;
};

test('work in proportion to a text passes, work in proportion to its square does not', () => {
  const text = 'x'.repeat(1_000);
  assertInProportion(text, ({ length }) => steps(length * 100));
  assert.throws(() => assertInProportion(text, ({ length }) => steps(length * length)), /times what its 16 parts take/);
});

test('work with a square in it that outweighs the rest does not pass', () => {
  const text = 'x'.repeat(1_000);
  const mixed = ({ length }: string) => steps(length * 100 + length * length);
  assert.throws(() => assertInProportion(text, mixed), /times what/);
});

test('pauses, even in most turns, do not count', () => {
  let turn = 0;
  const paused = () => {
    steps(5_000);
    if (turn++ % 4 !== 3) steps(500_000);
  };
  assertAsFast(paused, () => steps(5_000), 'the same');
  assert.throws(
    () =>
      assertAsFast(
        () => steps(100_000),
        () => steps(5_000),
        'more',
      ),
    /times as long: more/,
  );
});

test('it ends after the first turns that are enough', () => {
  let turns = 0;
  timesAsLong(
    () => void turns++,
    () => steps(100_000),
  );
  assert.equal(turns, 3);
});
