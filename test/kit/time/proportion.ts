import assert from 'node:assert/strict';

/** Into so many parts a text is cut: what takes quadratic time takes that many times as long for the whole. */
const PARTS = 16;
/** Of work that is in proportion the two take the same; as far from 1 as from PARTS. */
const TIMES_MAX = 4;
/** Each is timed that often at least. */
const TURNS_MIN = 3;
/** What goes on beside may disturb many turns, hardly all. */
const TURNS_MAX = 20;

/**
 * How many times as long `one` takes as `other`: both in turn, and the shortest time of each counts, because what else
 * the machine does, and collections of garbage, only ever make a time longer. Ends early where that is no more than
 * `enough`.
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

/** That the work on a text takes time in proportion to its length: for the whole about what its parts take together. */
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

/** That one work takes about as long as another, whatever the machine's pace. */
export function assertAsFast(one: () => void, other: () => void, what: string): void {
  const times = timesAsLong(one, other);
  assert.ok(times <= TIMES_MAX, `${times.toFixed(1)} times as long: ${what}`);
}

function took(work: () => void): number {
  const startedMs = performance.now();
  work();
  return performance.now() - startedMs;
}
