import { idMs, makeId } from '../../actors/domain/ids.js';
import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import { notifications } from '../../store/tables.js';
import {
  GROUP_SPAN_MS,
  GROUPED_TYPES,
  groupKey,
  type SeenNotification,
  seenNotifications,
} from '../entities/notification.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import type { StoredNotification } from '../streaming/sources.js';
import type { Entry } from './cursor.js';
import { accountCursor } from './eras.js';
import { isAskedFor, type NotificationFilter } from './notifications.js';
import { type Page, READ_ROUNDS_MAX } from './page.js';

/** Notifications that say the same of the same. */
export interface NotificationGroup {
  readonly key: string;
  /** Newest first; those of the page, or all that are looked at. */
  readonly members: SeenNotification[];
}

/** Rows looked at for one page beyond those that it begins with: a group may be of thousands. */
const ROUND_ROWS = 40;
/** Of one group that are looked at. */
export const GROUP_MEMBERS_MAX = 1_000;

type Row = Entry<StoreNotificationRecord>;

/** Groups as they are found, and how far the rows were looked at. */
interface Gathering {
  readonly groups: Map<string, NotificationGroup>;
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
  const gathering: Gathering = { groups: new Map(), first: undefined, last: undefined, isFull: false, isEnd: false };
  const look = (round: number): Soon<Page<NotificationGroup>> => {
    if (round === READ_ROUNDS_MAX || gathering.isFull || gathering.isEnd) return pageOfGroups(gathering, bounds);
    // One row more than the page has groups: where nothing is grouped, that shows it to be full.
    const count = round === 0 ? Math.min(bounds.limit + 1, ROUND_ROWS) : ROUND_ROWS;
    return soon(cursor.next(count), (rows) =>
      soon(seenAmong(services, viewer, rows, filter), (seen) => {
        gather(gathering, rows, seen, bounds.limit, groupedTypes);
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
  groupedTypes: readonly string[],
): void {
  const { groups } = gathering;
  gathering.isEnd = rows.length === 0;
  for (const [index, { id }] of rows.entries()) {
    const one = seen[index];
    const key = one && groupKey(one.id, one.record, groupedTypes);
    if (key !== undefined && groups.size === limit && !groups.has(key)) {
      gathering.isFull = true;
      return;
    }
    gathering.first ??= id;
    gathering.last = id;
    if (one !== undefined && key !== undefined) join(groups, key, one);
  }
}

function pageOfGroups({ groups, first, last, isEnd }: Gathering, { upwards }: PageBounds): Page<NotificationGroup> {
  const items = [...groups.values()];
  if (!upwards) return { items, newest: first, oldest: last, more: !isEnd };
  for (const { members } of items) members.reverse();
  items.sort((a, b) => ((a.members[0]?.id ?? '') < (b.members[0]?.id ?? '') ? 1 : -1));
  return { items, newest: last, oldest: first, more: true };
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
  const types = key.startsWith('ungrouped-') ? [] : GROUPED_TYPES;
  const members: SeenNotification[] = [];
  for (let looked = 0; members.length < GROUP_MEMBERS_MAX; ) {
    const rows = await cursor.next(GROUP_MEMBERS_MAX);
    looked += rows.length;
    const own = rows.filter(({ id, value }) => mayBeOf(key, types, value) && groupKey(id, value, types) === key);
    const seen = await seenAmong(services, viewer, own, { withFiltered: true });
    for (const one of seen) if (one !== undefined) members.push(one);
    if (rows.length < GROUP_MEMBERS_MAX || looked >= READ_ROUNDS_MAX * GROUP_MEMBERS_MAX) break;
  }
  return members.length === 0 ? undefined : { key, members: members.slice(0, GROUP_MEMBERS_MAX) };
}

/** The key of what is grouped has in it what it is about: most are about something else, and no key is made for them. */
function mayBeOf(key: string, types: readonly string[], { statusId, collectionId }: StoreNotificationRecord): boolean {
  const subject = statusId ?? collectionId;
  return types.length === 0 || subject === undefined || key.includes(subject);
}

/** Where the members of a group are: at one id, or within a span of time. */
function boundsOf(key: string): Omit<PageBounds, 'limit'> | undefined {
  const end = /-(\d{1,18})$/.exec(key)?.[1];
  if (end === undefined) return undefined;
  const id = BigInt(end);
  if (key.startsWith('ungrouped-')) return between(id - 1n, id + 1n);
  const startMs = Number(id) * GROUP_SPAN_MS;
  if (startMs > idMs('9'.repeat(18))) return undefined;
  return between(BigInt(makeId(startMs, 0, 0)) - 1n, BigInt(makeId(startMs + GROUP_SPAN_MS, 0, 0)));
}

function between(after: bigint, before: bigint): Omit<PageBounds, 'limit'> {
  const text = (id: bigint) => (id < 0n ? 0n : id).toString().padStart(18, '0').slice(-18);
  return { after: text(after), before: text(before), upwards: false };
}

function join(groups: Map<string, NotificationGroup>, key: string, one: SeenNotification): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, { key, members: [one] });
  else group.members.push(one);
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
