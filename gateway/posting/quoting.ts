import { noQuoted } from '../../actors/domain/posting-refusals.js';
import type { Problem } from '../../actors/domain/problem.js';
import { fitsQuote, quoteApproval } from '../../actors/domain/quoting.js';
import type { AccountQuote, StoreStatusRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { PLACES } from '../viewing/judge.js';
import { lensOf, visibleById } from '../viewing/visible.js';

/**
 * Returns the status to quote; for a reblog its original. A status that may not be quoted is not found. The author may
 * have to be asked. Source: Mastodon StatusesController#set_quoted_status.
 */
export async function quotable(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  id: string,
): Promise<StoreStatusRecord | Problem> {
  const [[found], lens] = await Promise.all([
    visibleById(services, viewer, [id], PLACES.quote),
    lensOf(services, viewer),
  ]);
  const record = found?.original ?? found?.record;
  if (record === undefined) return noQuoted();
  const approval = quoteApproval(record, viewer, lens.follows(record.accountId));
  return approval === 'denied' ? noQuoted() : record;
}

/**
 * Converts a status to the quote for the author's actor. The quoted status' conversation decides if the author may
 * quote it, or its server, if that is another one.
 */
export function quoteOf({ id, accountId, conversationId, origin }: StoreStatusRecord): AccountQuote {
  return { statusId: id, accountId, conversationId, state: '', follows: false, uri: origin?.uri };
}

/**
 * Returns the visibility of a quoting status: a quote of a status for followers is for followers only. Source: Mastodon
 * PostStatusService.
 */
export function visibilityOfQuote(quoted: StoreStatusRecord, visibility: string): string {
  return fitsQuote(quoted.visibility, visibility) ? visibility : 'private';
}
