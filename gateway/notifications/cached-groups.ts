import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import type { Page } from '../paging/page.js';
import type { NotificationFilter } from './notification-filter.js';

interface CachedNotification {
  readonly id: string;
  readonly record: StoreNotificationRecord;
}

/** The part of a page of groups that depends on the rows alone. */
export interface CachedGroups {
  /** Identity of the rows: they are unchanged while it is the same object. */
  readonly state: object;
  readonly page: Omit<Page<unknown>, 'items'>;
  readonly groups: readonly CachedGroup[];
  /** First row of the next group. It begins the next page if the viewer still sees it. */
  readonly further: CachedNotification | undefined;
  /** Rows that the viewer did not see; the page is valid while that is so. */
  readonly lost: readonly CachedNotification[];
  /** Senders of all rows, and whether the viewer receives their notifications. */
  readonly people: ReadonlyMap<string, boolean>;
}

export interface CachedGroup {
  readonly isGrouped: boolean;
  readonly newest: CachedNotification;
  readonly oldestId: string;
  readonly count: number;
  readonly sample: readonly string[];
}

/** Cached pages, some 4 KB each besides the rows, of viewers who have requested one lately. */
export const GROUP_PAGES_MAX = 2_048;
/** Longest cache key; some requests name many types. */
const KEY_CHARS_MAX = 200;

/** Returns the cache key of a page, or undefined if it is not cached. */
export function keyOf(
  viewer: string,
  limit: number,
  filter: NotificationFilter,
  groupedTypes: readonly string[] | undefined,
): string | undefined {
  const { types, excludeTypes, from, withFiltered } = filter;
  const isUsual = (types ?? excludeTypes ?? from ?? withFiltered ?? groupedTypes) === undefined;
  if (isUsual) return `${viewer} ${limit}`;
  const key = `${viewer} ${limit} ${JSON.stringify([types, excludeTypes, from, withFiltered, groupedTypes])}`;
  return key.length > KEY_CHARS_MAX ? undefined : key;
}

/**
 * Returns true if a notification contains only an action and a status. The content of others depends on further rows.
 */
export const isPlain = ({ type, collectionId, report, warning, severance }: StoreNotificationRecord): boolean =>
  (collectionId ?? report ?? warning ?? severance) === undefined && !type.startsWith('admin.');
