import type { StoreAccountRecord, StoreStatusRecord } from '../../../../proto/gen/types.js';
import { quoteStamps } from '../../../../store/federation-tables.js';
import { statuses } from '../../../../store/tables.js';
import { isLocal } from '../../../domain/addresses.js';
import { uriKey } from '../../../domain/text/uri-key.js';
import type { IncomingActivity, IncomingServices, Outcome } from '../../inbox/port.js';
import { quotingIn } from '../../outgoing/quote-request.js';
import { outcomeOf } from '../local.js';
import { type AnsweredRequest, answeredRequest } from './answered-request.js';
import { stampIn } from './stamp.js';

/**
 * Settles the quote of a local status by the answer to its QuoteRequest. Only the quoted author answers. Undefined: the
 * activity answers no QuoteRequest. Source: FEP-044f, Accept and Reject.
 */
export async function answeredQuote(
  activity: IncomingActivity,
  state: 'accepted' | 'rejected',
  services: IncomingServices,
): Promise<Outcome | undefined> {
  const request = answeredRequest(activity, 'QuoteRequest', quotingIn);
  if (request === undefined) return undefined;
  const record = await quotingRecord(request.instrument, services);
  if (record === undefined || !isAnsweredBy(record, activity.sender, request)) return 'ignored';
  const approvalUri = state === 'accepted' ? await stampIn('QuoteAuthorization', activity, services) : undefined;
  if (state === 'accepted' && approvalUri === undefined) return 'ignored';
  return settle(record, state, approvalUri, services);
}

/** Revokes the quote that a deleted stamp of the sender has permitted. Undefined: the sender gave no such stamp. */
export async function revokedQuote(
  stamp: string,
  sender: StoreAccountRecord,
  services: IncomingServices,
): Promise<Outcome | undefined> {
  const { tables } = services;
  const known = await tables.get(quoteStamps, { account: sender.id, stamp: uriKey(stamp) });
  const record = known && (await tables.get(statuses, { status: known.statusId }));
  if (record?.quote?.accountId !== sender.id || record.quote.approvalUri !== stamp) return undefined;
  return settle(record, 'revoked', undefined, services);
}

/** Returns the local status of an address. */
async function quotingRecord(
  uri: string | undefined,
  { notes, tables }: IncomingServices,
): Promise<StoreStatusRecord | undefined> {
  const known = uri === undefined ? undefined : await notes.known(uri);
  const record = known && (await tables.get(statuses, { status: known.id }));
  return record?.deleted === false && isLocal(record) ? record : undefined;
}

function isAnsweredBy({ quote }: StoreStatusRecord, { id }: StoreAccountRecord, { object }: AnsweredRequest): boolean {
  return quote?.accountId === id && !!quote.uri && (object === undefined || object === quote.uri);
}

async function settle(
  { id: statusId, conversationId, quote }: StoreStatusRecord,
  state: string,
  approvalUri: string | undefined,
  services: IncomingServices,
): Promise<Outcome> {
  const settled = { statusId, quotedId: quote?.statusId ?? '', state, approvalUri };
  return outcomeOf(await services.askConversation(conversationId, 'settleQuote', settled));
}
