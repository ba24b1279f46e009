/**
 * Generates numbers from 0 (inclusive) to 1 (exclusive), reproducible by seed (mulberry32). For choices, not for
 * secrets.
 */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a whole number from 0 (inclusive) to `bound` (exclusive). */
export function below(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}
