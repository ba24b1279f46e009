import type { Problem } from '../../actors/domain/problem.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import type { Audience } from '../streaming/lens.js';
import { notFound, type VisibleStatus } from '../visible.js';
import { mergedCursor, selectShown } from './home.js';
import { type Page, readPage } from './page.js';

/** What the members of one of the viewer's lists posted and reblogged, newest first, merged from the store. */
export async function listTimeline(
  services: Services,
  viewer: string,
  listId: string,
  bounds: PageBounds,
): Promise<Page<VisibleStatus> | Problem> {
  const view = await services.lenses.of(viewer);
  const authors = view.lens.listAuthors(listId);
  if (authors === undefined) return notFound();
  const belongs = (status: Audience) => view.lens.list(listId, status);
  return readPage(mergedCursor(services, authors, bounds), bounds, selectShown(services, viewer, view, belongs));
}
