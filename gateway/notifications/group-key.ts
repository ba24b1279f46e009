import { idMs } from '../../actors/domain/ids.js';
import type { StoreNotificationRecord } from '../../proto/gen/types.js';

/** Types that are grouped by half days. Source: Mastodon Notification, MAXIMUM_GROUP_SPAN_HOURS. */
export const GROUPED_TYPES: readonly string[] = ['favourite', 'reblog', 'follow', 'admin.sign_up'];
export const GROUP_SPAN_MS = 12 * 3_600_000;

/** Returns the half day of an id. */
export const spanOf = (id: string): number => Math.floor(idMs(id) / GROUP_SPAN_MS);

/** Returns the key that the notifications of a group share. */
export function groupKey(
  id: string,
  { type, statusId, collectionId }: Pick<StoreNotificationRecord, 'type' | 'statusId' | 'collectionId'>,
  groupedTypes = GROUPED_TYPES,
): string {
  if (!groupedTypes.includes(type)) return `ungrouped-${id}`;
  const span = spanOf(id);
  const subject = statusId ?? collectionId;
  return subject === undefined ? `${type}-${span}` : `${type}-${subject}-${span}`;
}
