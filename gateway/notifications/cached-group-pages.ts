import { eraOfId } from '../../actors/domain/ids.js';
import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import { notifications } from '../../store/tables.js';
import type { Entry } from '../paging/cursor.js';
import { erasOf } from '../paging/eras.js';
import type { Page } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { Lens } from '../viewing/lens.js';
import { type CachedGroup, type CachedGroups, isPlain, keyOf } from './cached-groups.js';
import type { NotificationGroup } from './found-groups.js';
import type { Gathering, Wanted } from './group-gathering.js';
import { seenNotifications } from './seen-notifications.js';
import { Senders } from './senders.js';

type Row = Entry<StoreNotificationRecord>;

/** Cache key of a page that starts at the viewer's newest rows. */
export interface CachedPlace {
  readonly key: string;
  /** Newest first. */
  readonly eras: readonly number[];
}

/**
 * Returns the place of a page that starts at the newest rows, because clients repeat such requests; undefined for
 * others.
 */
export function placeOf({ services, viewer, bounds, filter, groupedTypes }: Wanted): CachedPlace | undefined {
  if (bounds.upwards || bounds.before !== undefined || bounds.after !== undefined) return undefined;
  const key = keyOf(viewer, bounds.limit, filter, groupedTypes);
  return key === undefined ? undefined : { key, eras: erasOf(viewer, services.clock, bounds) };
}

/** Returns an object that stays the same while the cached rows are unchanged. */
export function stateOf({ services, viewer }: Wanted, { eras: [era = 0] }: CachedPlace): object | undefined {
  return services.tables.peekState?.(notifications, { account: viewer, era });
}

/** Caches a page, unless a notification has content besides a status and a sender. */
export function keep(
  { services }: Wanted,
  { key, eras }: CachedPlace,
  state: object,
  { found, senders, further, lowest, last, isEnd }: Gathering,
  { items, ...page }: Page<NotificationGroup>,
): void {
  const from = lowest === '' ? last : lowest;
  const isInNewestEra = eras.length === 1 || (!isEnd && from !== undefined && eraOfId(from) === eras[0]);
  if (!isInNewestEra) return;
  const groups: CachedGroup[] = [];
  for (const { isGrouped, newest, oldestId, count, sample } of items) {
    if (!isPlain(newest.record)) return;
    const ids = sample.map(({ id }) => id);
    groups.push({ isGrouped, newest: { id: newest.id, record: newest.record }, oldestId, count, sample: ids });
  }
  if (further !== undefined && !isPlain(further.value)) return;
  const notified = ({ id, value }: Row) => ({ id, record: value });
  const cached = { further: further && notified(further), lost: found.lost.map(notified), people: senders.all() };
  services.pages.others.groupPages.set(key, { state, page, groups, ...cached });
}

/** Returns a cached page for the viewer; undefined if its visibility has changed. */
export function asKept(
  { services, viewer }: Wanted,
  lens: Lens,
  { page, groups, further, lost, people }: CachedGroups,
): Soon<Page<NotificationGroup> | undefined> {
  const senders = new Senders(services, lens);
  for (const [id, isHeard] of people) if (senders.hears(id) !== isHeard) return undefined;
  const stored = groups.map(({ newest }) => newest);
  if (further !== undefined) stored.push(further);
  const seenCount = stored.length;
  stored.push(...lost);
  return soon(seenNotifications(services, viewer, stored, { lens, people: senders }), (seen) => {
    const items: NotificationGroup[] = [];
    for (let index = 0; index < seen.length; index++) {
      const newest = seen[index];
      const wasSeen = index < seenCount;
      if ((newest !== undefined) !== wasSeen) return undefined;
      const group = groups[index];
      if (newest === undefined || group === undefined) continue;
      const { isGrouped, oldestId, count, sample } = group;
      const named = sample.map((id) => senders.get(id) as StoreAccountRecord);
      items.push({ isGrouped, newest, oldestId, count, sample: named });
    }
    return { ...page, items };
  });
}
