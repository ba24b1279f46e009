import { Type } from '@sinclair/typebox';
import { entity, oneOf, type Shape, time } from '../../http/entity.js';
import { groupKey } from '../../notifications/group-key.js';
import type { SeenNotification } from '../../notifications/seen-notifications.js';
import { isoTime } from '../../paging/iso-time.js';
import { Account } from '../account/account.js';
import { Status } from '../status/status.js';
import { NotificationFallback } from './notification-fallback.js';
import { NotificationSubject } from './notification-subject.js';

export const notificationType = oneOf(
  'mention',
  'status',
  'reblog',
  'follow',
  'follow_request',
  'favourite',
  'poll',
  'update',
  'admin.sign_up',
  'admin.report',
  'severed_relationships',
  'moderation_warning',
  'quote',
  'quoted_update',
  'added_to_collection',
  'collection_update',
);

const Head = Type.Object({ id: Type.String(), type: notificationType, created_at: time(), group_key: Type.String() });

/** The REST API's Notification. */
export const Notification = entity('Notification', {
  ...Head.properties,
  account: Account,
  status: Type.Optional(Status),
  ...NotificationSubject.properties,
  fallback: Type.Optional(NotificationFallback),
});

/** Returns the fields of a notification without account and subject. */
export function notificationHead({ id, record }: SeenNotification): Shape<typeof Head> {
  return { id, type: record.type, created_at: isoTime(record.atMs), group_key: groupKey(id, record) };
}
