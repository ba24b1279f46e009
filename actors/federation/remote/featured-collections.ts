import type { AccountCollection, AccountCollectionItem, StoreAccountRecord } from '../../../proto/gen/types.js';
import { deletedUris } from '../../../store/federation-tables.js';
import type { Tables } from '../../../store/port.js';
import { collections } from '../../../store/tables.js';
import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import { REMOTE_COLLECTIONS_MAX, REMOTE_ITEMS_MAX } from '../../account/remote-collections.js';
import type { AccountCommands } from '../../account/slices.js';
import { featureStampUri } from '../../domain/addresses.js';
import { isId, storedId } from '../../domain/ids.js';
import { isProblem, type Problem, Unavailable } from '../../domain/problem.js';
import { uriKey } from '../../domain/text/uri-key.js';
import type { Clock } from '../../domain/time.js';
import type { TypedAsk } from '../../runtime/kind.js';
import { featureStampDocument } from '../documents/stamp.js';
import { authority, isRefused } from '../reading/authority.js';
import {
  type ReadCollection,
  type ReadPlace,
  readFeaturedCollection,
  readPlace,
} from '../reading/featured-collection.js';
import { isSameOrigin } from '../reading/uris.js';
import { idOf } from '../reading/values.js';
import { itemsOf } from './collection.js';
import { isMissing, type RemoteCollections, type RemotePeople, type Taken } from './port.js';
import type { Stamps } from './stamps.js';
import { missingOf } from './web-finger.js';

/** Longest time that the accounts of one collection are looked for. Those that are left wait for a repetition. */
const PROOFS_MS = 60_000;
/** Accounts of one collection that are fetched because they are not known here. Source: Mastodon's limit of a collection. */
const PEOPLE_FETCHED_MAX = 25;
/** Longest addresses of a collection, of a place and of a stamp that are stored: those of known servers are shorter. */
const URI_CHARS_MAX = 500;

/** The dependencies of FeaturedCollections. */
export interface FeaturedCollectionsContext {
  readonly baseUrl: string;
  readonly tables: Pick<Tables, 'get' | 'getMany'>;
  readonly client: Pick<FederationClient, 'object'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly stamps: Pick<Stamps, 'prove' | 'judged'>;
  readonly people: Pick<RemotePeople, 'known' | 'find'>;
  /** Returns the local account of an address. @throws Unavailable */
  localAccountAt(uri: string): Promise<StoreAccountRecord | undefined>;
  readonly askAccount: TypedAsk<AccountCommands>;
}

/** The remaining cost of the proofs of one collection. */
interface Budget {
  readonly untilMs: number;
  people: number;
  /** True: an account is left out because something cannot be fetched now. */
  isLater: boolean;
}

/**
 * Stores collections of people of other servers. An account shows in one only with its stamp (FEP-7aa9): that of a local
 * account is one of this server, others are fetched. Stamps that were proven before are not fetched again.
 */
export class FeaturedCollections implements RemoteCollections {
  readonly #around: FeaturedCollectionsContext;

  constructor(around: FeaturedCollectionsContext) {
    this.#around = around;
  }

  async find(uri: string, owner: StoreAccountRecord): Promise<Taken> {
    if (!isSameOrigin(uri, owner.origin?.uri)) return 'ignored';
    const outcome = await this.#around.client.object(uri);
    if (outcome.kind !== 'object') {
      const { missing } = missingOf(outcome);
      if (missing === 'gone') await this.forget(uri, owner);
      return missing === 'later' ? 'later' : 'ignored';
    }
    const verdict = authority(outcome.value, { finalUrl: outcome.url, expected: uri });
    return isRefused(verdict) ? 'ignored' : this.told(outcome.value, owner);
  }

  async told(document: JsonObject, owner: StoreAccountRecord): Promise<Taken> {
    const { clock, tables } = this.#around;
    const read = readFeaturedCollection(document, owner.origin?.uri ?? '', clock.nowMs());
    if (read === undefined || read.uri.length > URI_CHARS_MAX) return 'ignored';
    if ((await tables.get(deletedUris, { uri: uriKey(read.uri) })) !== undefined) return 'ignored';
    const known = await this.#known(read.uri, owner);
    const budget = this.#budget();
    const places = await this.#placesOf(read, budget);
    const items = await this.#proven(read.uri, places, known?.items ?? [], budget);
    const { uri, url, text, publishedMs, updatedMs } = read;
    return this.#described(owner, { uri, url, text, publishedMs, updatedMs, items }, budget);
  }

  async joined(item: JsonObject, collection: string, owner: StoreAccountRecord): Promise<Taken> {
    const known = await this.#known(collection, owner);
    if (known === undefined) return this.find(collection, owner);
    const place = readPlace(item, collection);
    if (place === undefined) return 'ignored';
    const others = known.items.filter(({ uri }) => uri !== place.uri);
    if (others.length >= REMOTE_ITEMS_MAX) return 'ignored';
    const budget = this.#budget();
    const proven = await this.#proven(collection, [place], known.items, budget);
    if (proven.length === 0) return budget.isLater ? 'later' : 'ignored';
    return this.#described(owner, { ...statedIn(known), items: [...others, ...proven] }, budget);
  }

  async parted(place: string, collection: string, owner: StoreAccountRecord): Promise<Taken> {
    const known = await this.#known(collection, owner);
    if (known === undefined) return 'ignored';
    const items = known.items.filter(({ uri }) => uri !== place);
    return this.#described(owner, { ...statedIn(known), items }, this.#budget());
  }

  async forget(uri: string, owner: StoreAccountRecord): Promise<void> {
    available(await this.#around.askAccount(owner.id, 'forgetCollection', { uri }));
  }

  async all(owner: StoreAccountRecord, isOver: () => boolean): Promise<void> {
    const bounds = { owner: owner.origin?.uri, itemsMax: REMOTE_COLLECTIONS_MAX, isOver };
    const list = await itemsOf(this.#around.client, owner.remote?.featuredCollectionsUri, bounds);
    const listed = list.flatMap((one) => idOf(one) ?? []);
    // Only servers of followers get the end. A collection that is listed no more is gone, or says so itself.
    const unlisted = (await this.#stored(owner)).filter((uri) => !listed.includes(uri));
    for (const uri of [...unlisted, ...listed.toReversed()]) {
      if (isOver()) return;
      await this.find(uri, owner);
    }
  }

  /** Returns the addresses of the account's collections that are stored here. */
  async #stored({ id }: StoreAccountRecord): Promise<readonly string[]> {
    const reply = available(await this.#around.askAccount(id, 'collections', {}));
    if (isProblem(reply)) return [];
    const keys = reply.ids.map((collection) => ({ collection }));
    return (await this.#around.tables.getMany(collections, keys)).flatMap((row) => row?.uri ?? []);
  }

  #budget(): Budget {
    const untilMs = this.#around.clock.monotonicMs() + PROOFS_MS;
    return { untilMs, people: PEOPLE_FETCHED_MAX, isLater: false };
  }

  async #known(uri: string, { id }: StoreAccountRecord): Promise<AccountCollection | undefined> {
    const known = available(await this.#around.askAccount(id, 'collectionAt', { uri }));
    return isProblem(known) ? undefined : known;
  }

  async #described(
    { id }: StoreAccountRecord,
    collection: AccountCommands['describeCollection']['in'],
    { isLater }: Budget,
  ): Promise<Taken> {
    const reply = available(await this.#around.askAccount(id, 'describeCollection', collection));
    if (isProblem(reply)) return 'ignored';
    return isLater ? 'later' : 'done';
  }

  /** Returns the accounts in a collection, which may have pages. */
  async #placesOf({ uri, places, first }: ReadCollection, { untilMs }: Budget): Promise<readonly ReadPlace[]> {
    if (places.length > 0 || first === undefined) return places;
    const { client, clock } = this.#around;
    const isOver = () => clock.monotonicMs() >= untilMs;
    const items = await itemsOf(client, first, { owner: uri, itemsMax: REMOTE_ITEMS_MAX, isOver });
    return items.flatMap((item) => readPlace(item, uri) ?? []);
  }

  /** Returns the places whose stamps are proven. */
  async #proven(
    collection: string,
    places: readonly ReadPlace[],
    known: readonly AccountCollectionItem[],
    budget: Budget,
  ): Promise<AccountCollectionItem[]> {
    const proven: AccountCollectionItem[] = [];
    for (const place of places) {
      const { uri, stampUri, publishedMs: createdAtMs } = place;
      if (uri.length > URI_CHARS_MAX || stampUri.length > URI_CHARS_MAX) continue;
      const account = await this.#accountOf(place, budget);
      if (account === undefined) continue;
      const held = known.find((one) => one.uri === uri && one.account === account.id && one.stampUri === stampUri);
      if (held !== undefined || (await this.#isPermitted(account, place, collection, budget)))
        proven.push(held ?? { id: '', account: account.id, createdAtMs, stampUri, uri });
    }
    return proven;
  }

  async #accountOf({ featured }: ReadPlace, budget: Budget): Promise<StoreAccountRecord | undefined> {
    const { people, localAccountAt, baseUrl } = this.#around;
    if (isSameOrigin(featured, baseUrl)) return localAccountAt(featured);
    const known = await people.known(featured);
    if (known !== undefined) return known;
    if (budget.people <= 0 || this.#isOver(budget)) return undefined;
    budget.people -= 1;
    const found = await people.find(featured);
    if (!isMissing(found)) return found;
    if (found.missing === 'later') budget.isLater = true;
    return undefined;
  }

  async #isPermitted(
    account: StoreAccountRecord,
    { featured, stampUri: uri }: ReadPlace,
    collection: string,
    budget: Budget,
  ): Promise<boolean> {
    if (isSameOrigin(featured, this.#around.baseUrl)) return this.#permittedHere(account, uri, collection);
    if (this.#isOver(budget)) return false;
    const proof = await this.#around.stamps.prove(featureStampDocument({ uri, featured, collection }));
    if (proof === 'later') budget.isLater = true;
    return proof === 'accepted';
  }

  /** Returns true if a local account has given this stamp for this collection, and not revoked it. */
  async #permittedHere(account: StoreAccountRecord, uri: string, collection: string): Promise<boolean> {
    const { askAccount, baseUrl, stamps } = this.#around;
    const before = featureStampUri(baseUrl, account, '');
    const id = uri.startsWith(before) ? storedId(uri.slice(before.length)) : '';
    const stamp = isId(id) ? available(await askAccount(account.id, 'featureStamp', { id })) : undefined;
    const isGiven = stamp !== undefined && !isProblem(stamp) && stamp.uri === collection;
    return stamps.judged('FeatureAuthorization', isGiven);
  }

  #isOver(budget: Budget): boolean {
    const isOver = this.#around.clock.monotonicMs() >= budget.untilMs;
    if (isOver) budget.isLater = true;
    return isOver;
  }
}

/** Returns what is known of a collection as its server states it, without the accounts in it. */
const statedIn = ({
  uri = '',
  url = '',
  text,
  createdAtMs: publishedMs,
  updatedAtMs: updatedMs,
}: AccountCollection) => ({
  ...{ uri, url, publishedMs, updatedMs },
  ...(text === undefined ? {} : { text }),
});

/** @throws Unavailable if the actor could not answer */
function available<R extends object>(reply: R | Problem): R | Problem {
  if (isProblem(reply) && reply.problem === 'unavailable') throw new Unavailable(reply.detail);
  return reply;
}
