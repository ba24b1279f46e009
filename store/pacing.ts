import type { Clock, Timer } from '../actors/domain/time.js';

/** Waits of an adapter. A simulation supplies its own, so that its seed decides what runs when. */
export interface Pacing {
  /** Runs `callback` at the end of this turn of the event loop. */
  atTurnsEnd(callback: () => void): void;
  /** Runs `callback` once after `delayMs`. */
  after(delayMs: number, callback: () => void): Timer;
}

/** Returns the turns of this process's event loop with the timers of a clock. */
export const pacingOn = (clock: Pick<Clock, 'after'>): Pacing => ({
  atTurnsEnd: (callback) => void setImmediate(callback),
  after: (delayMs, callback) => clock.after(delayMs, callback),
});

/** Resolves at the end of this turn of the event loop: other callbacks run first. */
export const turnsEnd = (pacing: Pick<Pacing, 'atTurnsEnd'>): Promise<void> =>
  new Promise((resolve) => pacing.atTurnsEnd(resolve));
