import { randomBytes, randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Random } from '../domain/time.js';
import { ProcessClock } from './placement/process-clock.js';

/** The machine's real clocks. */
export const systemClock = new ProcessClock({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
});

/** Bytes fetched at a time: one system call serves many ids. */
const POOL_BYTES = 4_096;

/** Random numbers of the kernel. Each byte is used once. */
class PooledRandom implements Random {
  private readonly pool = Buffer.alloc(POOL_BYTES);
  private used = POOL_BYTES;

  bytes(count: number): Uint8Array {
    if (count > POOL_BYTES / 4) return new Uint8Array(randomBytes(count));
    if (this.used + count > POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const taken = Uint8Array.from(this.pool.subarray(this.used, this.used + count));
    // Clears the used bytes: secrets are made of them.
    this.pool.fill(0, this.used, this.used + count);
    this.used += count;
    return taken;
  }

  fraction(): number {
    return Buffer.from(this.bytes(6)).readUIntBE(0, 6) / 2 ** 48;
  }
}

export const systemRandom: Random = new PooledRandom();
