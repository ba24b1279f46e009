import type { Clock } from '../../actors/domain/time.js';
import { Cache, type Caches } from '../../store/cache/cache.js';

/** Counted keys. The least recently counted are dropped, so that no client can fill the memory. */
const KEYS_MAX = 100_000;

/** Attempts under one key, and the monotonic time of the first. */
interface Counted {
  count: number;
  readonly sinceMs: number;
}

/** Counts per key within a window that begins with the first count. Bounded; of this node only. */
export class Attempts {
  readonly #counts: Cache<Counted>;
  readonly #max: number;
  readonly #windowMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(max: number, windowMs: number, clock: Pick<Clock, 'monotonicMs'>, caches?: Caches) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#counts = new Cache('attempts', KEYS_MAX, caches);
  }

  /** Counts an attempt. Returns false if the key had reached its maximum before. */
  take(key: string): boolean {
    const held = this.#current(key);
    if (held === undefined) {
      this.#counts.set(key, { count: 1, sinceMs: this.#clock.monotonicMs() });
      return true;
    }
    if (held.count >= this.#max) return false;
    held.count++;
    return true;
  }

  /** Takes back one attempt that turned out to be legitimate. */
  giveBack(key: string): void {
    const held = this.#current(key);
    if (held !== undefined && held.count > 0) held.count--;
  }

  #current(key: string): Counted | undefined {
    const held = this.#counts.get(key);
    return held !== undefined && this.#clock.monotonicMs() - held.sinceMs < this.#windowMs ? held : undefined;
  }
}
