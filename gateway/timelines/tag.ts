import { isWished, type TagWish } from '../../actors/domain/text/hashtag.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import type { PageBounds } from '../paging/bounds.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { tagsCursor } from '../paging/tags-cursor.js';
import { PLACES } from '../viewing/judge.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

/** Returns public statuses with a hashtag, newest first. `wants` is a further condition. */
export function tagTimeline(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  wish: TagWish,
  bounds: PageBounds,
  wants: (record: StoreStatusRecord) => boolean = () => true,
): Soon<Page<VisibleStatus>> {
  const cursor = tagsCursor(services.tables, [wish.tag, ...wish.any], bounds);
  return soon(lensOf(services, viewer), (lens) =>
    readPage(cursor, bounds, (rows) => {
      const ids = rows.map((row) => row.id);
      return soon(visibleById(services, viewer, ids, PLACES.public, lens), (found) =>
        found.map((status) => (status && isWished(status.record, wish) && wants(status.record) ? status : undefined)),
      );
    }),
  );
}
