import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Entry } from '../paging/cursor.js';
import { notificationCursor } from '../paging/notification-cursor.js';
import { READ_ROUNDS_MAX } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { Lens } from '../viewing/lens.js';
import { FoundGroups } from './found-groups.js';
import { GROUPED_TYPES } from './group-key.js';
import { isAskedFor, type NotificationFilter } from './notification-filter.js';
import { seenNotifications } from './seen-notifications.js';
import { Senders } from './senders.js';

/** Rows read in a further round for one page: a group may have thousands. */
const ROUND_ROWS = 40;
/** Members of one group that are read; below a page, of all its groups together. */
export const GROUP_MEMBERS_MAX = 1_000;

type Row = Entry<StoreNotificationRecord>;

/** Groups under construction, and the state of reading. */
export interface Gathering {
  readonly found: FoundGroups;
  readonly senders: Senders;
  readonly lens: Lens;
  first: string | undefined;
  last: string | undefined;
  /** First row of the next group after the page is full. */
  further: Row | undefined;
  /** Id below which no row was read. */
  lowest: string;
  isFull: boolean;
  isEnd: boolean;
}

/** The viewer, and the groups requested. */
export interface Wanted {
  readonly services: Services;
  readonly viewer: string;
  readonly bounds: PageBounds;
  readonly filter: NotificationFilter;
  /** Undefined: the types that are grouped by default. */
  readonly groupedTypes: readonly string[] | undefined;
}

/** Creates the state that `gathered`, and for a page `withOlder`, fill. */
export function gatheringOf({ services, groupedTypes }: Wanted, lens: Lens): Gathering {
  return {
    found: new FoundGroups(groupedTypes ?? GROUPED_TYPES),
    senders: new Senders(services, lens),
    lens,
    first: undefined,
    last: undefined,
    further: undefined,
    lowest: '',
    isFull: false,
    isEnd: false,
  };
}

/** Reads all groups of a page and checks their visibility. */
export function gathered(wanted: Wanted, gathering: Gathering): Soon<Gathering> {
  const { services, viewer, bounds } = wanted;
  const cursor = notificationCursor(services, viewer, bounds);
  const look = (round: number): Soon<Gathering> => {
    if (round === READ_ROUNDS_MAX || gathering.isFull || gathering.isEnd) {
      return soon(judge(wanted, gathering), () => gathering);
    }
    // One row more than the page has groups: without grouping, that row shows that the page is full.
    const count = round === 0 ? Math.min(bounds.limit + 1, ROUND_ROWS) : ROUND_ROWS;
    return soon(cursor.next(count), (rows) => {
      gathering.isEnd = rows.length === 0;
      return soon(gather(wanted, gathering, rows, 0), () => look(round + 1));
    });
  };
  return look(0);
}

/**
 * Adds rows to groups by sender and subject. The subjects' visibility is checked once per group, when the page has
 * enough groups.
 */
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

/** Continues after the check of a full page: the page ends at the first row of a further group that the viewer sees. */
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

/** Removes the groups whose subject the viewer may not see. Returns true if `further` is given and visible. */
function judge({ services, viewer }: Wanted, { found, lens, senders }: Gathering, further?: Row): Soon<boolean> {
  const rows = found.unjudged();
  if (further !== undefined) rows.push(further);
  if (rows.length === 0) return false;
  const stored = rows.map(({ id, value }) => ({ id, record: value }));
  return soon(seenNotifications(services, viewer, stored, { lens, people: senders }), (seen) => {
    found.judge(seen);
    return further !== undefined && seen.at(-1) !== undefined;
  });
}

/**
 * Reads the members of the page's groups below the page. Each is counted, and its sender is named, up to the page's
 * newest row. Source: Mastodon NotificationGroup.load_groups_data. Takes one read, if the page's lowest row is in a
 * group's half day.
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
