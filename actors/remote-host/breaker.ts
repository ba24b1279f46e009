import type { HostBreaker } from '../../proto/gen/types.js';

/**
 * Failures of a host. `failedAtMs`: times of recent failures without an answer in between. `failingSinceMs`: the first
 * failure since the last answer, 0 after an answer. `openings`: times in a row that the breaker has opened, 0 while it is
 * closed. `pausedUntilMs`: no request before this time. `recoveredAtMs`: time at which it closed
 * last.
 */
export type Breaker = HostBreaker;

/** Failures within FAILURES_SPAN_MS that open the breaker. */
const FAILURES_MAX = 3;
const FAILURES_SPAN_MS = 60_000;
/** The first pause; each failed probe doubles it, up to PAUSE_MS_MAX. Up to half of a pause is random. */
const PAUSE_MS = 60_000;
const PAUSE_MS_MAX = 6 * 3_600_000;
/** Enough to reach PAUSE_MS_MAX. */
const DOUBLINGS_MAX = 9;
/** Longest pause that a host may ask for. */
const ASKED_MS_MAX = 24 * 3_600_000;
/** Time without an answer after which a host counts as gone. Source: Mastodon's DeliveryFailureTracker, seven days. */
export const FAILING_MS_MAX = 7 * 86_400_000;

export const closedBreaker: Breaker = {
  failedAtMs: [],
  failingSinceMs: 0,
  openings: 0,
  pausedUntilMs: 0,
  recoveredAtMs: 0,
};

/** One failed request. */
export interface Failure {
  readonly nowMs: number;
  /** Pause that the host asks for. */
  readonly askedMs: number | undefined;
  /** Random number in [0, 1). */
  readonly fraction: number;
}

/**
 * Returns the breaker after 429 with Retry-After: the host works, and asks for fewer requests. It gets the pause, and
 * one request first then. This is no failure. A host that takes nothing between its pauses gets one at least as long as
 * the time since the first, up to a minute: thousands of hosts that ask for a second each would otherwise cost as many
 * requests a second.
 */
export function afterRequestedPause(before: Breaker, nowMs: number, askedMs: number): Breaker {
  const failingSinceMs = before.failingSinceMs || nowMs;
  const leastMs = Math.min(PAUSE_MS, nowMs - failingSinceMs);
  const untilMs = Math.ceil(nowMs + Math.min(Math.max(askedMs, leastMs), ASKED_MS_MAX));
  return {
    ...before,
    failingSinceMs,
    openings: Math.max(before.openings, 1),
    pausedUntilMs: Math.max(before.pausedUntilMs, untilMs),
  };
}

/**
 * Returns the breaker after a request without an answer, or with 5xx, or with 429 that names no pause. An open breaker
 * whose pause is over admits one request; its failure opens it again for longer. A host that asks for a pause gets it,
 * and one request first then.
 */
export function afterFailure(before: Breaker, { nowMs, askedMs = 0, fraction }: Failure): Breaker {
  const failingSinceMs = before.failingSinceMs || nowMs;
  const recent = before.failedAtMs.filter((atMs) => atMs > nowMs - FAILURES_SPAN_MS);
  const failedAtMs = [...recent, nowMs].slice(-FAILURES_MAX);
  const askedUntilMs = askedMs > 0 ? nowMs + Math.min(askedMs, ASKED_MS_MAX) : 0;
  // Requests that were under way when the breaker opened fail, too, and are no probes.
  const isProbe = before.openings > 0 && before.pausedUntilMs <= nowMs;
  const opens = isProbe || (before.openings === 0 && failedAtMs.length >= FAILURES_MAX);
  const ownUntilMs = opens ? nowMs + pauseMs(before.openings, fraction) : before.pausedUntilMs;
  return {
    failedAtMs,
    failingSinceMs,
    openings: before.openings + (opens || (askedUntilMs > 0 && before.openings === 0) ? 1 : 0),
    pausedUntilMs: Math.ceil(Math.max(ownUntilMs, askedUntilMs)),
    recoveredAtMs: before.recoveredAtMs,
  };
}

/**
 * Returns the breaker after an answer that is no failure. An open one closes: whatever waits for the host is due. An
 * answer during a pause is that of a request that was under way, and does not end the pause.
 */
export function afterAnswer(before: Breaker, nowMs: number): Breaker {
  if (before.failingSinceMs === 0 && before.openings === 0) return before;
  if (before.pausedUntilMs > nowMs) return { ...before, failedAtMs: [], failingSinceMs: 0 };
  return { ...closedBreaker, recoveredAtMs: before.openings > 0 ? nowMs : before.recoveredAtMs };
}

/** True when the host has not answered for so long that nothing more is sent to it. */
export const isGone = ({ failingSinceMs }: Breaker, nowMs: number): boolean =>
  failingSinceMs > 0 && nowMs - failingSinceMs > FAILING_MS_MAX;

function pauseMs(openings: number, fraction: number): number {
  const wholeMs = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** Math.min(openings, DOUBLINGS_MAX));
  return openings === 0 ? wholeMs * (1 + fraction / 2) : wholeMs * (0.5 + fraction / 2);
}
