import assert from 'node:assert/strict';

/** Number of parts of a text: quadratic work takes that many times as long for the whole as for the parts. */
const PARTS = 16;
/** Maximum ratio: linear work has 1, and this is as far from 1 as from PARTS. */
const TIMES_MAX = 4;
/** Minimum number of measurements of each. */
const TURNS_MIN = 3;
/** Maximum number of measurements: other load may disturb many of them, hardly all. */
const TURNS_MAX = 20;

/**
 * Returns how many times as long `one` takes as `other`. Both run in turn, and the shortest time of each counts,
 * because other load and garbage collection only lengthen a time. Ends early when the ratio is at most `enough`.
 */
export function timesAsLong(one: () => void, other: () => void, enough = TIMES_MAX): number {
  let [oneMs, otherMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 1; turn <= TURNS_MAX; turn++) {
    oneMs = Math.min(oneMs, took(one));
    otherMs = Math.min(otherMs, took(other));
    if (turn >= TURNS_MIN && oneMs <= enough * otherMs) break;
  }
  return oneMs / otherMs;
}

/** Asserts that the work on a text takes linear time: for the whole about as long as for its parts together. */
export function assertInProportion(text: string, work: (text: string) => void): void {
  const partChars = Math.ceil(text.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, index) => text.slice(index * partChars, (index + 1) * partChars));
  const times = timesAsLong(
    () => work(text),
    () => parts.forEach(work),
  );
  const shown = `${JSON.stringify(text.slice(0, 20))}, ${text.length} characters`;
  assert.ok(times <= TIMES_MAX, `${times.toFixed(1)} times what its ${PARTS} parts take: ${shown}`);
}

/** Asserts that one work takes about as long as another, whatever the machine's speed. */
export function assertAsFast(one: () => void, other: () => void, what: string): void {
  const times = timesAsLong(one, other);
  assert.ok(times <= TIMES_MAX, `${times.toFixed(1)} times as long: ${what}`);
}

function took(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}
