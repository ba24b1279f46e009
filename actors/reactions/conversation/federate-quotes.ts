import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accounts, statuses } from '../../../store/tables.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import { accountUri, isLocal, stampUri, statusUri } from '../../domain/addresses.js';
import { maySee } from '../../domain/visibility.js';
import { type Outgoing, queueActivity } from '../../federation/delivery/queue.js';
import { acceptQuoteActivity } from '../../federation/outgoing/accept.js';
import { deleteStampActivity } from '../../federation/outgoing/delete.js';
import { quoteRequestActivity } from '../../federation/outgoing/quote-request.js';
import { rejectQuoteActivity } from '../../federation/outgoing/reject.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { type FederationContext, note } from './federate-statuses.js';

type Now = Happened<ConversationState>;

/**
 * Asks other servers for the permission to quote their statuses, and answers and revokes what they have asked for. It
 * must follow other reactions that send commands: the number of its commands depends on rows. Source: FEP-044f.
 */
export function federatedQuotes(context: FederationContext): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      added({ status }, now, effects) {
        const isAsked = status?.quote?.state === 'pending' && status.quote.uri;
        return isAsked && isLocal(status) ? ask(context, now, effects, status) : undefined;
      },
      async quoteAnswered({ statusId, by, quotingId, quotingUri, requestId, approvalUri }, now, effects) {
        const parties = await partiesOf(context, now, statusId, by);
        if (parties === undefined) return;
        const { record, author, other } = parties;
        const { baseUrl } = context;
        const request = {
          ...{ author: accountUri(baseUrl, author), by: accountUri(baseUrl, other), quotingId, requestId },
          ...{ quoted: statusUri(baseUrl, record, author), quoting: quotingUri },
        };
        const activity =
          approvalUri === undefined
            ? rejectQuoteActivity(request, now.seq)
            : acceptQuoteActivity(request, approvalUri, now.seq);
        await send(context, now, effects, { author, other, activity, order: orderOf(quotingId) });
      },
      async quoteRevoked({ statusId, quotingId }, now, effects) {
        const quoting = await context.tables.get(statuses, { status: quotingId });
        const parties = quoting && (await partiesOf(context, now, statusId, quoting.accountId));
        if (quoting === undefined || parties === undefined) return;
        const { record, author, other } = parties;
        const { baseUrl } = context;
        const activity = deleteStampActivity({
          uri: stampUri(baseUrl, record, author, quotingId),
          quotedAuthor: accountUri(baseUrl, author),
          quoting: statusUri(baseUrl, quoting, other),
          quoted: statusUri(baseUrl, record, author),
        });
        await send(context, now, effects, { author, other, activity, order: orderOf(quotingId) });
      },
    },
  };
}

/** One order for all answers about a quote, so that the revocation arrives after the permission. */
const orderOf = (quotingId: string): string => `quote ${quotingId}`;

/** Asks for a quote. The quoting status itself is sent only to an author who may see it. */
async function ask(context: FederationContext, now: Now, effects: Effects, status: StoreStatusRecord): Promise<void> {
  const { tables, baseUrl } = context;
  const { accountId: quoted = '', uri: object = '' } = status.quote ?? {};
  const [author, other] = await Promise.all([
    tables.get(accounts, { account: status.accountId }),
    tables.get(accounts, { account: quoted }),
  ]);
  if (author === undefined || other === undefined) return;
  const isShown = maySee(status, quoted, undefined);
  const instrument = isShown ? await note(context, author, status) : statusUri(baseUrl, status, author);
  const activity = quoteRequestActivity(accountUri(baseUrl, author), object, instrument);
  // After the Create of the status, and before its Update and Delete.
  await send(context, now, effects, { author, other, activity, order: status.id }, 1);
}

/** Returns a local status with its author, and an account of another server; undefined if one is missing. */
async function partiesOf({ tables }: FederationContext, { state }: Now, statusId: string, account: string) {
  const record = state.statuses.get(statusId)?.record;
  if (record === undefined || record.deleted || !isLocal(record)) return undefined;
  const [author, other] = await Promise.all([
    tables.get(accounts, { account: record.accountId }),
    tables.get(accounts, { account }),
  ]);
  return author && other && !isLocal(other) ? { record, author, other } : undefined;
}

interface Sent {
  /** The local account that signs. */
  readonly author: StoreAccountRecord;
  /** The account whose inbox receives it. */
  readonly other: StoreAccountRecord;
  readonly activity: Outgoing['activity'];
  readonly order: string;
}

async function send(
  { tables, baseUrl }: FederationContext,
  now: Now,
  effects: Effects,
  { author, other: { remote }, activity, order }: Sent,
  place = 0,
): Promise<void> {
  if (remote?.gone !== false) return;
  const signer = { id: author.id, uri: accountUri(baseUrl, author) };
  await queueActivity(tables, now, effects, { activity, inboxes: [remote.inbox], signer, order }, place);
}
