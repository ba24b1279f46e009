import ipaddr from 'ipaddr.js';
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

/** Returns the key of an address: all addresses of one subscriber, a /64 of IPv6, share one. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex');
}
