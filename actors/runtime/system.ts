import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Random } from '../domain/time.js';

/** Real time. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** The kernel's random numbers. */
export const systemRandom: Random = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
};
