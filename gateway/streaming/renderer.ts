import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { AccountDirect, StoreNotificationRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { Soon } from '../paging/soon.js';
import type { StreamSources } from './sources.js';
import { StreamEvent } from './stream-event.js';

/** Delays of retries while the store is unavailable; the last one repeats. */
const RETRY_DELAYS_MS = [100, 500, 1_000, 2_000] as const;

/**
 * Retries while the store is unavailable and `wanted` returns true. Resolves with undefined when it is no longer
 * wanted.
 */
export async function untilAvailable<T>(
  clock: Clock,
  wanted: () => boolean,
  attempt: () => Soon<T>,
): Promise<T | undefined> {
  for (let tries = 0; wanted(); tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const delayMs = RETRY_DELAYS_MS[Math.min(tries, RETRY_DELAYS_MS.length - 1)] ?? 0;
      await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
    }
  }
  return undefined;
}

/**
 * Renders a status as an event. The event of an edited status has no position to resume from, because the id is the
 * time of the post.
 */
export async function statusEvent(
  sources: StreamSources,
  record: StoreStatusRecord,
  news: 'status' | 'edited' = 'status',
): Promise<StreamEvent | undefined> {
  const pieces = await sources.renderStatus(record);
  if (pieces === undefined) return undefined;
  return news === 'status'
    ? new StreamEvent('update', pieces, record.id)
    : new StreamEvent('status.update', pieces, undefined);
}

export async function notificationEvent(
  sources: StreamSources,
  viewer: string,
  id: string,
  record: StoreNotificationRecord,
): Promise<StreamEvent | undefined> {
  const pieces = await sources.renderNotification(viewer, id, record);
  return pieces && new StreamEvent('notification', pieces, id);
}

export async function conversationEvent(
  sources: StreamSources,
  viewer: string,
  direct: AccountDirect,
): Promise<(StreamEvent & { readonly id: string }) | undefined> {
  const found = await sources.renderConversation(viewer, direct);
  return found && (new StreamEvent('conversation', found.pieces, found.id) as StreamEvent & { id: string });
}
