import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import { type Soon, soon } from '../paging/soon.js';
import type { ReadServices } from '../viewing/read-services.js';
import { loadStatuses } from '../viewing/visible.js';

/**
 * Time after a notification within which a missing row may still be written. Rows and notifications are effects of
 * different lanes, which do not wait for each other (ADR 4), and an outage of the store delays rows. Later a missing
 * row counts as deleted.
 */
const ROW_LATE_MS = 600_000;

/** Judges a missing row by the time of its notification. @throws Unavailable if it may still be written */
export function doubtMissing(clock: Pick<Clock, 'nowMs'>, atMs: number): void {
  if (clock.nowMs() - atMs < ROW_LATE_MS) throw new Unavailable('a row is not stored yet');
}

/**
 * Resolves when the status of a notification, or of a conversation, can be judged. A deleted status keeps its row, so a
 * missing row is not stored yet. Call this before the judge, which treats a missing row as a deleted status.
 * @param atMs time of the notification
 * @throws Unavailable if the row may still be written
 */
export function statusStored(
  services: Pick<ReadServices, 'tables' | 'clock'>,
  statusId: string | undefined,
  atMs: number,
): Soon<void> {
  // Notifications of a follow, for example, have no status.
  if (!statusId) return undefined;
  return soon(loadStatuses(services, [statusId]), ([record]) => {
    if (record === undefined) doubtMissing(services.clock, atMs);
  });
}
