import type { Timer } from '../actors/domain/time.js';

/** Waits of an adapter. A simulation supplies its own, so that its seed decides what runs when. */
export interface Pacing {
  /** Runs `callback` at the end of this turn of the event loop. */
  atTurnsEnd(callback: () => void): void;
  /** Runs `callback` once after `delayMs`. */
  after(delayMs: number, callback: () => void): Timer;
}

/** The event loop and the timers of this process. */
export const eventLoop: Pacing = {
  atTurnsEnd: (callback) => void setImmediate(callback),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
