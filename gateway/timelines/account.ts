import type { StoreAccountStatusRow } from '../../proto/gen/types.js';
import { accountStatuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Entry } from '../paging/cursor.js';
import { accountCursor } from '../paging/eras.js';
import { type Page, readPage, type Select } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { PLACES } from '../viewing/judge.js';
import type { Lens } from '../viewing/lens.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

/** Selection of an account's statuses. */
export interface AccountTimelineOptions {
  /** Leaves out replies to others; replies of the author to their own statuses stay. */
  readonly excludeReplies: boolean;
  readonly excludeReblogs: boolean;
  readonly onlyMedia?: boolean;
  /** Normalised hashtag, without the #. */
  readonly tagged: string | undefined;
}

/** Returns an account's statuses and reblogs that the viewer may see. */
export function accountTimeline(
  services: ReadServices,
  viewer: string | undefined,
  account: string,
  bounds: PageBounds,
  options: AccountTimelineOptions,
): Soon<Page<VisibleStatus>> {
  const cursor = accountCursor(services.tables, services.clock, accountStatuses, 'status', account, bounds);
  return soon(lensOf(services, viewer), (lens) =>
    readPage(cursor, bounds, selectShown(services, viewer, lens, options), (row) => isWanted(row, account, options)),
  );
}

function selectShown(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  lens: Lens,
  { tagged }: AccountTimelineOptions,
): Select<Entry<StoreAccountStatusRow>, VisibleStatus> {
  return (rows) => {
    const ids = rows.map((row) => row.id);
    return soon(visibleById(services, viewer, ids, PLACES.profile, lens), (found) =>
      tagged === undefined ? found : found.map((status) => (status?.record.tags.includes(tagged) ? status : undefined)),
    );
  };
}

function isWanted({ value }: Entry<StoreAccountStatusRow>, account: string, options: AccountTimelineOptions): boolean {
  if (options.onlyMedia === true && value.hasMedia !== true) return false;
  if (options.excludeReblogs && value.reblogOfId !== undefined) return false;
  if (options.tagged !== undefined && value.reblogOfId !== undefined) return false;
  return !(options.excludeReplies && value.inReplyToId !== undefined && value.inReplyToAccountId !== account);
}
