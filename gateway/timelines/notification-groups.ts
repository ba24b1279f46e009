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

/** Groups by their newest member, newest first: as many as `limit`, and all their members between its first and last row. */
export async function notificationGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes: readonly string[] = GROUPED_TYPES,
): Promise<Page<NotificationGroup>> {
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  const groups = new Map<string, NotificationGroup>();
  let [first, last]: (string | undefined)[] = [];
  let [isFull, isEnd] = [false, false];
  for (let round = 0; round < READ_ROUNDS_MAX && !isFull && !isEnd; round++) {
    const rows = await cursor.next(ROUND_ROWS);
    isEnd = rows.length === 0;
    const seen = await seenAmong(services, viewer, rows, filter);
    for (const [index, { id }] of rows.entries()) {
      const one = seen[index];
      const key = one && groupKey(one.id, one.record, groupedTypes);
      if (key !== undefined && !groups.has(key) && groups.size === bounds.limit) {
        isFull = true;
        break;
      }
      first ??= id;
      last = id;
      if (one !== undefined && key !== undefined) join(groups, key, one);
    }
  }
  const items = [...groups.values()];
  if (!bounds.upwards) return { items, newest: first, oldest: last, more: !isEnd };
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
async function seenAmong(services: Services, viewer: string, rows: readonly Row[], filter: NotificationFilter) {
  const wanted = rows.filter(({ value }) => isAskedFor(value, filter));
  const stored = wanted.map(({ id, value }) => ({ id, record: value }));
  const seen = await seenNotifications(services, viewer, stored);
  if (wanted.length === rows.length) return seen;
  const byId = new Map(stored.map(({ id }, index) => [id, seen[index]]));
  return rows.map(({ id }) => byId.get(id));
}
