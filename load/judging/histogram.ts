/** Steps within each power of two: values are exact to 1/64, 1.6 %. */
const STEPS = 64;
const STEPS_BITS = 6;
/** The largest value: 2^31 µs, 36 minutes. No request may last so long. */
const MICROS_MAX = 2 ** 31 - 1;

function stepOf(micros: number): number {
  if (micros < STEPS) return micros;
  const shift = 31 - Math.clz32(micros) - STEPS_BITS;
  return STEPS * (shift + 1) + (micros >> shift) - STEPS;
}

/** Returns the middle of a step in milliseconds. */
function middleMs(step: number): number {
  if (step < STEPS) return step / 1_000;
  const shift = Math.floor(step / STEPS) - 1;
  const low = ((step % STEPS) + STEPS) * 2 ** shift;
  return (low + 2 ** shift / 2) / 1_000;
}

/**
 * Counts of durations in steps that grow with the value: bounded memory (at most 13 KiB). Node's own histogram records
 * as fast, but takes 26 KB from the start, of which a run has thousands, and yields no counts for the report's plots.
 */
export class Histogram {
  #counts = new Uint32Array(0);
  #count = 0;
  #sumMs = 0;
  #minMs = Number.POSITIVE_INFINITY;
  #maxMs = 0;

  get count(): number {
    return this.#count;
  }

  /** The largest value, exact; 0 when empty. */
  get maxMs(): number {
    return this.#maxMs;
  }

  get meanMs(): number {
    return this.#count === 0 ? 0 : this.#sumMs / this.#count;
  }

  /** Records a duration. Negative values count as zero: clocks may step. */
  record(ms: number): void {
    const step = stepOf(Math.min(MICROS_MAX, Math.max(0, Math.round(ms * 1_000))));
    this.#reserve(step + 1);
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#count += 1;
    this.#sumMs += ms;
    this.#minMs = Math.min(this.#minMs, ms);
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  add(other: Histogram): void {
    this.#reserve(other.#counts.length);
    for (const [step, count] of other.#counts.entries()) this.#counts[step] = (this.#counts[step] ?? 0) + count;
    this.#count += other.#count;
    this.#sumMs += other.#sumMs;
    this.#minMs = Math.min(this.#minMs, other.#minMs);
    this.#maxMs = Math.max(this.#maxMs, other.#maxMs);
  }

  /**
   * Returns the smallest value that a `share` (0 to 1) of all values does not exceed, to within 1.6 %; 0 when empty.
   */
  quantileMs(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [step, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= rank) return Math.min(this.#maxMs, Math.max(this.#minMs, middleMs(step)));
    }
    return this.#maxMs;
  }

  /** Yields the non-empty steps, ascending. */
  *steps(): Iterable<{ readonly ms: number; readonly count: number }> {
    for (const [step, count] of this.#counts.entries()) if (count > 0) yield { ms: middleMs(step), count };
  }

  #reserve(length: number): void {
    if (length <= this.#counts.length) return;
    const longer = new Uint32Array(Math.ceil(length / STEPS) * STEPS);
    longer.set(this.#counts);
    this.#counts = longer;
  }
}
