import { setMaxListeners } from 'node:events';
import { pause } from './clients/retry.js';
import type { ClosedPace, OpenPace } from './plan.js';
import type { Random } from './random.js';

/** The clock of the pacing; tests control it. */
export interface Ticker {
  /** Milliseconds, monotonic. */
  nowMs(): number;
  /** Resolves at that time; at once when it has passed or the signal is aborted. */
  until(ms: number, signal: AbortSignal): Promise<void>;
}

/** Timers are late by up to this much; the rest is spent in turns of the event loop. */
const TIMER_SLACK_MS = 1.5;

/** Requests that were due just before the end and wake just after it are still sent. */
const END_SLACK_MS = 50;

/** A turn of the event loop that took no longer was idle. */
const IDLE_TURN_MS = 0.05;

export class RealTicker implements Ticker {
  /** Time spent in turns that only waited, which look like work to measurements of the event loop. */
  idleMs = 0;

  nowMs(): number {
    return performance.now();
  }

  async until(ms: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = performance.now();
      const leftMs = ms - nowMs;
      if (leftMs <= 0 || signal.aborted) return;
      if (leftMs > TIMER_SLACK_MS) await pause(leftMs - 1, signal);
      else {
        await new Promise((resolve) => setImmediate(resolve));
        const turnMs = performance.now() - nowMs;
        if (turnMs < IDLE_TURN_MS) this.idleMs += turnMs;
      }
    }
  }
}

export interface Bounds {
  readonly startMs: number;
  readonly endMs: number;
  readonly requestsMax: number;
  readonly signal: AbortSignal;
}

/**
 * Sends one request that was due at `dueMs`; never rejects. Returns how long its sender should wait before the next.
 */
export type Send = (dueMs: number) => Promise<number>;

/**
 * Runs a fixed number of senders, each of which sends its next request after the answer to its last. Latency counts
 * from the sending: a slow server gets fewer requests, so closed loops show its throughput, not the experience of
 * independent users.
 */
export async function closedLoop(pace: ClosedPace, bounds: Bounds, ticker: Ticker, send: Send): Promise<void> {
  let left = bounds.requestsMax;
  // Ends the waits of senders when no requests are left.
  const allSent = new AbortController();
  const over = AbortSignal.any([bounds.signal, allSent.signal]);
  setMaxListeners(pace.inFlight + 1, over);
  const sender = async (index: number) => {
    await ticker.until(bounds.startMs + (pace.rampMs * index) / pace.inFlight, over);
    for (;;) {
      const nowMs = ticker.nowMs();
      if (nowMs >= bounds.endMs || left <= 0 || bounds.signal.aborted) return;
      left -= 1;
      if (left === 0) allSent.abort();
      const waitMs = await send(nowMs);
      if (waitMs > 0) await ticker.until(Math.min(ticker.nowMs() + waitMs, bounds.endMs), over);
    }
  };
  await Promise.all(Array.from({ length: pace.inFlight }, (_, index) => sender(index)));
}

/** Yields the times, from 0 ms on, at which an open loop's requests are due. */
export function* dueTimes({ perSecond, rampMs, arrivals }: OpenPace, random: Random): Generator<number, never> {
  const perMs = perSecond / 1_000;
  // Counted in scheduled requests: during the ramp they grow with the square of the time.
  const inRamp = (perMs * rampMs) / 2;
  let passed = 0;
  for (;;) {
    yield passed < inRamp ? Math.sqrt((2 * passed * rampMs) / perMs) : rampMs + (passed - inRamp) / perMs;
    passed += arrivals === 'even' ? 1 : -Math.log(1 - random());
  }
}

/**
 * Starts requests when they are due, whether earlier ones were answered or not. `send` receives the due time of its
 * request, and counts latency from then (no coordinated omission). Above `inFlightMax` requests wait; those that cannot
 * be sent before the end go to `unsent`. `begun` receives the delay that this process itself caused: the wait without
 * the time spent waiting for other requests' answers.
 */
export async function openLoop(
  pace: OpenPace,
  bounds: Bounds,
  ticker: Ticker,
  random: Random,
  send: Send,
  unsent: (dueMs: number) => void,
  begun: (ownDelayMs: number) => void = () => {},
): Promise<void> {
  const underWay = new Set<Promise<number>>();
  let answered = () => {};
  let left = bounds.requestsMax;
  /** The last time when a slot for another request became free. */
  let freeMs = bounds.startMs;
  for (const offsetMs of dueTimes(pace, random)) {
    const dueMs = bounds.startMs + offsetMs;
    if (dueMs >= bounds.endMs || left <= 0 || bounds.signal.aborted) break;
    left -= 1;
    await ticker.until(dueMs, bounds.signal);
    // Every request is answered or times out, so this wait ends.
    if (underWay.size >= pace.inFlightMax && ticker.nowMs() < bounds.endMs) {
      await new Promise<void>((resolve) => {
        answered = resolve;
      });
    }
    if (underWay.size >= pace.inFlightMax || ticker.nowMs() >= bounds.endMs + END_SLACK_MS || bounds.signal.aborted) {
      unsent(dueMs);
      continue;
    }
    begun(Math.max(0, ticker.nowMs() - Math.max(dueMs, freeMs)));
    const sent = send(dueMs);
    underWay.add(sent);
    void sent.finally(() => {
      if (underWay.size >= pace.inFlightMax) freeMs = ticker.nowMs();
      underWay.delete(sent);
      answered();
    });
  }
  await Promise.all(underWay);
}
