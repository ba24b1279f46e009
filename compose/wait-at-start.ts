import type { Logger as PinoLogger } from 'pino';
import { Unavailable } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';

/** A node waits this long at its start for Cassandra and for NATS: services that start with it need less. */
export const SERVICE_WAIT_MS = 60_000;
/** The previous process on a data folder ends within this time of its SIGTERM. */
export const FOLDER_WAIT_MS = 15_000;
/** Between two tries. */
const RETRY_MS = 500;

/** How a start waits for what it needs. */
export interface StartWait {
  readonly clock: Clock;
  readonly log: PinoLogger;
  /** True when the process was told to end: nothing is waited for any more. */
  readonly isStopping?: (() => boolean) | undefined;
}

/**
 * Opens something that another process may not offer yet, again and again while `open` throws Unavailable. Logs one line
 * when it begins to wait. @throws the last error after `waitMs`, any other error at once
 */
export async function waitAtStart<T>(
  { clock, log, isStopping }: StartWait,
  waitingFor: string,
  waitMs: number,
  open: () => Promise<T>,
): Promise<T> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof Unavailable) || isStopping?.() === true || clock.monotonicMs() >= deadlineMs) throw error;
      if (isFirst) log.info({ why: error.message, waitMs }, `waiting for ${waitingFor}`);
    }
    await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
  }
}
