import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { Sketch } from '../../../gateway/admin-measures/sketch.js';

const START_MS = 1_700_000_000_000;
const id = (n: number) => makeId(START_MS + Math.floor(n / 1_024) * 7_919, n % 1_024, 0);

function sketchOf(first: number, count: number): Sketch {
  const sketch = new Sketch();
  for (let n = first; n < first + count; n++) sketch.add(id(n));
  return sketch;
}

test('a sketch of few ids is exact, however often each id is added, merged and stored', () => {
  const sketch = sketchOf(0, 300);
  sketch.merge(sketchOf(200, 212));
  assert.equal(sketch.size, 412);
  assert.equal(Sketch.decode(sketch.encode()).size, 412);
  const stored = Sketch.decode(sketch.encode());
  stored.merge(sketch);
  assert.equal(stored.size, 412);
});

test('a sketch of many ids is accurate to five per cent, and takes 4 KiB', () => {
  for (const count of [513, 2_000, 10_000, 60_000]) {
    const sketch = sketchOf(0, count);
    assert.ok(Math.abs(sketch.size / count - 1) < 0.05, `${sketch.size} of ${count}`);
    assert.equal(sketch.encode().length, 4_097);
  }
});

test('the union of sketches counts no id twice, whichever of them are exact', () => {
  const days = [sketchOf(0, 20_000), sketchOf(10_000, 20_000), sketchOf(29_000, 400), sketchOf(29_900, 200)];
  const all = new Sketch();
  for (const day of days) all.merge(Sketch.decode(day.encode()));
  assert.ok(Math.abs(all.size / 30_100 - 1) < 0.05, String(all.size));
});
