import { errors, types } from 'cassandra-driver';
import { Unavailable } from '../../actors/domain/problem.js';
import type { Pacing } from '../pacing.js';

/** Codes of errors that report a wrong statement: a bug, not an outage. */
const MISTAKES: readonly number[] = [
  types.responseErrorCodes.syntaxError,
  types.responseErrorCodes.invalid,
  types.responseErrorCodes.unauthorized,
];
/** Maximum number of attempts for an idempotent request; within each, the driver already tries another host. */
const ATTEMPTS_MAX = 3;
/** Pause after the first attempt; it grows with each attempt, so that a coordinator can detect a dead replica. */
const PAUSE_MS = 100;

/**
 * Runs an idempotent request and repeats it a few times while the store cannot answer. @throws Unavailable with the
 * cause
 */
export async function retried<T>(what: string, request: () => Promise<T>, pacing: Pick<Pacing, 'after'>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (isMistake(error)) throw error;
      if (attempt === ATTEMPTS_MAX) throw unavailable(what, error);
      await pause(PAUSE_MS * attempt, pacing);
    }
  }
}

export function isMistake(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return MISTAKES.includes(error.code) && !isSpreading(error);
  return (
    error instanceof RangeError ||
    error instanceof TypeError ||
    error instanceof errors.ArgumentError ||
    error instanceof errors.NotSupportedError
  );
}

/** Returns true for a node that does not know a keyspace or table yet that another node created. */
function isSpreading(error: Error): boolean {
  return /does not exist|doesn't exist|unconfigured table/i.test(error.message);
}

export function unavailable(what: string, cause: unknown): Unavailable {
  return new Unavailable(`Cassandra: ${what}: ${(cause as Error).message}`, { cause });
}

export function pause(ms: number, pacing: Pick<Pacing, 'after'>): Promise<void> {
  return new Promise((resolve) => void pacing.after(ms, resolve));
}

/**
 * Runs `work` for each item, at most `inFlightMax` at a time; returns the results in the items' order. Throws the first
 * failure.
 */
export async function sideBySide<T, R>(
  items: readonly T[],
  inFlightMax: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(inFlightMax, items.length) }, lane));
  // Thrown only when all have ended, so that a caller may rely on nothing being written after a failure.
  for (const done of lanes) if (done.status === 'rejected') throw done.reason;
  return results;
}
