import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Entry } from '../paging/cursor.js';
import type { Page } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { Lens } from '../viewing/lens.js';
import { lensOf } from '../viewing/visible.js';
import { asKept, type CachedPlace, keep, placeOf, stateOf } from './cached-group-pages.js';
import { type FoundGroup, type NotificationGroup, sampleOf } from './found-groups.js';
import { type Gathering, gathered, gatheringOf, type Wanted, withOlder } from './group-gathering.js';
import type { NotificationFilter } from './notification-filter.js';
import { type SeenNotification, seenNotifications } from './seen-notifications.js';

type Row = Entry<StoreNotificationRecord>;

/**
 * Returns groups by their newest member, newest first: at most `limit`, with all their members between the first and
 * last row of the page.
 */
export function notificationGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes?: readonly string[],
): Soon<Page<NotificationGroup>> {
  const wanted = { services, viewer, bounds, filter, groupedTypes };
  return soon(lensOf(services, viewer), (lens) => {
    const place = placeOf(wanted);
    const state = place && stateOf(wanted, place);
    if (place === undefined || state === undefined) return found(wanted, lens, place);
    const cached = services.pages.others.groupPages.get(place.key);
    if (cached?.state !== state) return found(wanted, lens, place);
    return soon(asKept(wanted, lens, cached), (page) => page ?? found(wanted, lens, undefined));
  });
}

/** Returns the number of groups within the bounds. */
export function countGroups(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  groupedTypes?: readonly string[],
): Soon<number> {
  const wanted = { services, viewer, bounds, filter, groupedTypes };
  return soon(lensOf(services, viewer), (lens) =>
    soon(gathered(wanted, gatheringOf(wanted, lens)), ({ found: { groups } }) => groups.length),
  );
}

/** Reads a page. `place` is its cache key, if it depends on the rows alone. */
function found(wanted: Wanted, lens: Lens, place: CachedPlace | undefined): Soon<Page<NotificationGroup>> {
  const state = place && stateOf(wanted, place);
  return soon(gathered(wanted, gatheringOf(wanted, lens)), (gathering) =>
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

function pageOfGroups({ services, viewer, bounds }: Wanted, gathering: Gathering): Soon<Page<NotificationGroup>> {
  const { found, lens, senders, first, last, isEnd } = gathering;
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
  // Rows were read oldest first, so the last row of each group is the newest.
  const newest = found.groups.map((group) => ({ id: group.last.id, record: group.last.value }));
  return soon(seenNotifications(services, viewer, newest, { lens, people: senders }), (seen) => {
    const items: NotificationGroup[] = [];
    for (const [index, group] of found.groups.entries()) {
      const one = seen[index];
      if (one !== undefined) items.push(groupOf(group, one, group.first));
    }
    items.sort((a, b) => (a.newest.id < b.newest.id ? 1 : -1));
    return { items, newest: last, oldest: first, more: true };
  });
}
