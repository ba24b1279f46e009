import type { Clock } from '../../actors/domain/time.js';

/** The machine's own clock, for tests of real services. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
