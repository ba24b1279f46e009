import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import { notificationCursor } from '../paging/notification-cursor.js';
import { READ_ROUNDS_MAX } from '../paging/page.js';
import type { ReadServices } from '../viewing/read-services.js';
import { type NotificationGroup, sampleOf } from './found-groups.js';
import { GROUP_MEMBERS_MAX } from './group-gathering.js';
import { GROUPED_TYPES, groupKey } from './group-key.js';
import { boundsOf, isUngrouped } from './group-spans.js';
import { type SeenNotification, seenNotifications } from './seen-notifications.js';

/** One group with all its members. */
interface WholeGroup extends NotificationGroup {
  /** Newest first. */
  readonly members: readonly SeenNotification[];
}

/** Returns the group of a key; undefined if the viewer has none. */
export async function notificationGroup(
  services: ReadServices,
  viewer: string,
  key: string,
): Promise<WholeGroup | undefined> {
  const bounds = boundsOf(key);
  if (bounds === undefined) return undefined;
  const cursor = notificationCursor(services, viewer, bounds);
  const isGrouped = !isUngrouped(key);
  const types = isGrouped ? GROUPED_TYPES : [];
  const found: SeenNotification[] = [];
  for (let looked = 0; found.length < GROUP_MEMBERS_MAX; ) {
    const rows = await cursor.next(GROUP_MEMBERS_MAX);
    looked += rows.length;
    const own = rows.filter(({ id, value }) => mayBeOf(key, types, value) && groupKey(id, value, types) === key);
    const stored = own.map(({ id, value }) => ({ id, record: value }));
    const seen = await seenNotifications(services, viewer, stored);
    for (const one of seen) if (one !== undefined) found.push(one);
    if (rows.length < GROUP_MEMBERS_MAX || looked >= READ_ROUNDS_MAX * GROUP_MEMBERS_MAX) break;
  }
  const members = found.slice(0, GROUP_MEMBERS_MAX);
  const [newest, oldest] = [members[0], members.at(-1)];
  if (newest === undefined || oldest === undefined) return undefined;
  const sample = sampleOf(members.map(({ account }) => account));
  return { isGrouped, newest, oldestId: oldest.id, count: members.length, sample, members };
}

/**
 * Returns false if the key cannot be the row's. The key of a group contains its subject, so this avoids building the
 * keys of most rows.
 */
function mayBeOf(key: string, types: readonly string[], { statusId, collectionId }: StoreNotificationRecord): boolean {
  const subject = statusId ?? collectionId;
  return types.length === 0 || subject === undefined || key.includes(subject);
}
