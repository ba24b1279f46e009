import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { renderAccountRoles } from '../pages/account/role.js';
import { type NotificationSubject, subjectOf } from '../pages/notification/notification-subject.js';
import { renderCollection } from '../pages/status/collection.js';
import { type Soon, soon } from '../paging/soon.js';
import { isUnwantedTalk, PLACES } from '../viewing/judge.js';
import { ACCOUNT_PLACES, isOfDuty, isSender, showsAccount } from '../viewing/judge-accounts.js';
import type { Lens } from '../viewing/lens.js';
import { loadAccounts, type People } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import { collectionsById, type VisibleCollection } from '../viewing/visible-collections.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import type { StoredNotification } from './stored-notification.js';

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

/** Results that the caller already has. */
interface Known {
  readonly lens: Lens;
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
  const people = (): Soon<People> =>
    known?.people !== undefined && concerned === undefined
      ? known.people
      : loadAccounts(services, [...(concerned ?? []), ...stored.map(({ record }) => record.from)]);
  return soon(known?.lens ?? lensOf(services, viewer), (lens) =>
    soon(people(), (accounts) =>
      soon(visibleById(services, viewer, statusIds, PLACES.notification, lens), (seen) => {
        const statusOf = (index: number) => seen[placeOf[index] ?? -1];
        if (collectionIds === undefined)
          return stored.map((one, n) => seenNotification(services, viewer, one, lens, accounts, statusOf(n)));
        return soon(collectionsSeen(services, viewer, [...collectionIds], lens), (collections) =>
          stored.map((one, n) => seenNotification(services, viewer, one, lens, accounts, statusOf(n), collections)),
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

function collectionsSeen(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  ids: readonly string[],
  lens: Lens,
) {
  return soon(
    collectionsById(services, viewer, ids, { lens, hideBlocked: true }),
    (seen) => new Map(ids.map((id, index) => [id, seen[index]])),
  );
}

function seenNotification(
  services: Pick<ReadServices, 'instance'>,
  viewer: string,
  { id, record }: StoredNotification,
  lens: Lens,
  accounts: People,
  status: VisibleStatus | undefined,
  collections?: ReadonlyMap<string, VisibleCollection | undefined>,
): SeenNotification | undefined {
  const account = accounts.get(record.from);
  if (account === undefined || !isSender(record, account)) return undefined;
  if (isOfDuty(record)) {
    if (renderAccountRoles(accounts.get(viewer)?.role ?? '').length === 0) return undefined;
  } else if (!showsAccount(account, lens, ACCOUNT_PLACES.sender)) return undefined;
  if (record.statusId !== undefined && status === undefined) return undefined;
  if (status !== undefined && isUnwantedTalk(record.type, status.record, lens)) return undefined;
  if (record.collectionId !== undefined) {
    const collection = collections?.get(record.collectionId);
    if (collection === undefined) return undefined;
    return { id, record, account, status, subject: { collection: renderCollection(services.instance, collection) } };
  }
  return { id, record, account, status, subject: subjectOf(services, viewer, record, accounts) };
}
