import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import { notifications } from '../../store/tables.js';
import { GROUPED_TYPES, groupKey, type SeenNotification, seenNotifications } from '../entities/notification.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import type { StoredNotification } from '../streaming/sources.js';
import type { Entry } from './cursor.js';
import { accountCursor } from './eras.js';
import { FoundGroups, type NotificationGroup } from './found-groups.js';
import { boundsOf, isUngrouped } from './group-spans.js';
import { isAskedFor, type NotificationFilter } from './notifications.js';
import { type Page, READ_ROUNDS_MAX } from './page.js';

/** Rows looked at for one page beyond those that it begins with: a group may be of thousands. */
const ROUND_ROWS = 40;
/** Of one group that are looked at; below a page, of all its groups together. */
export const GROUP_MEMBERS_MAX = 1_000;

type Row = Entry<StoreNotificationRecord>;

/** Groups as they are found, and how far the rows were looked at. */
interface Gathering {
  readonly found: FoundGroups;
  first: string | undefined;
  last: string | undefined;
  isFull: boolean;
  isEnd: boolean;
}

/** Groups by their newest member, newest first: as many as `limit`, and all their members between its first and last row. */
export function notificationGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes: readonly string[] = GROUPED_TYPES,
): Soon<Page<NotificationGroup>> {
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  const found = new FoundGroups(groupedTypes);
  const gathering: Gathering = { found, first: undefined, last: undefined, isFull: false, isEnd: false };
  const look = (round: number): Soon<Page<NotificationGroup>> => {
    if (round === READ_ROUNDS_MAX || gathering.isFull || gathering.isEnd) {
      return soon(withOlder(services, viewer, gathering, bounds, filter), () => pageOfGroups(gathering, bounds));
    }
    // One row more than the page has groups: where nothing is grouped, that shows it to be full.
    const count = round === 0 ? Math.min(bounds.limit + 1, ROUND_ROWS) : ROUND_ROWS;
    return soon(cursor.next(count), (rows) =>
      soon(seenAmong(services, viewer, rows, filter), (seen) => {
        gather(gathering, rows, seen, bounds.limit);
        return look(round + 1);
      }),
    );
  };
  return look(0);
}

function gather(
  gathering: Gathering,
  rows: readonly Row[],
  seen: readonly (SeenNotification | undefined)[],
  limit: number,
): void {
  const { found } = gathering;
  gathering.isEnd = rows.length === 0;
  for (let index = 0; index < rows.length; index++) {
    const { id } = rows[index] as Row;
    const one = seen[index];
    const group = one && found.of(id, one.record);
    if (one !== undefined && group === undefined && found.groups.length === limit) {
      gathering.isFull = true;
      return;
    }
    gathering.first ??= id;
    gathering.last = id;
    if (group !== undefined) group.members.push(one as SeenNotification);
    else if (one !== undefined) found.begin(one);
  }
}

function pageOfGroups({ found, first, last, isEnd }: Gathering, { upwards }: PageBounds): Page<NotificationGroup> {
  const items = found.groups;
  if (!upwards) return { items, newest: first, oldest: last, more: !isEnd };
  for (const { members } of items) members.reverse();
  items.sort((a, b) => ((a.members[0]?.id ?? '') < (b.members[0]?.id ?? '') ? 1 : -1));
  return { items, newest: last, oldest: first, more: true };
}

/**
 * Finds what lies below a page of its groups: each is counted, and its people are named, up to the page's newest row.
 * Source: Mastodon NotificationGroup.load_groups_data. One read, where the page's lowest row is of a group's half day.
 */
function withOlder(
  services: Services,
  viewer: string,
  { found, first, last, isEnd }: Gathering,
  { upwards, after }: PageBounds,
  filter: NotificationFilter,
): Soon<void> {
  const lowest = upwards ? first : last;
  const isWhole = isEnd && !upwards && after === undefined;
  if (lowest === undefined || isWhole) return;
  const span = found.goingOn(lowest);
  if (span === undefined) return;
  const below = { ...span, before: lowest };
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, below);
  return soon(cursor.next(GROUP_MEMBERS_MAX), (rows) => {
    const own = rows.filter(({ id, value }) => found.of(id, value) !== undefined);
    if (own.length === 0) return;
    return soon(seenAmong(services, viewer, own, filter), (seen) => {
      for (const one of seen) if (one !== undefined) found.of(one.id, one.record)?.older.push(one);
    });
  });
}

/** One group with all its members; undefined where the viewer has none of that name. */
export async function notificationGroup(
  services: Services,
  viewer: string,
  key: string,
): Promise<NotificationGroup | undefined> {
  const bounds = boundsOf(key);
  if (bounds === undefined) return undefined;
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  const types = isUngrouped(key) ? [] : GROUPED_TYPES;
  const members: SeenNotification[] = [];
  for (let looked = 0; members.length < GROUP_MEMBERS_MAX; ) {
    const rows = await cursor.next(GROUP_MEMBERS_MAX);
    looked += rows.length;
    const own = rows.filter(({ id, value }) => mayBeOf(key, types, value) && groupKey(id, value, types) === key);
    const seen = await seenAmong(services, viewer, own, { withFiltered: true });
    for (const one of seen) if (one !== undefined) members.push(one);
    if (rows.length < GROUP_MEMBERS_MAX || looked >= READ_ROUNDS_MAX * GROUP_MEMBERS_MAX) break;
  }
  return members.length === 0
    ? undefined
    : { key, members: members.slice(0, GROUP_MEMBERS_MAX), older: [], span: bounds };
}

/** The key of what is grouped has in it what it is about: most are about something else, and no key is made for them. */
function mayBeOf(key: string, types: readonly string[], { statusId, collectionId }: StoreNotificationRecord): boolean {
  const subject = statusId ?? collectionId;
  return types.length === 0 || subject === undefined || key.includes(subject);
}

/** In the rows' order; undefined where one is not asked for, or not for the viewer. */
function seenAmong(
  services: Services,
  viewer: string,
  rows: readonly Row[],
  filter: NotificationFilter,
): Soon<(SeenNotification | undefined)[]> {
  const stored: StoredNotification[] = [];
  for (const { id, value } of rows) if (isAskedFor(value, filter)) stored.push({ id, record: value });
  return soon(seenNotifications(services, viewer, stored), (seen) => {
    if (stored.length === rows.length) return seen;
    const byId = new Map(stored.map(({ id }, index) => [id, seen[index]]));
    return rows.map(({ id }) => byId.get(id));
  });
}
