import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import { GROUPED_TYPES, seenNotifications } from '../entities/notification/notification.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Entry } from '../paging/cursor.js';
import { READ_ROUNDS_MAX } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { Relations } from '../viewing/relations.js';
import { FoundGroups } from './found-groups.js';
import { notificationCursor } from './notification-cursor.js';
import { isAskedFor, type NotificationFilter } from './notification-filter.js';
import { Senders } from './senders.js';

/** Rows looked at for one page beyond those that it begins with: a group may be of thousands. */
const ROUND_ROWS = 40;
/** Of one group that are looked at; below a page, of all its groups together. */
export const GROUP_MEMBERS_MAX = 1_000;

type Row = Entry<StoreNotificationRecord>;

/** Groups as they are found, and how far the rows were looked at. */
export interface Gathering {
  readonly found: FoundGroups;
  readonly senders: Senders;
  readonly relations: Relations;
  first: string | undefined;
  last: string | undefined;
  /** Of another group, behind as many as are wanted. */
  further: Row | undefined;
  /** Below which nothing was looked at. */
  lowest: string;
  isFull: boolean;
  isEnd: boolean;
}

/** Whose groups are looked for, and which. */
export interface Wanted {
  readonly services: Services;
  readonly viewer: string;
  readonly bounds: PageBounds;
  readonly filter: NotificationFilter;
  /** Undefined: those that are by themselves. */
  readonly groupedTypes: readonly string[] | undefined;
}

/** To be filled by `gathered`, and where the page is shown by `withOlder`. */
export function gatheringOf({ services, groupedTypes }: Wanted, relations: Relations): Gathering {
  return {
    found: new FoundGroups(groupedTypes ?? GROUPED_TYPES),
    senders: new Senders(services, relations),
    relations,
    first: undefined,
    last: undefined,
    further: undefined,
    lowest: '',
    isFull: false,
    isEnd: false,
  };
}

/** All groups of a page, each judged. */
export function gathered(wanted: Wanted, gathering: Gathering): Soon<Gathering> {
  const { services, viewer, bounds } = wanted;
  const cursor = notificationCursor(services, viewer, bounds);
  const look = (round: number): Soon<Gathering> => {
    if (round === READ_ROUNDS_MAX || gathering.isFull || gathering.isEnd) {
      return soon(judge(wanted, gathering), () => gathering);
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
    gathering.found.lost.push(rows[index] as Row);
    return gather(wanted, gathering, rows, index + 1);
  }
  gathering.isFull = gathering.found.groups.length === wanted.bounds.limit;
  if (!gathering.isFull) return gather(wanted, gathering, rows, index);
  gathering.further = rows[index];
}

const sendersOf = (rows: readonly Row[], start: number): string[] => rows.slice(start).map(({ value }) => value.from);

/** Leaves out the groups that tell of what the viewer may not see. Whether they see `further`, too, if there is one. */
function judge({ services, viewer }: Wanted, { found, relations, senders }: Gathering, further?: Row): Soon<boolean> {
  const rows = found.unjudged();
  if (further !== undefined) rows.push(further);
  if (rows.length === 0) return false;
  const stored = rows.map(({ id, value }) => ({ id, record: value }));
  return soon(seenNotifications(services, viewer, stored, { relations, people: senders }), (seen) => {
    found.judge(seen);
    return further !== undefined && seen.at(-1) !== undefined;
  });
}

/**
 * Finds what lies below a page of its groups: each is counted, and its people are named, up to the page's newest row.
 * Source: Mastodon NotificationGroup.load_groups_data. One read, where the page's lowest row is of a group's half day.
 */
export function withOlder({ services, viewer, bounds, filter }: Wanted, gathering: Gathering): Soon<void> {
  const { found, first, last, isEnd } = gathering;
  const { upwards, after } = bounds;
  if (upwards) for (const { people } of found.groups) people.reverse();
  const lowest = upwards ? first : last;
  const isWhole = isEnd && !upwards && after === undefined;
  if (lowest === undefined || isWhole) return;
  const span = found.goingOn(lowest);
  if (span === undefined) return;
  gathering.lowest = span.after;
  const below = { ...span, before: lowest };
  const cursor = notificationCursor(services, viewer, below);
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
