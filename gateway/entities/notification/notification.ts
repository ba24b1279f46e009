import { idMs } from '../../../actors/domain/ids.js';
import type { StoreAccountRecord, StoreNotificationRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import { type Soon, soon } from '../../paging/soon.js';
import { loadAccounts, type People } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import type { Relations } from '../../viewing/relations.js';
import { blocksDomainOf, isReadable } from '../../viewing/screen.js';
import { isPublished, isSuspended } from '../../viewing/standing.js';
import { relationsOf, type VisibleStatus, visibleById } from '../../viewing/visible.js';
import { collectionsById, type VisibleCollection } from '../../viewing/visible-collections.js';
import { type Account, renderAccount } from '../account/account.js';
import { renderAccountRoles } from '../account/role.js';
import { renderCollection } from '../status/collection.js';
import { renderStatuses, type Status } from '../status/status.js';
import { type NotificationSubject, subjectOf } from './notification-subject.js';
import type { StoredNotification } from './stored-notification.js';

/** The REST API's Notification. */
export interface Notification extends NotificationSubject {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly group_key: string;
  readonly account: Account;
  readonly status?: Status;
}

/** A notification that its owner may see, with its subject. */
export interface SeenNotification {
  readonly id: string;
  readonly record: StoredNotification['record'];
  readonly account: StoreAccountRecord;
  /** Present if the notification is about a status. */
  readonly status: VisibleStatus | undefined;
  /** Present if the notification is about a report, a warning, an event or a collection. */
  readonly subject: NotificationSubject | undefined;
}

/** Returns true for notifications that only moderators get. */
export const isOfDuty = ({ type }: StoreNotificationRecord): boolean => type.startsWith('admin.');

/** Results that the caller already has. */
interface Known {
  readonly relations: Relations;
  /** Accounts of the senders; not those of the statuses. */
  readonly people?: People;
}

/**
 * Checks and loads notifications with one read per table. Undefined if the account or the status is deleted, hidden,
 * blocked or muted.
 */
export function seenNotifications(
  services: ReadServices,
  viewer: string,
  stored: readonly StoredNotification[],
  known?: Known,
): Soon<(SeenNotification | undefined)[]> {
  const statusIds: string[] = [];
  const places = known?.people === undefined ? new Map<string, number>() : undefined;
  /** Index of each notification's status in `statusIds`. */
  const placeOf: number[] = [];
  let collectionIds: Set<string> | undefined;
  /** Accounts needed besides the senders. */
  let concerned: string[] | undefined;
  for (const { record } of stored) {
    const { statusId, collectionId, report } = record;
    placeOf.push(statusId ? placed(statusId, places, statusIds) : -1);
    if (collectionId !== undefined) {
      collectionIds ??= new Set();
      collectionIds.add(collectionId);
    }
    if (report !== undefined || record.warning !== undefined || isOfDuty(record)) {
      concerned ??= [viewer];
      if (report !== undefined) concerned.push(report.target);
    }
  }
  const options = { hideBlocked: true, context: 'notifications' } as const;
  const people = (): Soon<People> =>
    known?.people !== undefined && concerned === undefined
      ? known.people
      : loadAccounts(services, [...(concerned ?? []), ...stored.map(({ record }) => record.from)]);
  return soon(known?.relations ?? relationsOf(services, viewer), (relations) =>
    soon(people(), (accounts) =>
      soon(visibleById(services, viewer, statusIds, { ...options, relations }), (seen) => {
        const statusOf = (index: number) => seen[placeOf[index] ?? -1];
        if (collectionIds === undefined)
          return stored.map((one, n) => seenNotification(services, viewer, one, relations, accounts, statusOf(n)));
        return soon(collectionsSeen(services, viewer, [...collectionIds], relations), (collections) =>
          stored.map((one, n) =>
            seenNotification(services, viewer, one, relations, accounts, statusOf(n), collections),
          ),
        );
      }),
    ),
  );
}

/** Returns the index of the status in `ids`; without duplicates if `places` is given. */
function placed(id: string, places: Map<string, number> | undefined, ids: string[]): number {
  const known = places?.get(id);
  if (known !== undefined) return known;
  places?.set(id, ids.length);
  return ids.push(id) - 1;
}

function collectionsSeen(services: ReadServices, viewer: string, ids: readonly string[], relations: Relations) {
  return soon(
    collectionsById(services, viewer, ids, { relations, hideBlocked: true }),
    (seen) => new Map(ids.map((id, index) => [id, seen[index]])),
  );
}

function seenNotification(
  services: ReadServices,
  viewer: string,
  { id, record }: StoredNotification,
  relations: Relations,
  accounts: People,
  status: VisibleStatus | undefined,
  collections?: ReadonlyMap<string, VisibleCollection | undefined>,
): SeenNotification | undefined {
  const account = accounts.get(record.from);
  if (account === undefined || !isThere(account)) return undefined;
  if (isOfDuty(record)) {
    if (renderAccountRoles(accounts.get(viewer)?.role ?? '').length === 0) return undefined;
  } else if (!isHeardOf(account, relations)) return undefined;
  if (record.statusId !== undefined && status === undefined) return undefined;
  if (status !== undefined && isUnwantedTalk(record, status, relations)) return undefined;
  if (record.collectionId !== undefined) {
    const collection = collections?.get(record.collectionId);
    if (collection === undefined) return undefined;
    return { id, record, account, status, subject: { collection: renderCollection(services.instance, collection) } };
  }
  return { id, record, account, status, subject: subjectOf(services, viewer, record, accounts) };
}

/** Returns true if the account may appear as a sender. */
export const isThere = (account: StoreAccountRecord): boolean => isPublished(account) && !isSuspended(account);

/** Returns true if the viewer receives notifications from this account. Notifications to moderators ignore it. */
export function isHeardOf(account: StoreAccountRecord, relations: Relations): boolean {
  const relation = relations(account.id);
  if (relation?.blocking || relation?.blockedBy || relation?.mutingNotifications === true) return false;
  return relation?.following === true || !blocksDomainOf(relations.screen, account);
}

/**
 * Returns true for a mention in a conversation with accounts that the viewer blocks or mutes, and for a status in a
 * language that the viewer's follow excludes.
 */
function isUnwantedTalk({ type }: StoreNotificationRecord, { record }: VisibleStatus, relations: Relations): boolean {
  if (type === 'status') return !isReadable(relations.screen?.languages, record);
  return type === 'mention' && addressesUnwanted(record, relations);
}

/**
 * Returns true if the status replies to or mentions, besides the viewer, an account that the viewer blocks or whose
 * notifications the viewer mutes: such a conversation does not call the viewer. Source: Mastodon FeedManager,
 * filter_from_mentions?
 */
function addressesUnwanted({ mentions, inReplyToAccountId }: StoreStatusRecord, relations: Relations): boolean {
  const isUnwanted = (account: string): boolean => {
    const relation = relations(account);
    return relation?.blocking === true || relation?.mutingNotifications === true;
  };
  if (inReplyToAccountId && isUnwanted(inReplyToAccountId)) return true;
  return mentions.length > 1 && mentions.some(({ accountId }) => isUnwanted(accountId));
}

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

/** Returns the fields of a notification without account and subject. */
export function notificationHead({ id, record }: SeenNotification) {
  return { id, type: record.type, created_at: isoTime(record.atMs), group_key: groupKey(id, record) };
}

/** Renders notifications as objects. */
export async function renderNotifications(
  services: ReadServices,
  viewer: string,
  stored: readonly StoredNotification[],
): Promise<(Notification | undefined)[]> {
  const seen = await seenNotifications(services, viewer, stored);
  const statuses = await renderStatuses(
    services,
    viewer,
    seen.map((one) => one?.status),
  );
  return seen.map((one, index) => {
    const status = statuses[index];
    if (one === undefined || (one.status !== undefined && status === undefined)) return undefined;
    const account = renderAccount(services.instance, one.account);
    return { ...notificationHead(one), account, ...(status === undefined ? {} : { status }), ...one.subject };
  });
}
