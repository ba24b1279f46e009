import type { AccountMention, StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import type { Caches } from '../../../store/cache/cache.js';
import { deletedUris, knownUris } from '../../../store/federation-tables.js';
import type { Tables } from '../../../store/port.js';
import { accounts, statuses } from '../../../store/tables.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import type { AccountCommands } from '../../account/slices.js';
import type { ConversationCommands } from '../../conversation/slices.js';
import { accountUrl, acctOf, isLocal, readLocalUri } from '../../domain/addresses.js';
import { eachBounded } from '../../domain/each-bounded.js';
import { storedId } from '../../domain/ids.js';
import { isProblem, Unavailable } from '../../domain/problem.js';
import { isPublished, isSuspended } from '../../domain/standing.js';
import { uriKey } from '../../domain/text/uri-key.js';
import type { Clock } from '../../domain/time.js';
import type { TypedAsk } from '../../runtime/kind.js';
import { ACTOR_TYPES, authority, isBy, isRefused } from '../reading/authority.js';
import { quoteIn } from '../reading/quote.js';
import { canonicalUri, isSameOrigin } from '../reading/uris.js';
import { type JsonObject, typeAmong } from '../reading/values.js';
import { Failures } from './failures.js';
import { type NoteAuthor, type ReadNote, readNote } from './note.js';
import {
  isMissing,
  type KnownStatus,
  type Missing,
  type QuoteProof,
  type RemoteNotes,
  type RemotePeople,
} from './port.js';
import { QuoteProofs } from './quote-proofs.js';
import type { Stamps } from './stamps.js';
import { missingOf } from './web-finger.js';

/** Mentioned accounts that are looked up at the same time. */
const MENTIONS_AT_ONCE_MAX = 10;
/** Parents that one status leads to. Further ones are read when somebody looks at the thread. */
const PARENTS_MAX = 20;
/** Quotes that one status leads to: a status shows what it quotes, and names what that quotes. */
const QUOTES_MAX = 2;
/** Quotes of fetched statuses whose proof is looked for at a time. Further quotes are not shown. */
const PROOFS_AT_ONCE_MAX = 256;

/** Statuses that a fetched one may still lead to. */
interface Budget {
  readonly parents: number;
  readonly quotes: number;
}
const WHOLE: Budget = { parents: PARENTS_MAX, quotes: QUOTES_MAX };

/** The dependencies of Notes. */
export interface NotesContext {
  readonly tables: Pick<Tables, 'get'>;
  readonly client: Pick<FederationClient, 'object'>;
  readonly stamps: Pick<Stamps, 'prove' | 'mayBe'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly caches?: Caches | undefined;
  readonly registry: { find(name: string): string | undefined | Promise<string | undefined> };
  readonly askAccount: TypedAsk<AccountCommands>;
  readonly askConversation: TypedAsk<ConversationCommands>;
  readonly people: Pick<RemotePeople, 'find' | 'known'>;
  readonly baseUrl: string;
}

/** Finds statuses of other servers, and stores them with their authors' actors. */
export class Notes implements RemoteNotes {
  readonly #around: NotesContext;
  readonly #failures: Failures;
  readonly #quotes: QuoteProofs;
  #proofs = 0;
  /** Fetches in progress, by address: at most one each. */
  readonly #underWay = new Map<string, Promise<KnownStatus | StoreAccountRecord | Missing>>();
  /** Fetches in progress that wait for the status that theirs answers, by address: the address of that status. */
  readonly #waitFor = new Map<string, string>();

  constructor(around: NotesContext) {
    this.#around = around;
    this.#failures = new Failures('failed_statuses', around.clock, around.caches);
    this.#quotes = new QuoteProofs({ ...around, known: (uri) => this.known(uri) });
  }

  async known(uri: string): Promise<KnownStatus | undefined> {
    const canonical = canonicalUri(uri);
    if (canonical === undefined) return undefined;
    if (isSameOrigin(canonical, this.#around.baseUrl)) return this.#local(canonical);
    return this.#around.tables.get(knownUris, { uri: uriKey(canonical) });
  }

  async resolve(uri: string): Promise<KnownStatus | StoreAccountRecord | Missing> {
    const [status, account] = await Promise.all([this.known(uri), this.#around.people.known(uri)]);
    return status ?? account ?? this.#find(uri, WHOLE);
  }

  find(uri: string): Promise<KnownStatus | Missing> {
    return this.#status(uri, WHOLE);
  }

  received(
    note: JsonObject,
    author: StoreAccountRecord,
    { parents = false }: { readonly parents?: boolean } = {},
  ): Promise<KnownStatus | Missing | 'irrelevant'> {
    return this.#received(note, author, { parents: parents ? PARENTS_MAX : 0, quotes: 0 });
  }

  async revised(note: JsonObject, author: StoreAccountRecord): Promise<KnownStatus | Missing | 'irrelevant'> {
    const read = this.#read(note, author);
    if (read === undefined) return 'irrelevant';
    const { uri } = read.status.origin ?? { uri: '' };
    const known = await this.known(uri);
    if (known?.accountId !== author.id) return 'irrelevant';
    const status = { ...read.status, mentions: await this.#mentions(read.mentioned) };
    const told = await this.#around.askAccount(author.id, 'reviseReceived', { uri, status });
    return isProblem(told) ? 'irrelevant' : known;
  }

  proveQuote(
    note: JsonObject,
    author: StoreAccountRecord,
    quoting: KnownStatus,
    { mayFetch }: { readonly mayFetch: boolean },
  ): Promise<QuoteProof> {
    return this.#prove(note, author, quoting, mayFetch ? QUOTES_MAX : 0);
  }

  async deleted(uri: string, author: StoreAccountRecord): Promise<void> {
    const canonical = canonicalUri(uri);
    if (canonical === undefined || !isSameOrigin(canonical, author.origin?.uri)) return;
    const known = await this.known(canonical);
    if (known !== undefined && known.accountId !== author.id) return;
    const told = await this.#around.askAccount(author.id, 'forgetReceived', { uri: canonical });
    if (isProblem(told) && told.problem === 'unavailable') throw new Unavailable(told.detail);
  }

  async #status(uri: string, budget: Budget): Promise<KnownStatus | Missing> {
    const found = await this.#find(uri, budget);
    return 'username' in found ? { missing: 'gone' } : found;
  }

  async #find(uri: string, budget: Budget): Promise<KnownStatus | StoreAccountRecord | Missing> {
    const canonical = canonicalUri(uri);
    if (canonical === undefined) return { missing: 'gone' };
    const known = await this.known(canonical);
    if (known !== undefined) return known;
    if (isSameOrigin(canonical, this.#around.baseUrl)) return { missing: 'gone' };
    const failed = this.#failures.of(canonical);
    if (failed !== undefined) return failed;
    const underWay = this.#underWay.get(canonical);
    if (underWay !== undefined) return underWay;
    const begun = this.#fetched(canonical, budget)
      .then((found) => {
        if (isMissing(found)) this.#failures.add(canonical, found);
        return found;
      })
      .finally(() => this.#underWay.delete(canonical));
    this.#underWay.set(canonical, begun);
    return begun;
  }

  /** Fetches a status or actor by its id, or by the address of its page, whose document has the id. */
  async #fetched(uri: string, budget: Budget): Promise<KnownStatus | StoreAccountRecord | Missing> {
    let outcome = await this.#around.client.object(uri);
    if (outcome.kind !== 'object') return missingOf(outcome);
    let verdict = authority(outcome.value, { finalUrl: outcome.url });
    if (isRefused(verdict) && verdict.fetchAt !== undefined) {
      // The document has another server's id: it counts only as that server gives it.
      const known = await this.known(verdict.fetchAt);
      if (known !== undefined) return known;
      outcome = await this.#around.client.object(verdict.fetchAt);
      if (outcome.kind !== 'object') return missingOf(outcome);
      verdict = authority(outcome.value, { finalUrl: outcome.url, expected: verdict.fetchAt });
    }
    if (isRefused(verdict) || verdict.author === undefined) return { missing: 'gone' };
    if (typeAmong(outcome.value, ACTOR_TYPES) !== undefined) return this.#around.people.find(verdict.author);
    const author = await this.#around.people.find(verdict.author);
    if (isMissing(author)) return author;
    const stored = await this.#received(outcome.value, author, budget, uri);
    if (stored === 'irrelevant') return { missing: 'gone' };
    if (!isMissing(stored)) this.#proveBehind(outcome.value, author, stored, budget.quotes);
    return stored;
  }

  /** @param quotes statuses that the quote may lead to; 0: nothing is fetched */
  #prove(note: JsonObject, author: StoreAccountRecord, quoting: KnownStatus, quotes: number): Promise<QuoteProof> {
    const find = (uri: string) => this.#status(uri, { parents: 0, quotes: quotes - 1 });
    return this.#quotes.prove(quoteIn(note), author, quoting, quotes > 0 ? find : undefined);
  }

  /**
   * Proves the quote of a fetched status in the background: statuses may quote each other in a circle, in which nobody
   * may wait for the next. A failure leaves the quote pending.
   */
  #proveBehind(note: JsonObject, author: StoreAccountRecord, quoting: KnownStatus, quotes: number): void {
    if (quoteIn(note) === undefined || this.#proofs >= PROOFS_AT_ONCE_MAX) return;
    this.#proofs++;
    void this.#prove(note, author, quoting, quotes)
      .catch(() => undefined)
      .finally(() => this.#proofs--);
  }

  /** @param fetched the address of the fetch in progress, for which others may wait; undefined for an embedded status */
  async #received(
    note: JsonObject,
    author: StoreAccountRecord,
    budget: Budget,
    fetched?: string,
  ): Promise<KnownStatus | Missing | 'irrelevant'> {
    const read = this.#read(note, author);
    if (read === undefined) return 'irrelevant';
    const { tables } = this.#around;
    const { uri } = read.status.origin ?? { uri: '' };
    const [known, deleted, mentions, parent] = await Promise.all([
      this.known(uri),
      tables.get(deletedUris, { uri: uriKey(uri) }),
      this.#mentions(read.mentioned),
      this.#parent(fetched, read.parent, budget),
    ]);
    if (known !== undefined) return known.accountId === author.id ? known : 'irrelevant';
    if (deleted !== undefined) return 'irrelevant';
    const status = { ...read.status, ...parent, mentions };
    const answer = await this.#around.askAccount(author.id, 'receive', { status });
    if (isProblem(answer)) return { missing: answer.problem === 'unavailable' ? 'later' : 'refused' };
    const { outcome, id, conversationId } = answer;
    return outcome === 'deleted' ? 'irrelevant' : { id, conversationId, accountId: author.id };
  }

  /** Reads a document of this author; undefined if it is none, or of somebody else. */
  #read(note: JsonObject, author: StoreAccountRecord): ReadNote | undefined {
    const { remote, origin, domain } = author;
    if (remote === undefined || origin === undefined || isSuspended(author) || !isBy(note, origin.uri))
      return undefined;
    const by: NoteAuthor = { uri: origin.uri, domain, followersUri: remote.followersUri };
    return readNote(note, by, this.#around.clock.nowMs());
  }

  async #local(uri: string): Promise<KnownStatus | undefined> {
    const read = readLocalUri(this.#around.baseUrl, uri);
    if (read?.kind !== 'status') return undefined;
    const record = await this.#around.tables.get(statuses, { status: storedId(read.id) });
    if (record === undefined || record.deleted || record.reblogOfId !== undefined || !isLocal(record)) return undefined;
    const { id, conversationId, accountId } = record;
    const author = await this.#around.tables.get(accounts, { account: accountId });
    return author?.username.toLowerCase() === read.username.toLowerCase()
      ? { id, conversationId, accountId }
      : undefined;
  }

  /** Returns the fields of a reply whose parent is known, or found within `parents` fetches. */
  async #parent(
    fetched: string | undefined,
    uri: string | undefined,
    { parents, quotes }: Budget,
  ): Promise<Partial<StoreStatusRecord>> {
    if (uri === undefined) return {};
    const mayWait = parents > 0 && !this.#waitsFor(uri, fetched);
    const found = mayWait
      ? await this.#foundFor(fetched, uri, { parents: parents - 1, quotes })
      : await this.known(uri);
    if (found === undefined || isMissing(found)) return {};
    const { id, conversationId, accountId } = found;
    return { inReplyToId: id, inReplyToAccountId: accountId, conversationId };
  }

  /** Returns true if one fetch waits for another, directly or through others: that one must not wait for it. */
  #waitsFor(uri: string, fetched: string | undefined): boolean {
    if (fetched === undefined) return false;
    for (let at: string | undefined = uri; at !== undefined; at = this.#waitFor.get(at))
      if (at === fetched) return true;
    return false;
  }

  /** Finds the status that a fetched one answers. */
  async #foundFor(fetched: string | undefined, uri: string, budget: Budget): Promise<KnownStatus | Missing> {
    if (fetched === undefined) return this.#status(uri, budget);
    this.#waitFor.set(fetched, uri);
    try {
      return await this.#status(uri, budget);
    } finally {
      this.#waitFor.delete(fetched);
    }
  }

  /** Returns the mentioned accounts that are known here. Nobody is fetched, since anybody can name thousands. */
  async #mentions(uris: readonly string[]): Promise<AccountMention[]> {
    const { baseUrl } = this.#around;
    const records = await eachBounded(uris, MENTIONS_AT_ONCE_MAX, (uri) => this.#person(uri));
    const known = new Map(records.flatMap((record) => (record === undefined ? [] : [[record.id, record] as const])));
    return [...known.values()].map((record) => ({
      accountId: record.id,
      username: record.username,
      acct: acctOf(record),
      url: accountUrl(baseUrl, record),
    }));
  }

  async #person(uri: string): Promise<StoreAccountRecord | undefined> {
    const { baseUrl, registry, tables, people } = this.#around;
    if (!isSameOrigin(uri, baseUrl)) return people.known(uri);
    const read = readLocalUri(baseUrl, uri);
    if (read?.kind !== 'account') return undefined;
    const id = await registry.find(`acct:${read.username.toLowerCase()}`);
    const record = id === undefined ? undefined : await tables.get(accounts, { account: id });
    return record !== undefined && isPublished(record) ? record : undefined;
  }
}
