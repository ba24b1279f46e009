import { errors, types } from 'cassandra-driver';
import { Unavailable } from '../../actors/domain/problem.js';

/** Codes of errors that say the statement is wrong: a bug, not an outage. */
const MISTAKES: readonly number[] = [
  types.responseErrorCodes.syntaxError,
  types.responseErrorCodes.invalid,
  types.responseErrorCodes.unauthorized,
];
/** An idempotent request is tried so many times in all; each already goes to another host when one fails. */
const ATTEMPTS_MAX = 3;
/** Grows with each attempt, so that a coordinator can find out which replica is dead. */
const PAUSE_MS = 100;

/** Runs an idempotent request, again a few times while the store cannot answer. @throws Unavailable with the cause */
export async function retried<T>(what: string, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (isMistake(error)) throw error;
      if (attempt === ATTEMPTS_MAX) throw unavailable(what, error);
      await pause(PAUSE_MS * attempt);
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

/** A node that has not heard yet of a keyspace or table that another one made. */
function isSpreading(error: Error): boolean {
  return /does not exist|unconfigured table/i.test(error.message);
}

export function unavailable(what: string, cause: unknown): Unavailable {
  return new Unavailable(`Cassandra: ${what}: ${(cause as Error).message}`, { cause });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** `work` for each item, at most `inFlightMax` at a time; results in the items' order. The first failure is thrown. */
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
  // Only now: a caller that hears of the failure may take it that nothing is still being written.
  for (const done of lanes) if (done.status === 'rejected') throw done.reason;
  return results;
}
