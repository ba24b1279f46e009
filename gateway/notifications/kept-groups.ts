import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import type { Page } from '../paging/page.js';
import type { NotificationFilter } from './notification-filter.js';

interface KeptNotification {
  readonly id: string;
  readonly record: StoreNotificationRecord;
}

/** A page of groups as far as it follows from the rows alone. */
export interface KeptGroups {
  /** Of the rows: as long as it is this one, they are as they were. */
  readonly state: object;
  readonly page: Omit<Page<unknown>, 'items'>;
  readonly groups: readonly KeptGroup[];
  /** Behind the last group: it begins the next page, unless the viewer does not see it any more. */
  readonly further: KeptNotification | undefined;
  /** What the viewer did not see: as long as that is so, the page goes on in its place. */
  readonly lost: readonly KeptNotification[];
  /** From whom any of the rows came, and whether the viewer is told of what they did. */
  readonly people: ReadonlyMap<string, boolean>;
}

export interface KeptGroup {
  readonly isGrouped: boolean;
  readonly newest: KeptNotification;
  readonly oldestId: string;
  readonly count: number;
  readonly sample: readonly string[];
}

/** Pages that are kept, some 4 KB each besides the rows: of whoever has asked of late, and asks again. */
export const GROUP_PAGES_MAX = 2_048;
/** Of what is asked for: some name many types. */
const KEY_CHARS_MAX = 200;

/** Under which a page is kept; undefined: it is not. */
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

/** Whether it says no more than what somebody did, and to which status: the rest depends on what other rows say now. */
export const isPlain = ({ type, collectionId, report, warning, severance }: StoreNotificationRecord): boolean =>
  (collectionId ?? report ?? warning ?? severance) === undefined && !type.startsWith('admin.');
