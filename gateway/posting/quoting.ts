import { noQuoted } from '../../actors/domain/posting-refusals.js';
import type { Problem } from '../../actors/domain/problem.js';
import { fitsQuote, mayQuote } from '../../actors/domain/quoting.js';
import type { AccountQuote, StoreStatusRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { relationsOf, visibleById } from '../viewing/visible.js';

/**
 * The status that somebody wants to quote; a reblog is quoted as what it reblogs. What may not be quoted is as if it
 * were not there. Source: Mastodon StatusesController#set_quoted_status.
 */
export async function quotable(services: Services, viewer: string, id: string): Promise<StoreStatusRecord | Problem> {
  const [[found], relations] = await Promise.all([
    visibleById(services, viewer, [id], { hideBlocked: true }),
    relationsOf(services, viewer),
  ]);
  const record = found?.original ?? found?.record;
  if (record !== undefined && mayQuote(record, viewer, relations(record.accountId)?.following === true)) return record;
  return noQuoted();
}

/** As it goes to the author's actor; whether they may, the quoted status' conversation decides. */
export function quoteOf({ id, accountId, conversationId }: StoreStatusRecord): AccountQuote {
  return { statusId: id, accountId, conversationId, state: '', follows: false };
}

/** What quotes something for followers is for followers. Source: Mastodon PostStatusService. */
export function visibilityOfQuote(quoted: StoreStatusRecord, visibility: string): string {
  return fitsQuote(quoted.visibility, visibility) ? visibility : 'private';
}
