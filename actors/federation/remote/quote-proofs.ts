import type { AccountQuote, StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import type { Tables } from '../../../store/port.js';
import { accounts, statuses } from '../../../store/tables.js';
import type { ConversationCommands } from '../../conversation/slices.js';
import { accountUri, isLocal, statusUri } from '../../domain/addresses.js';
import { isProblem, Unavailable } from '../../domain/problem.js';
import type { TypedAsk } from '../../runtime/kind.js';
import { stampDocument } from '../documents/stamp.js';
import { type ReadQuote, unprovenQuote } from '../reading/quote.js';
import { isSameOrigin } from '../reading/uris.js';
import { isMissing, type KnownStatus, type Missing, type QuoteProof } from './port.js';
import type { Stamps } from './stamps.js';

/** The dependencies of QuoteProofs. */
export interface QuoteProofsContext {
  readonly tables: Pick<Tables, 'get'>;
  readonly stamps: Pick<Stamps, 'prove' | 'mayBe'>;
  readonly askConversation: TypedAsk<ConversationCommands>;
  readonly baseUrl: string;
  /** Returns the status of an address if it is known here. */
  known(uri: string): Promise<KnownStatus | undefined>;
}

/** Returns the status of an address, which may be fetched. Undefined: nothing may be fetched. */
type Find = ((uri: string) => Promise<KnownStatus | Missing>) | undefined;

/** The quoted status with its author. */
interface Quoted {
  readonly record: StoreStatusRecord;
  readonly author: StoreAccountRecord;
}

/**
 * Decides whether quotes in statuses of other servers are shown: those of one's own statuses, those of local statuses
 * that the author has permitted, and those with a stamp of the quoted author's server. Source: FEP-044f.
 */
export class QuoteProofs {
  readonly #around: QuoteProofsContext;

  constructor(around: QuoteProofsContext) {
    this.#around = around;
  }

  /**
   * Gives a status the quote that its document states, as far as it is proven. A known answer is not asked for again:
   * an Update with the same stamp costs no fetch. @throws Unavailable
   */
  async prove(
    stated: ReadQuote | undefined,
    by: StoreAccountRecord,
    quoting: KnownStatus,
    find: Find,
  ): Promise<QuoteProof> {
    const record = await this.#around.tables.get(statuses, { status: quoting.id });
    if (record === undefined || record.deleted || record.accountId !== by.id || record.origin === undefined)
      return 'settled';
    const held = record.quote;
    if (stated === undefined) return held === undefined ? 'settled' : this.#attach(quoting, undefined);
    const { uri, approvalUri } = stated;
    let known = await this.#around.known(uri);
    // Only the author of both needs no stamp. Nothing is fetched for a quote that cannot be shown.
    const mayCount = approvalUri !== undefined || isSameOrigin(uri, record.origin.uri);
    if (known === undefined && mayCount) {
      if (find === undefined) return 'needs-fetch';
      const found = await find(uri);
      if (isMissing(found) && found.missing === 'later') return 'later';
      if (!isMissing(found)) known = found;
    }
    const quoted = known && (await this.#quoted(known));
    const open = unprovenQuote(stated);
    if (quoted === undefined || quoted.record.id === record.id) return this.#attach(quoting, open);
    if (held?.statusId === quoted.record.id && held.approvalUri === approvalUri && held.state !== 'pending')
      return 'settled';
    const state = await this.#stateOf(record, quoted, approvalUri, find !== undefined);
    if (state === 'needs-fetch' || state === 'later') return state;
    const { id: statusId, accountId, conversationId } = quoted.record;
    const named = isLocal(quoted.record) ? { uri: undefined } : { uri };
    return this.#attach(quoting, { ...open, ...named, statusId, accountId, conversationId, state });
  }

  async #quoted({ id }: KnownStatus): Promise<Quoted | undefined> {
    const { tables } = this.#around;
    const record = await tables.get(statuses, { status: id });
    const author = record && (await tables.get(accounts, { account: record.accountId }));
    if (record === undefined || record.deleted || record.reblogOfId !== undefined) return undefined;
    return author && { record, author };
  }

  async #stateOf(
    quoting: StoreStatusRecord,
    { record, author }: Quoted,
    approvalUri: string | undefined,
    mayFetch: boolean,
  ): Promise<'pending' | 'accepted' | 'rejected' | 'revoked' | 'needs-fetch' | 'later'> {
    if (record.accountId === quoting.accountId) return 'accepted';
    if (isLocal(record)) return this.#permittedHere(quoting, record, approvalUri);
    if (approvalUri === undefined) return 'pending';
    const { baseUrl, stamps } = this.#around;
    const stamped = stampDocument({
      uri: approvalUri,
      quotedAuthor: accountUri(baseUrl, author),
      quoting: quoting.origin?.uri ?? '',
      quoted: statusUri(baseUrl, record, author),
    });
    if (mayFetch) return stamps.prove(stamped);
    return stamps.mayBe(stamped) ? 'needs-fetch' : 'rejected';
  }

  /** Returns what the conversation of a local status knows of a quote: its stamps are never fetched. */
  async #permittedHere(quoting: StoreStatusRecord, quoted: StoreStatusRecord, approvalUri: string | undefined) {
    const asked = { statusId: quoted.id, quotingId: quoting.id };
    const answer = await this.#around.askConversation(quoted.conversationId, 'quoteState', asked);
    if (isProblem(answer)) throw new Unavailable(answer.detail);
    if (answer.state === 'accepted' || answer.state === 'revoked') return answer.state;
    return approvalUri === undefined ? 'pending' : 'rejected';
  }

  async #attach(quoting: KnownStatus, quote: AccountQuote | undefined): Promise<QuoteProof> {
    const attached = { statusId: quoting.id, by: quoting.accountId, quote };
    const { askConversation } = this.#around;
    let answer = await askConversation(quoting.conversationId, 'attachQuote', attached);
    // A status that did not fit its conversation has begun its own.
    if (isProblem(answer) && answer.problem === 'not_found' && quoting.conversationId !== quoting.id)
      answer = await askConversation(quoting.id, 'attachQuote', attached);
    if (isProblem(answer) && answer.problem === 'unavailable') throw new Unavailable(answer.detail);
    return 'settled';
  }
}
