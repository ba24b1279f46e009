import type { Clock } from '../../domain/time.js';
import type { InTurn } from '../../runtime/effects/in-turns.js';

/** Waits until one more delivery may begin. */
export type Pace = () => Promise<void>;

/** The event loop, as a pace sees it. */
export interface EventLoop {
  monotonicMs(): number;
  /** Resolves once everything that is ready has run. */
  turn(): Promise<void>;
  pause(ms: number): Promise<void>;
}

/**
 * Deliveries that begin in one turn of the event loop. Each takes it for half a millisecond, with a new connection for
 * about two.
 */
export const STARTS_MAX = 4;
/** Shorter turns delay no request that anybody notices, so the next deliveries begin at once. */
const SHORT_TURN_MS = 2;
/**
 * Longest pause. Even if other work fills the loop with turns of this length, 200 deliveries a second begin: a post
 * reaches 10,000 hosts within a minute.
 */
const PAUSE_MS_MAX = 10;

/** Resolves once everything that is ready in the event loop has run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Returns the event loop of this process, with the timers of a clock. */
export const eventLoop = (clock: Pick<Clock, 'monotonicMs' | 'after'>): EventLoop => ({
  monotonicMs: () => clock.monotonicMs(),
  turn: nextTurn,
  pause: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
});

/**
 * Returns a pace that leaves half of the event loop to other work. A post to thousands of hosts would otherwise fill
 * every turn with signatures and connections, and requests of local people wait for several turns each. After each
 * STARTS_MAX deliveries the pace waits for the end of the turn, and then for as long as the turn took.
 */
export function paced(loop: EventLoop): Pace {
  let gate = Promise.resolve();
  let started = 0;
  const rest = async () => {
    const fromMs = loop.monotonicMs();
    await loop.turn();
    const tookMs = loop.monotonicMs() - fromMs;
    if (tookMs > SHORT_TURN_MS) await loop.pause(Math.min(tookMs, PAUSE_MS_MAX));
  };
  return () => {
    const opened = gate;
    started += 1;
    if (started % STARTS_MAX === 0) gate = opened.then(rest);
    return opened;
  };
}

/** Returns turns whose work begins at a pace. */
export const pacedTurns =
  (inTurn: InTurn, pace: Pace): InTurn =>
  (work) =>
    inTurn(async () => {
      await pace();
      return work();
    });
