import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { AccountDirect, StoreNotificationRecord, StoreStatusRecord } from '../../proto/gen/types.js';
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
  attempt: () => Promise<T>,
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
  const entity = await sources.renderStatus(record);
  if (entity === undefined) return undefined;
  const json = JSON.stringify(entity);
  const hasPoll = showsPoll(entity);
  return news === 'status'
    ? new StreamEvent('update', json, record.id, hasPoll)
    : new StreamEvent('status.update', json, undefined, hasPoll);
}

function showsPoll({ poll, reblog }: { readonly poll?: unknown; readonly reblog?: object | null }): boolean {
  return poll != null || (reblog != null && showsPoll(reblog));
}

export async function notificationEvent(
  sources: StreamSources,
  viewer: string,
  id: string,
  record: StoreNotificationRecord,
): Promise<StreamEvent | undefined> {
  const entity = await sources.renderNotification(viewer, id, record);
  return entity === undefined ? undefined : new StreamEvent('notification', JSON.stringify(entity), id);
}

export async function conversationEvent(
  sources: StreamSources,
  viewer: string,
  direct: AccountDirect,
): Promise<(StreamEvent & { readonly id: string }) | undefined> {
  const found = await sources.renderConversation(viewer, direct);
  if (found === undefined) return undefined;
  return new StreamEvent('conversation', JSON.stringify(found.entity), found.id) as StreamEvent & { id: string };
}
