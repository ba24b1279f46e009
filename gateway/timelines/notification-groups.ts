import { eraOfId } from '../../actors/domain/ids.js';
import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import { notifications } from '../../store/tables.js';
import { GROUPED_TYPES, type SeenNotification, seenNotifications } from '../entities/notification.js';
import type { PageBounds } from '../http/paging.js';
import type { Relations } from '../relations.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import { relationsOf } from '../visible.js';
import type { Entry } from './cursor.js';
import { accountCursor, erasOf } from './eras.js';
import { type FoundGroup, FoundGroups, type NotificationGroup, sampleOf } from './found-groups.js';
import { isPlain, type KeptGroup, type KeptGroups, keyOf } from './kept-groups.js';
import { isAskedFor, type NotificationFilter } from './notification-filter.js';
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
  /** Of another group, behind as many as are wanted. */
  further: Row | undefined;
  /** Below which nothing was looked at. */
  lowest: string;
  isFull: boolean;
  isEnd: boolean;
}

/** Whose groups are looked for, and which. */
interface Wanted {
  readonly services: Services;
  readonly viewer: string;
  readonly bounds: PageBounds;
  readonly filter: NotificationFilter;
  /** Undefined: those that are by themselves. */
  readonly groupedTypes: readonly string[] | undefined;
}

/** Groups by their newest member, newest first: as many as `limit`, and all their members between its first and last row. */
export function notificationGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes?: readonly string[],
): Soon<Page<NotificationGroup>> {
  const wanted = { services, viewer, bounds, filter, groupedTypes };
  return soon(relationsOf(services, viewer), (relations) => {
    const place = placeOf(wanted);
    const state = place && stateOf(wanted, place);
    if (place === undefined || state === undefined) return found(wanted, relations, place);
    const kept = services.pages.others.groupPages.get(place.key);
    if (kept?.state !== state) return found(wanted, relations, place);
    return soon(asKept(wanted, relations, kept), (page) => page ?? found(wanted, relations, undefined));
  });
}

/** How many of them there are. */
export function countGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes?: readonly string[],
): Soon<number> {
  const wanted = { services, viewer, bounds, filter, groupedTypes };
  return soon(relationsOf(services, viewer), (relations) =>
    soon(gathered(wanted, gatheringOf(wanted, relations)), ({ found: { groups } }) => groups.length),
  );
}

/** `place`: where the page is kept, if it follows from the rows alone. */
function found(wanted: Wanted, relations: Relations, place: KeptPlace | undefined): Soon<Page<NotificationGroup>> {
  const state = place && stateOf(wanted, place);
  return soon(gathered(wanted, gatheringOf(wanted, relations)), (gathering) =>
    soon(withOlder(wanted, gathering), () =>
      soon(pageOfGroups(wanted, gathering), (page) => {
        if (place !== undefined && state !== undefined && state === stateOf(wanted, place)) {
          keep(wanted, place, state, gathering, page);
        }
        return page;
      }),
    ),
  );
}

function gatheringOf({ services, groupedTypes }: Wanted, relations: Relations): Gathering {
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
function gathered(wanted: Wanted, gathering: Gathering): Soon<Gathering> {
  const { services, viewer, bounds } = wanted;
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
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

function pageOfGroups({ services, viewer, bounds }: Wanted, gathering: Gathering): Soon<Page<NotificationGroup>> {
  const { found, relations, senders, first, last, isEnd } = gathering;
  const groupOf = ({ span, people }: FoundGroup, newest: SeenNotification, oldest: Row): NotificationGroup => {
    return {
      isGrouped: span !== undefined,
      newest,
      oldestId: oldest.id,
      count: people.length,
      sample: sampleOf(people),
    };
  };
  if (!bounds.upwards) {
    const items: NotificationGroup[] = [];
    for (const group of found.groups) if (group.seen !== undefined) items.push(groupOf(group, group.seen, group.last));
    return { items, newest: first, oldest: last, more: !isEnd };
  }
  // Read from the oldest on: of each group the last that was found is the newest.
  const newest = found.groups.map((group) => ({ id: group.last.id, record: group.last.value }));
  return soon(seenNotifications(services, viewer, newest, { relations, people: senders }), (seen) => {
    const items: NotificationGroup[] = [];
    for (const [index, group] of found.groups.entries()) {
      const one = seen[index];
      if (one !== undefined) items.push(groupOf(group, one, group.first));
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
  gathering.lowest = span.after;
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

/** Where a page is kept that follows from the newest rows of the viewer's. */
interface KeptPlace {
  readonly key: string;
  /** Newest first. */
  readonly eras: readonly number[];
}

/** Of pages that begin with the newest: these are asked for again and again. */
function placeOf({ services, viewer, bounds, filter, groupedTypes }: Wanted): KeptPlace | undefined {
  if (bounds.upwards || bounds.before !== undefined || bounds.after !== undefined) return undefined;
  const key = keyOf(viewer, bounds.limit, filter, groupedTypes);
  return key === undefined ? undefined : { key, eras: erasOf(viewer, services.clock, bounds) };
}

function stateOf({ services, viewer }: Wanted, { eras: [era = 0] }: KeptPlace): object | undefined {
  return services.tables.peekState?.(notifications, { account: viewer, era });
}

/** Unless something of it is more than what a status and somebody say. */
function keep(
  { services }: Wanted,
  { key, eras }: KeptPlace,
  state: object,
  { found, senders, further, lowest, last, isEnd }: Gathering,
  { items, ...page }: Page<NotificationGroup>,
): void {
  const from = lowest === '' ? last : lowest;
  const isInNewestEra = eras.length === 1 || (!isEnd && from !== undefined && eraOfId(from) === eras[0]);
  if (!isInNewestEra) return;
  const groups: KeptGroup[] = [];
  for (const { isGrouped, newest, oldestId, count, sample } of items) {
    if (!isPlain(newest.record)) return;
    const ids = sample.map(({ id }) => id);
    groups.push({ isGrouped, newest: { id: newest.id, record: newest.record }, oldestId, count, sample: ids });
  }
  if (further !== undefined && !isPlain(further.value)) return;
  const notified = ({ id, value }: Row) => ({ id, record: value });
  const kept = { further: further && notified(further), lost: found.lost.map(notified), people: senders.all() };
  services.pages.others.groupPages.set(key, { state, page, groups, ...kept });
}

/** As the viewer sees it now; undefined where they do not see the same any more. */
function asKept(
  { services, viewer }: Wanted,
  relations: Relations,
  { page, groups, further, lost, people }: KeptGroups,
): Soon<Page<NotificationGroup> | undefined> {
  const senders = new Senders(services, relations);
  for (const [id, isHeard] of people) if (senders.hears(id) !== isHeard) return undefined;
  const stored = groups.map(({ newest }) => newest);
  if (further !== undefined) stored.push(further);
  const seenCount = stored.length;
  stored.push(...lost);
  return soon(seenNotifications(services, viewer, stored, { relations, people: senders }), (seen) => {
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
