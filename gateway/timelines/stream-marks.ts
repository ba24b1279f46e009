import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { viewerBits, viewerMarks } from '../entities/status/status.js';
import type { Services } from '../http/services.js';
import type { StreamedMarks } from '../streaming/sources.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { loadStatuses } from '../viewing/visible.js';

/**
 * Returns the fields that a status on a viewer's own stream has in addition to the common ones. A reblog shows the
 * marks of its original twice, as pages do; only the outermost status shows that the conversation is muted.
 * @throws Unavailable when the store cannot answer
 */
export async function streamMarks(
  services: Services,
  viewer: string,
  record: StoreStatusRecord,
  isMuted: boolean,
): Promise<StreamedMarks> {
  const { reblogOfId, reblogOfAccountId } = record;
  const markedId = reblogOfId ?? record.id;
  const mark = (await services.pages.marksOf(viewer, [markedId]))(markedId);
  const author = [record.accountId, reblogOfAccountId].includes(viewer)
    ? (await loadAccounts(services, [viewer])).get(viewer)
    : undefined;
  const pinnedIds = author?.pinnedIds ?? [];
  const marksOn = (one: StoreStatusRecord, muted: boolean) =>
    viewerMarks(viewerBits(one, { pinnedIds }, viewer, mark, muted));
  const status = marksOn(record, isMuted);
  if (reblogOfId === undefined) return { status, reblog: undefined };
  // Only the viewer's own originals can be pinned, so other rows are not needed.
  const [original] = reblogOfAccountId === viewer ? await loadStatuses(services, [reblogOfId]) : [];
  return { status, reblog: marksOn(original ?? record, false) };
}
