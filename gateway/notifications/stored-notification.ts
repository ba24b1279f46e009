import type { StoreNotificationRecord } from '../../proto/gen/types.js';

/** A stored notification with its id. */
export interface StoredNotification {
  readonly id: string;
  readonly record: StoreNotificationRecord;
}
