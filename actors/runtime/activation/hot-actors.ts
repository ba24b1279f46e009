import type { Clock } from '../../domain/time.js';

/**
 * Counters of a window. An actor with more than 1/257 of a window's commands has one for certain, and its count is too low
 * by at most 1/257 of them.
 */
const COUNTERS_MAX = 256;
/** Windows, and the length of each: operators see what happened in the last minutes. */
const WINDOWS = 5;
const WINDOW_MS = 60_000;
/**
 * One command of so many on average is counted, and stands for the others: a count of a rare actor takes more than 100 ns.
 * The distances vary, so that no regular sequence of commands hides an actor.
 */
const SAMPLED_ONE_OF = 5;
/** Samples between two readings of the clock, which cost more than a count; a power of two. */
const CLOCK_EVERY = 16;

/**
 * The actors that receive the most commands, in bounded memory. A command costs less than 100 ns, since all commands pass
 * here. Source: Misra and Gries, Finding repeated elements (1982).
 */
export class HotActors {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #current = new Counters();
  /** The current window first. */
  readonly #windows = [this.#current];
  #startedMs: number;
  /** Commands until the next sample. */
  #left = 1;
  #samples = 0;
  /** State of a linear congruential generator. Source: Numerical Recipes, ranqd1. */
  #chance = 1;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Notes a command to an actor. */
  count(id: string): void {
    if (--this.#left > 0) return;
    this.#chance = (Math.imul(this.#chance, 1_664_525) + 1_013_904_223) >>> 0;
    this.#left = 1 + ((this.#chance >>> 16) % (2 * SAMPLED_ONE_OF - 1));
    if ((++this.#samples & (CLOCK_EVERY - 1)) === 0) this.#turn();
    this.#current.count(id);
  }

  /** Returns the ids with the most commands of the last five windows, most first, and about how many these were. */
  top(max: number): { readonly id: string; readonly count: number }[] {
    this.#turn();
    const totals = new Map<string, number>();
    for (const counters of this.#windows)
      for (const [id, count] of counters) if (count > 0) totals.set(id, (totals.get(id) ?? 0) + count);
    const all = Array.from(totals, ([id, count]) => ({ id, count: count * SAMPLED_ONE_OF }));
    return all.sort((one, other) => other.count - one.count).slice(0, max);
  }

  /** Begins new windows for the time that has passed. */
  #turn(): void {
    const passed = Math.floor((this.#clock.monotonicMs() - this.#startedMs) / WINDOW_MS);
    if (passed <= 0) return;
    this.#startedMs += passed * WINDOW_MS;
    for (let added = 0; added < Math.min(passed, WINDOWS); added++) {
      this.#current = new Counters();
      this.#windows.unshift(this.#current);
    }
    this.#windows.length = Math.min(this.#windows.length, WINDOWS);
  }
}

/** The counters of one window. A counter at 0 is free; its id stays until another takes its place. */
class Counters {
  readonly #slots = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #counts = new Uint32Array(COUNTERS_MAX);
  /** Counters in front of it are not free. */
  #hand = 0;

  count(id: string): void {
    const slot = this.#slots.get(id) ?? this.#take(id);
    if (slot !== undefined) this.#counts[slot] = (this.#counts[slot] as number) + 1;
  }

  *[Symbol.iterator](): Iterator<readonly [id: string, count: number]> {
    for (const [id, slot] of this.#slots) yield [id, this.#counts[slot] as number];
  }

  /** Returns a free counter for an id. Without one, all others lose what this id would have got. */
  #take(id: string): number | undefined {
    const counts = this.#counts;
    while (this.#hand < COUNTERS_MAX && counts[this.#hand] !== 0) this.#hand++;
    const slot = this.#hand;
    if (slot === COUNTERS_MAX) {
      // As many commands were counted before as counters change here, so each pays for one.
      for (let index = 0; index < COUNTERS_MAX; index++) counts[index] = (counts[index] as number) - 1;
      this.#hand = 0;
      return undefined;
    }
    const former = this.#ids[slot];
    if (former !== undefined) this.#slots.delete(former);
    this.#ids[slot] = id;
    this.#slots.set(id, slot);
    return slot;
  }
}
