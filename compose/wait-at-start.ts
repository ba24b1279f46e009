import type { Logger as PinoLogger } from 'pino';
import { Unavailable } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';

/** Maximum wait of a start for Cassandra and for NATS: services that start with the node need less. */
export const SERVICE_WAIT_MS = 60_000;
/** Maximum wait for the previous process on a data folder, which ends within this time of its SIGTERM. */
export const FOLDER_WAIT_MS = 15_000;
/** Delay between two attempts. */
const RETRY_MS = 500;

/** Dependencies of a wait at the start. */
export interface StartWait {
  readonly clock: Clock;
  readonly log: PinoLogger;
  /** Returns true when the process was asked to end: all waits then end. */
  readonly isStopping?: (() => boolean) | undefined;
}

/**
 * Opens a resource that another process may not offer yet; retries while `open` throws Unavailable. Logs one line when
 * it begins to wait. @throws the last error after `waitMs`, any other error at once
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
