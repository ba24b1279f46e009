import { LRUCache } from 'lru-cache';

/** Cached keys. The oldest is dropped, so that no client can fill the memory. */
const KEYS_MAX = 50_000;

/** Counts per key within a window that begins with the first count. Bounded; of this node only. */
export class Attempts {
  readonly #counts: LRUCache<string, { count: number }>;
  readonly #max: number;

  constructor(max: number, windowMs: number) {
    this.#max = max;
    // Limited by size: with `max` the cache would reserve memory for all keys at once.
    this.#counts = new LRUCache({ maxSize: KEYS_MAX, sizeCalculation: () => 1, ttl: windowMs });
  }

  /** Counts an attempt. Returns false if the key had reached its maximum before. */
  take(key: string): boolean {
    const held = this.#counts.get(key);
    if (held === undefined) {
      this.#counts.set(key, { count: 1 });
      return true;
    }
    if (held.count >= this.#max) return false;
    held.count++;
    return true;
  }

  /** Takes back one attempt that turned out to be legitimate. */
  giveBack(key: string): void {
    const held = this.#counts.get(key);
    if (held !== undefined && held.count > 0) held.count--;
  }
}
