import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Keys remembered; the oldest gives way, so that no peer can fill the memory. */
const KEYS_MAX = 50_000;

/** Counts per key within a window that begins with the first count. Bounded; of this node only. */
export class Attempts {
  readonly #counts: LRUCache<string, { count: number }>;
  readonly #max: number;

  constructor(max: number, windowMs: number) {
    this.#max = max;
    // By size: with `max` it would reserve memory for all of them at once.
    this.#counts = new LRUCache({ maxSize: KEYS_MAX, sizeCalculation: () => 1, ttl: windowMs });
  }

  /** Counts one; false when the key had reached its maximum before. */
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

  /** Gives one back: it turned out to be no attack. */
  giveBack(key: string): void {
    const held = this.#counts.get(key);
    if (held !== undefined && held.count > 0) held.count--;
  }
}

/** Addresses of one subscriber count as one: a /64 of IPv6. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex');
}
