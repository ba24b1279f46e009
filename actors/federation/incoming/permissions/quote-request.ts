import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { statuses } from '../../../../store/tables.js';
import { isLocal, readLocalUri, stampUri } from '../../../domain/addresses.js';
import type { ActivityHandler, IncomingActivity, IncomingServices, Outcome } from '../../inbox/port.js';
import { isBy } from '../../reading/authority.js';
import { quoteIn } from '../../reading/quote.js';
import { isSameOrigin } from '../../reading/uris.js';
import { idOf, objectOf } from '../../reading/values.js';
import { isMissing } from '../../remote/port.js';
import { outcomeOfNote } from '../create.js';
import { outcomeOf } from '../local.js';
import { shownStatus } from '../status.js';

/**
 * The sender asks to quote a local status with a status of its own, which is stored. The conversation of the quoted
 * status decides and answers. A status that the sender may not see gets no answer. Source: FEP-044f, QuoteRequest.
 */
export const quoteRequest: ActivityHandler = {
  isRemembered: false,
  async take(activity, services) {
    const { allowed, sender } = activity;
    const { baseUrl, localAccount } = services;
    const quoted = await shownStatus(allowed.objectId, sender, services);
    const named = readLocalUri(baseUrl, allowed.objectId ?? '');
    const author = named && (await localAccount(named.username));
    if (quoted === undefined || !isLocal(quoted) || author?.id !== quoted.accountId) return 'ignored';
    const quoting = await quotingStatus(activity, quoted, services);
    if (typeof quoting === 'string') return quoting;
    const { following: follows } = await services.relationsOf(sender.id, quoted.accountId);
    const { id: quotingId, conversationId, visibility, origin } = quoting;
    return outcomeOf(
      await services.askConversation(quoted.conversationId, 'requestQuote', {
        ...{ statusId: quoted.id, by: sender.id, quotingId, quotingUri: origin?.uri ?? '', visibility, follows },
        ...{ conversationId, requestId: allowed.id ?? '', approvalUri: stampUri(baseUrl, quoted, author, quotingId) },
      }),
    );
  },
};

/** Stores the quoting status, or finds it. It must be the sender's, and quote what the sender asks to quote. */
async function quotingStatus(
  { document, allowed, sender, senderUri, mayFetch }: IncomingActivity,
  quoted: StoreStatusRecord,
  { notes, tables }: IncomingServices,
): Promise<StoreStatusRecord | Outcome> {
  const uri = idOf(document.instrument);
  if (uri === undefined || !isSameOrigin(uri, senderUri)) return 'ignored';
  const embedded = objectOf(document.instrument);
  const isWhole = embedded !== undefined && isBy(embedded, senderUri) && quoteIn(embedded)?.uri === allowed.objectId;
  let found = isWhole ? await notes.received(embedded, sender, { parents: mayFetch }) : await notes.known(uri);
  if (found === undefined) {
    if (!mayFetch) return 'needs-fetch';
    found = await notes.find(uri);
  }
  if (found === 'irrelevant' || isMissing(found)) return outcomeOfNote(found);
  const record = await tables.get(statuses, { status: found.id });
  // A new status has its row shortly after its author's actor has answered.
  if (record === undefined) return mayFetch ? 'later' : 'needs-fetch';
  if (record.deleted || record.accountId !== sender.id) return 'ignored';
  const isQuoting = isWhole || record.quote?.statusId === quoted.id || record.quote?.uri === allowed.objectId;
  return isQuoting ? record : 'ignored';
}
