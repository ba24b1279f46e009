import { groupKey } from '../../notifications/group-key.js';
import type { SeenNotification } from '../../notifications/seen-notifications.js';
import { isoTime } from '../../paging/iso-time.js';

/** Returns the fields of a notification without account and subject. */
export function notificationHead({ id, record }: SeenNotification) {
  return { id, type: record.type, created_at: isoTime(record.atMs), group_key: groupKey(id, record) };
}
