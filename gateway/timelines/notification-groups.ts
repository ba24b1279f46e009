import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import { notifications } from '../../store/tables.js';
import { GROUPED_TYPES, groupKey, type SeenNotification, seenNotifications } from '../entities/notification.js';
import type { PageBounds } from '../http/paging.js';
import type { Relations } from '../relations.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import { relationsOf } from '../visible.js';
import type { Entry } from './cursor.js';
import { accountCursor } from './eras.js';
import { FoundGroups, type NotificationGroup } from './found-groups.js';
import { boundsOf, isUngrouped } from './group-spans.js';
import { isAskedFor, type NotificationFilter } from './notifications.js';
import { type Page, READ_ROUNDS_MAX } from './page.js';
import { Senders } from './senders.js';

/** Rows looked at for one page beyond those that it begins with: a group may be of thousands. */
const ROUND_ROWS = 40;
/** Of one group that are looked at; below a page, of all its groups together. */
export const GROUP_MEMBERS_MAX = 1_000;

type Row = Entry<StoreNotificationRecord>;

/** Groups as they are found, and how far the rows were looked at. */
interface Gathering {
  readonly found: FoundGroups;
  readonly senders: Senders;
  readonly relations: Relations;
  first: string | undefined;
  last: string | undefined;
  isFull: boolean;
  isEnd: boolean;
}

/** Whose groups are looked for, and which. */
interface Wanted {
  readonly services: Services;
  readonly viewer: string;
  readonly bounds: PageBounds;
  readonly filter: NotificationFilter;
}

/** Groups by their newest member, newest first: as many as `limit`, and all their members between its first and last row. */
export function notificationGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes: readonly string[] = GROUPED_TYPES,
): Soon<Page<NotificationGroup>> {
  const wanted = { services, viewer, bounds, filter };
  return soon(relationsOf(services, viewer), (relations) => {
    const found = new FoundGroups(groupedTypes);
    const senders = new Senders(services, relations);
    return gathered(wanted, {
      found,
      senders,
      relations,
      first: undefined,
      last: undefined,
      isFull: false,
      isEnd: false,
    });
  });
}

function gathered(wanted: Wanted, gathering: Gathering): Soon<Page<NotificationGroup>> {
  const { services, viewer, bounds } = wanted;
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  const look = (round: number): Soon<Page<NotificationGroup>> => {
    if (round === READ_ROUNDS_MAX || gathering.isFull || gathering.isEnd) {
      return soon(judge(wanted, gathering), () =>
        soon(withOlder(wanted, gathering), () => pageOfGroups(wanted, gathering)),
      );
    }
    // One row more than the page has groups: where nothing is grouped, that shows it to be full.
    const count = round === 0 ? Math.min(bounds.limit + 1, ROUND_ROWS) : ROUND_ROWS;
    return soon(cursor.next(count), (rows) => {
      gathering.isEnd = rows.length === 0;
      return soon(gather(wanted, gathering, rows, 0), () => look(round + 1));
    });
  };
  return look(0);
}

/** By whom they come from and what they are about; what that is, is judged for each group, when there are enough. */
function gather(wanted: Wanted, gathering: Gathering, rows: readonly Row[], start: number): Soon<void> {
  const { found, senders } = gathering;
  const { limit } = wanted.bounds;
  for (let index = start; index < rows.length; index++) {
    const row = rows[index] as Row;
    if (isAskedFor(row.value, wanted.filter)) {
      const sender = senders.of(row.value);
      if (sender === undefined) {
        return soon(senders.load(sendersOf(rows, index)), () => gather(wanted, gathering, rows, index));
      }
      if (sender !== null) {
        const group = found.of(row);
        if (group !== undefined) {
          group.last = row;
          group.people.push(sender);
        } else if (found.groups.length < limit) found.begin(row, sender);
        else return soon(judge(wanted, gathering, row), (isSeen) => goOn(wanted, gathering, rows, index, isSeen));
      }
    }
    gathering.first ??= row.id;
    gathering.last = row.id;
  }
}

/** Behind as many groups as are wanted, where all were judged: the page ends at a row of another that the viewer sees. */
function goOn(wanted: Wanted, gathering: Gathering, rows: readonly Row[], index: number, isSeen: boolean): Soon<void> {
  if (!isSeen) {
    gathering.last = rows[index]?.id;
    return gather(wanted, gathering, rows, index + 1);
  }
  gathering.isFull = gathering.found.groups.length === wanted.bounds.limit;
  return gathering.isFull ? undefined : gather(wanted, gathering, rows, index);
}

const sendersOf = (rows: readonly Row[], start: number): string[] => rows.slice(start).map(({ value }) => value.from);

/** Leaves out the groups that tell of what the viewer may not see. Whether they see `further`, too, if there is one. */
function judge({ services, viewer }: Wanted, { found, relations }: Gathering, further?: Row): Soon<boolean> {
  const rows = found.unjudged();
  if (further !== undefined) rows.push(further);
  if (rows.length === 0) return false;
  const stored = rows.map(({ id, value }) => ({ id, record: value }));
  return soon(seenNotifications(services, viewer, stored, relations), (seen) => {
    found.judge(seen);
    return further !== undefined && seen.at(-1) !== undefined;
  });
}

function pageOfGroups({ services, viewer, bounds }: Wanted, gathering: Gathering): Soon<Page<NotificationGroup>> {
  const { found, relations, first, last, isEnd } = gathering;
  if (!bounds.upwards) {
    const items: NotificationGroup[] = [];
    for (const group of found.groups) {
      const { seen, span, people } = group;
      if (seen === undefined) continue;
      items.push({ isGrouped: span !== undefined, newest: seen, oldestId: group.last.id, people });
    }
    return { items, newest: first, oldest: last, more: !isEnd };
  }
  // Read from the oldest on: of each group the last that was found is the newest.
  const newest = found.groups.map((group) => ({ id: group.last.id, record: group.last.value }));
  return soon(seenNotifications(services, viewer, newest, relations), (seen) => {
    const items: NotificationGroup[] = [];
    for (const [index, group] of found.groups.entries()) {
      const one = seen[index];
      if (one === undefined) continue;
      items.push({
        isGrouped: group.span !== undefined,
        newest: one,
        oldestId: group.first.id,
        people: group.people,
      });
    }
    items.sort((a, b) => (a.newest.id < b.newest.id ? 1 : -1));
    return { items, newest: last, oldest: first, more: true };
  });
}

/**
 * Finds what lies below a page of its groups: each is counted, and its people are named, up to the page's newest row.
 * Source: Mastodon NotificationGroup.load_groups_data. One read, where the page's lowest row is of a group's half day.
 */
function withOlder({ services, viewer, bounds, filter }: Wanted, gathering: Gathering): Soon<void> {
  const { found, first, last, isEnd } = gathering;
  const { upwards, after } = bounds;
  if (upwards) for (const { people } of found.groups) people.reverse();
  const lowest = upwards ? first : last;
  const isWhole = isEnd && !upwards && after === undefined;
  if (lowest === undefined || isWhole) return;
  const span = found.goingOn(lowest);
  if (span === undefined) return;
  const below = { ...span, before: lowest };
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, below);
  return soon(cursor.next(GROUP_MEMBERS_MAX), (rows) => {
    const own = rows.filter((row) => found.of(row) !== undefined && isAskedFor(row.value, filter));
    return own.length === 0 ? undefined : addOlder(gathering, own, 0);
  });
}

function addOlder(gathering: Gathering, rows: readonly Row[], start: number): Soon<void> {
  const { found, senders } = gathering;
  for (let index = start; index < rows.length; index++) {
    const row = rows[index] as Row;
    const sender = senders.of(row.value);
    if (sender === undefined) {
      return soon(senders.load(sendersOf(rows, index)), () => addOlder(gathering, rows, index));
    }
    if (sender !== null) found.of(row)?.people.push(sender);
  }
}

/** One group with all its members. */
interface WholeGroup extends NotificationGroup {
  /** Newest first. */
  readonly members: readonly SeenNotification[];
}

/** Undefined where the viewer has none of that name. */
export async function notificationGroup(
  services: Services,
  viewer: string,
  key: string,
): Promise<WholeGroup | undefined> {
  const bounds = boundsOf(key);
  if (bounds === undefined) return undefined;
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
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
  return { isGrouped, newest, oldestId: oldest.id, people: members.map(({ account }) => account), members };
}

/** The key of what is grouped has in it what it is about: most are about something else, and no key is made for them. */
function mayBeOf(key: string, types: readonly string[], { statusId, collectionId }: StoreNotificationRecord): boolean {
  const subject = statusId ?? collectionId;
  return types.length === 0 || subject === undefined || key.includes(subject);
}
