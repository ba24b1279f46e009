import { idMs } from '../../../actors/domain/ids.js';
import type { StoreAccountRecord, StoreNotificationRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import { type Soon, soon } from '../../paging/soon.js';
import type { StoredNotification } from '../../streaming/sources.js';
import { loadAccounts, type People } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import type { Relations } from '../../viewing/relations.js';
import { blocksDomainOf, isReadable } from '../../viewing/screen.js';
import { relationsOf, type VisibleStatus, visibleById } from '../../viewing/visible.js';
import { collectionsById, type VisibleCollection } from '../../viewing/visible-collections.js';
import { type Account, isPublished, isSuspended, renderAccount } from '../account/account.js';
import { renderAccountRoles } from '../account/role.js';
import { renderCollection } from '../status/collection.js';
import { renderStatuses, type Status } from '../status/status.js';
import { type NotificationSubject, subjectOf } from './notification-subject.js';

/** The REST API's Notification. */
export interface Notification extends NotificationSubject {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly group_key: string;
  readonly account: Account;
  readonly status?: Status;
}

/** A notification that its owner may see, with what it tells of. */
export interface SeenNotification {
  readonly id: string;
  readonly record: StoredNotification['record'];
  readonly account: StoreAccountRecord;
  /** Present where it is about one. */
  readonly status: VisibleStatus | undefined;
  /** A report, a warning or an event, where it is about one. */
  readonly subject: NotificationSubject | undefined;
}

/** What moderators are told stays among them. */
export const isOfDuty = ({ type }: StoreNotificationRecord): boolean => type.startsWith('admin.');

/** What was asked for already. */
interface Known {
  readonly relations: Relations;
  /** Who did what is told of; they are of different statuses. */
  readonly people?: People;
}

/** With one read per table; undefined where the account or the status is gone, hidden, blocked or muted. */
export function seenNotifications(
  services: ReadServices,
  viewer: string,
  stored: readonly StoredNotification[],
  known?: Known,
): Soon<(SeenNotification | undefined)[]> {
  const statusIds: string[] = [];
  const places = known?.people === undefined ? new Map<string, number>() : undefined;
  /** Of each notification, that of its status among those that are looked for. */
  const placeOf: number[] = [];
  let collectionIds: Set<string> | undefined;
  /** Whom it takes besides those who did it. */
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

/** Where the status is among those that are looked for; each once, where `places` are given. */
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

/** Whether it can be shown to have done something. */
export const isThere = (account: StoreAccountRecord): boolean => isPublished(account) && !isSuspended(account);

/** Whether the viewer hears of what this account did; moderators' duties come from whoever it is. */
export function isHeardOf(account: StoreAccountRecord, relations: Relations): boolean {
  const relation = relations(account.id);
  if (relation?.blocking || relation?.blockedBy || relation?.mutingNotifications === true) return false;
  return relation?.following === true || !blocksDomainOf(relations.screen, account);
}

/** A mention amid people whom the viewer does not want, or a status that their follow of its author leaves out. */
function isUnwantedTalk({ type }: StoreNotificationRecord, { record }: VisibleStatus, relations: Relations): boolean {
  if (type === 'status') return !isReadable(relations.screen?.languages, record);
  return type === 'mention' && addressesUnwanted(record, relations);
}

/**
 * Whether it answers or mentions, besides the viewer, somebody whom the viewer does not want to hear of: a talk with them
 * is none that the viewer is called into. Source: Mastodon FeedManager, filter_from_mentions?
 */
function addressesUnwanted({ mentions, inReplyToAccountId }: StoreStatusRecord, relations: Relations): boolean {
  const isUnwanted = (account: string): boolean => {
    const relation = relations(account);
    return relation?.blocking === true || relation?.mutingNotifications === true;
  };
  if (inReplyToAccountId && isUnwanted(inReplyToAccountId)) return true;
  return mentions.length > 1 && mentions.some(({ accountId }) => isUnwanted(accountId));
}

/** Of these, a day's half at a time is shown as one. Source: Mastodon Notification, MAXIMUM_GROUP_SPAN_HOURS. */
export const GROUPED_TYPES: readonly string[] = ['favourite', 'reblog', 'follow', 'admin.sign_up'];
export const GROUP_SPAN_MS = 12 * 3_600_000;

/** Which half day an id is of. */
export const spanOf = (id: string): number => Math.floor(idMs(id) / GROUP_SPAN_MS);

/** What notifications that say the same have in common. */
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

/** What it says besides whom and what it tells of. */
export function notificationHead({ id, record }: SeenNotification) {
  return { id, type: record.type, created_at: isoTime(record.atMs), group_key: groupKey(id, record) };
}

/** As objects. */
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
