import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import { PINS_MAX } from '../../account/pin.js';
import type { AccountCommands } from '../../account/slices.js';
import type { Clock } from '../../domain/time.js';
import type { TypedAsk } from '../../runtime/kind.js';
import { isSameOrigin } from '../reading/uris.js';
import { idOf, isObject, timeOf, typesOf } from '../reading/values.js';
import { itemsOf } from './collection.js';
import { isMissing, type RemoteCollections, type RemoteNotes, type RemotePeople, type RemoteProfiles } from './port.js';

/** Time between two completions of a profile: its new statuses arrive by themselves once somebody follows it. */
const EVERY_MS = 86_400_000;
/** Longest duration of a completion. */
const COMPLETION_MS = 60_000;
/** Completions of a node at the same time. No further one begins; the next view of the profile may begin it. */
const RUNNING_MAX = 16;
/** Profiles that were completed lately, some 100 bytes each. */
const PROFILES_MAX = 10_000;
/** Activities of the outbox that are looked at. Source: Mastodon, which shows 20 statuses on a page. */
const LATEST_MAX = 20;
/** Featured accounts that are read, and those of them that are fetched because they are not known here. */
const ENDORSED_READ_MAX = 40;
const ENDORSED_FETCHED_MAX = 10;

/** The dependencies of Profiles. */
export interface ProfilesContext {
  readonly client: Pick<FederationClient, 'object'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly caches?: Caches | undefined;
  readonly notes: Pick<RemoteNotes, 'known' | 'find'>;
  readonly people: Pick<RemotePeople, 'known' | 'find'>;
  readonly collections: Pick<RemoteCollections, 'all'>;
  /** Returns the local account of an address. @throws Unavailable */
  localAccountAt(uri: string): Promise<StoreAccountRecord | undefined>;
  readonly askAccount: TypedAsk<AccountCommands>;
}

/**
 * Completes profiles: fetches pinned and latest statuses, featured accounts and collections of people, of accounts that
 * somebody looks at or follows.
 */
export class Profiles implements RemoteProfiles {
  readonly #around: ProfilesContext;
  /** Times of the latest completions, by account. */
  readonly #completed: Cache<number>;
  #running = 0;

  constructor(around: ProfilesContext) {
    this.#around = around;
    this.#completed = new Cache('completed_profiles', PROFILES_MAX, around.caches);
  }

  complete(account: StoreAccountRecord): void {
    if (account.remote === undefined || this.#running >= RUNNING_MAX) return;
    const nowMs = this.#around.clock.monotonicMs();
    const lastMs = this.#completed.get(account.id);
    if (lastMs !== undefined && nowMs - lastMs < EVERY_MS) return;
    this.#completed.set(account.id, nowMs);
    this.#running += 1;
    // Without the store the rest is found a day later; nobody waits for it.
    void this.#run(account, nowMs + COMPLETION_MS)
      .catch(() => undefined)
      .finally(() => {
        this.#running -= 1;
      });
  }

  async #run(account: StoreAccountRecord, untilMs: number): Promise<void> {
    const { client, clock, notes, askAccount } = this.#around;
    const isOver = () => clock.monotonicMs() >= untilMs;
    const owner = account.origin?.uri;
    const { featuredUri, outbox } = account.remote ?? {};
    const featured = await itemsOf(client, featuredUri || undefined, { owner, itemsMax: PINS_MAX, isOver });
    let room = PINS_MAX - account.pinnedIds.length;
    for (const item of featured.toReversed()) {
      const id = await this.#found(idOf(item), account, isOver);
      if (id === undefined || account.pinnedIds.includes(id) || room-- <= 0) continue;
      await askAccount(account.id, 'pin', { statusId: id });
    }
    const latest = await itemsOf(client, outbox || undefined, { owner, itemsMax: LATEST_MAX, isOver });
    // The oldest first: ids follow the order of arrival, and so do the lists of a profile.
    for (const uri of latest.flatMap((item) => createdBy(item, account)).toReversed()) {
      if ((await notes.known(uri)) === undefined) await this.#found(uri, account, isOver);
    }
    await this.#endorse(account, isOver);
    await this.#around.collections.all(account, isOver);
  }

  /** Features the accounts that the account's own server lists. The collection has the latest first. */
  async #endorse({ id, origin, remote }: StoreAccountRecord, isOver: () => boolean): Promise<void> {
    const { client, people, askAccount, localAccountAt } = this.#around;
    const bounds = { owner: origin?.uri, itemsMax: ENDORSED_READ_MAX, isOver };
    const items = await itemsOf(client, remote?.featuredAccountsUri, bounds);
    let fetches = ENDORSED_FETCHED_MAX;
    for (const uri of items.flatMap((item) => idOf(item) ?? []).toReversed()) {
      if (isOver()) return;
      const known = (await localAccountAt(uri)) ?? (await people.known(uri));
      const found = known ?? (fetches-- > 0 ? await people.find(uri) : undefined);
      if (found !== undefined && !isMissing(found)) await askAccount(id, 'endorse', { target: found.id });
    }
  }

  /** Returns the id of a status of the account, which is fetched if it is not known here. */
  async #found(
    uri: string | undefined,
    account: StoreAccountRecord,
    isOver: () => boolean,
  ): Promise<string | undefined> {
    if (uri === undefined || isOver() || !isSameOrigin(uri, account.origin?.uri)) return undefined;
    const found = await this.#around.notes.find(uri);
    return isMissing(found) || found.accountId !== account.id ? undefined : found.id;
  }
}

/**
 * Returns the address of the status that an item of an outbox tells of. Of an account whose statuses are known here only
 * newer ones count: an older one would stand above them.
 */
function createdBy(item: unknown, { statuses, lastStatusAtMs }: StoreAccountRecord): readonly string[] {
  if (!isObject(item) || !typesOf(item).includes('Create')) return [];
  const uri = idOf(item.object);
  const isNewer = statuses === 0 || (timeOf(item.published) ?? 0) > lastStatusAtMs;
  return uri !== undefined && isNewer ? [uri] : [];
}
