import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { Caches } from '../../../store/cache/cache.js';
import type { Tables } from '../../../store/port.js';
import { accounts } from '../../../store/tables.js';
import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import type { AccountCommands } from '../../account/slices.js';
import { isProblem, Unavailable } from '../../domain/problem.js';
import type { DomainPolicies } from '../../domain/servers/domain-policy.js';
import { isSuspended } from '../../domain/standing.js';
import { remoteNamesOf, uriKey } from '../../domain/text/uri-key.js';
import type { Clock } from '../../domain/time.js';
import type { TypedAsk } from '../../runtime/kind.js';
import { ACTOR_TYPES, authority, isRefused } from '../reading/authority.js';
import { canonicalUri, hostOf, isSameOrigin } from '../reading/uris.js';
import { idOf, typeAmong } from '../reading/values.js';
import { Failures } from './failures.js';
import { isMissing, type Missing, type RemotePeople } from './port.js';
import { type ReadActor, readActor } from './profile.js';
import { type FoundName, findByName, missingOf, normalDomain } from './web-finger.js';

/** Age from which an account is fetched again when somebody needs it. Source: Mastodon, a day. */
const FRESH_MS = 86_400_000;
/** Time between two fetches on demand: a peer must not cause one with each request. */
const REFETCH_MS = 300_000;

/** The dependencies of People. */
export interface PeopleContext {
  readonly tables: Pick<Tables, 'get'>;
  readonly client: Pick<FederationClient, 'object' | 'jrd'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly caches?: Caches | undefined;
  readonly registry: {
    claim(names: readonly string[], id: string): Promise<string | undefined>;
    withdraw(names: readonly string[], id: string): Promise<void>;
    find(name: string): string | undefined | Promise<string | undefined>;
  };
  newAccountId(): Promise<string>;
  readonly askAccount: TypedAsk<AccountCommands>;
  /** Address of this server: its own actors are never fetched. */
  readonly baseUrl: string;
  /** Domain of this server's addresses. */
  readonly domain: string;
  /** Nothing of suspended servers is fetched. */
  readonly policies: DomainPolicies;
}

/** Finds accounts of other servers, and stores those that it fetches as account actors. */
export class People implements RemotePeople {
  readonly #around: PeopleContext;
  readonly #failures: Failures;
  /** Fetches in progress, by address: at most one each. The client bounds their number. */
  readonly #underWay = new Map<string, Promise<StoreAccountRecord | Missing>>();
  /** Addresses that were fetched on demand lately. */
  readonly #refetched: Failures;

  constructor(around: PeopleContext) {
    this.#around = around;
    this.#failures = new Failures('failed_actors', around.clock, around.caches);
    this.#refetched = new Failures('refetched_actors', around.clock, around.caches, REFETCH_MS);
  }

  async known(uri: string): Promise<StoreAccountRecord | undefined> {
    const canonical = canonicalUri(uri);
    return canonical === undefined ? undefined : this.#claimed(`actor:${uriKey(canonical)}`);
  }

  async find(uri: string, options: { readonly fresh?: boolean } = {}): Promise<StoreAccountRecord | Missing> {
    const canonical = canonicalUri(uri);
    if (canonical === undefined || isSameOrigin(canonical, this.#around.baseUrl)) return { missing: 'gone' };
    const known = await this.known(canonical);
    if (known === undefined) return this.#failures.of(canonical) ?? this.#fetched(canonical);
    const ageMs = this.#around.clock.nowMs() - (known.remote?.fetchedAtMs ?? 0);
    if (options.fresh === true) return this.#again(canonical, known);
    // The caller is not kept waiting; a failure leaves the account as it is.
    if (ageMs > FRESH_MS) void this.#again(canonical, known).catch(() => undefined);
    return known;
  }

  async told(document: JsonObject, known: StoreAccountRecord): Promise<StoreAccountRecord | Missing> {
    const read = this.#readAt(known.origin?.uri ?? '', document, known.origin?.uri ?? '');
    return isMissing(read) ? read : this.#stored(read, known);
  }

  async named(username: string, domain: string): Promise<StoreAccountRecord | Missing> {
    const host = normalDomain(domain);
    if (host === undefined || host === this.#around.domain.toLowerCase()) return { missing: 'gone' };
    const acct = `acct:${username.toLowerCase()}@${host}`;
    const known = await this.#claimed(acct);
    if (known?.origin !== undefined) return this.find(known.origin.uri);
    return this.#failures.of(acct) ?? this.#once(acct, () => this.#fetchNamed(username, host));
  }

  async publicPem(keyId: string, options: { readonly fresh?: boolean } = {}) {
    const uri = canonicalUri(keyId);
    if (uri === undefined) return { missing: 'gone' } as const;
    const owner = await this.#ownerOf(uri, options.fresh === true);
    if (isMissing(owner)) return owner;
    const pem = owner.remote?.keys.find(({ id }) => id === uri)?.pem;
    return pem === undefined ? ({ missing: 'gone' } as const) : { pem, owner };
  }

  /** Returns the account that a key names. Keys are parts of actors, or lie below them (GoToSocial: /main-key). */
  async #ownerOf(key: string, fresh: boolean): Promise<StoreAccountRecord | Missing> {
    const [actor = key] = key.split('#');
    if (actor !== key) return this.find(actor, { fresh });
    const above = await this.known(key.replace(/\/[^/]*$/, ''));
    if (above?.origin !== undefined && above.remote?.keys.some(({ id }) => id === key) === true)
      return this.find(above.origin.uri, { fresh });
    const failed = this.#failures.of(key);
    if (failed !== undefined) return failed;
    const outcome = await this.#around.client.object(key);
    if (outcome.kind !== 'object') return this.#failed(key, missingOf(outcome));
    // Either a key or a part of its actor's document. In both cases the actor decides; nothing else of it counts.
    const owner = idOf(outcome.value.owner) ?? idOf(outcome.value);
    if (owner === undefined || !isSameOrigin(owner, key)) return this.#failed(key, { missing: 'gone' });
    return this.find(owner, { fresh });
  }

  async #claimed(name: string): Promise<StoreAccountRecord | undefined> {
    const id = await this.#around.registry.find(name);
    return id === undefined ? undefined : this.#around.tables.get(accounts, { account: id });
  }

  /** Fetches a known account again, at most once in REFETCH_MS. Returns it unchanged if that fails. */
  async #again(uri: string, known: StoreAccountRecord): Promise<StoreAccountRecord | Missing> {
    const ageMs = this.#around.clock.nowMs() - (known.remote?.fetchedAtMs ?? 0);
    if (ageMs < REFETCH_MS || isSuspended(known) || this.#refetched.of(uri) !== undefined) return known;
    this.#refetched.add(uri, { missing: 'later' });
    const found = await this.#fetched(uri, known);
    return isMissing(found) ? known : found;
  }

  #once(key: string, work: () => Promise<StoreAccountRecord | Missing>): Promise<StoreAccountRecord | Missing> {
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const begun = work()
      .then((found) => (isMissing(found) ? this.#failed(key, found) : found))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, begun);
    return begun;
  }

  #failed(key: string, found: Missing): Missing {
    this.#failures.add(key, found);
    return found;
  }

  #fetched(uri: string, known?: StoreAccountRecord): Promise<StoreAccountRecord | Missing> {
    return this.#once(uri, async () => {
      const read = await this.#read(uri);
      if (isMissing(read)) return read;
      // The name of a known account never changes: other accounts mention it.
      if (known !== undefined) return this.#stored(read, known);
      const host = hostOf(uri) ?? '';
      const found = await findByName(this.#around.client, read.username, host, new URL(uri).protocol);
      if (isMissing(found)) return found;
      return found.actorUri === uri ? this.#stored(read, found) : { missing: 'refused' };
    });
  }

  async #fetchNamed(username: string, domain: string): Promise<StoreAccountRecord | Missing> {
    const found = await findByName(this.#around.client, username, domain);
    if (isMissing(found)) return found;
    if (isSameOrigin(found.actorUri, this.#around.baseUrl)) return { missing: 'gone' };
    const known = await this.known(found.actorUri);
    if (known !== undefined) return known;
    const read = await this.#read(found.actorUri);
    if (isMissing(read)) return read;
    const isSame = read.username.toLowerCase() === found.username.toLowerCase();
    if (!isSame) return { missing: 'refused' };
    const disagreement = await this.#disagreementOf(found, domain);
    return disagreement ?? this.#stored(read, found);
  }

  /**
   * Asks the server of an actor whether it has this name, unless that server was asked for it. Otherwise any domain could
   * give a name of its own to an actor of another server, and the limits of that domain would count for it.
   */
  async #disagreementOf({ username, domain, actorUri }: FoundName, asked: string): Promise<Missing | undefined> {
    const host = hostOf(actorUri) ?? '';
    if (host === domain || host === asked) return undefined;
    const own = await findByName(this.#around.client, username, host, new URL(actorUri).protocol);
    if (isMissing(own)) return own;
    return own.domain === domain && own.actorUri === actorUri ? undefined : { missing: 'refused' };
  }

  /** Fetches an actor. Its document counts only under exactly its id. */
  async #read(uri: string): Promise<ReadActor | Missing> {
    const outcome = await this.#around.client.object(uri);
    return outcome.kind === 'object' ? this.#readAt(uri, outcome.value, outcome.url) : missingOf(outcome);
  }

  #readAt(uri: string, document: JsonObject, finalUrl: string): ReadActor | Missing {
    const verdict = authority(document, { finalUrl, expected: uri });
    if (isRefused(verdict) || typeAmong(document, ACTOR_TYPES) === undefined) return { missing: 'gone' };
    return readActor(document, verdict, this.#around.clock.nowMs()) ?? { missing: 'gone' };
  }

  /** Stores what was read, in the account that has the name or in a new one. */
  async #stored(read: ReadActor, names: Pick<FoundName, 'username' | 'domain'>): Promise<StoreAccountRecord | Missing> {
    const { username, domain } = names;
    const { suspended, rejectsMedia } = this.#around.policies.of(domain);
    if (suspended) return { missing: 'refused' };
    const account = await this.#accountOf(remoteNamesOf(username, domain, read.actor.uri));
    if (account === undefined) return { missing: 'refused' };
    const { profile } = read;
    const actor = rejectsMedia ? { ...read.actor, avatarUrl: '', headerUrl: '', emojis: [] } : read.actor;
    const told = await this.#around.askAccount(account, 'describe', { username, domain, profile, actor });
    if (isProblem(told)) return { missing: 'refused' };
    const record = await this.#around.tables.get(accounts, { account });
    if (record === undefined) throw new Unavailable('the account is not readable yet');
    return record;
  }

  /** Returns the account with these names, or a new one; undefined if another actor has the address. */
  async #accountOf(names: readonly [string, string]): Promise<string | undefined> {
    const { registry, newAccountId } = this.#around;
    const known = await registry.find(names[1]);
    if (known !== undefined) return known;
    const id = await newAccountId();
    if ((await registry.claim(names, id)) === undefined) return id;
    // Another node has claimed the names for the same actor, or another actor has the address.
    return registry.find(names[1]);
  }
}
