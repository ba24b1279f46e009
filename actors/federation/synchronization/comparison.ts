import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { Tables } from '../../../store/port.js';
import { accounts, followers } from '../../../store/tables.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import type { AccountCommands } from '../../account/slices.js';
import { accountUri, isLocal, readLocalUri } from '../../domain/addresses.js';
import { eraOfId, eraOfMs } from '../../domain/ids.js';
import { isProblem } from '../../domain/problem.js';
import type { Clock } from '../../domain/time.js';
import type { TypedAsk } from '../../runtime/kind.js';
import { authority, isRefused } from '../reading/authority.js';
import { isSameOrigin } from '../reading/uris.js';
import { idsOf, type JsonObject } from '../reading/values.js';
import { followersDigest, readSynchronization, type Synchronization } from './header.js';
import { SYNCHRONIZED_MAX } from './partial-followers.js';

/** Time between two comparisons of the followers of one account. */
const EVERY_MS = 60_000;
/** Accounts whose last comparison is remembered, some 100 bytes each. */
const ACCOUNTS_MAX = 10_000;
/** Comparisons of a node at the same time. A later delivery begins the others. */
const RUNNING_MAX = 4;
/** Rows and accounts read at a time. */
const READ_AT_ONCE = 500;
/** Follows that the other server knows and this one does not, which one comparison settles. */
const SETTLED_MAX = 100;

export interface ComparisonContext {
  readonly baseUrl: string;
  readonly tables: Pick<Tables, 'range' | 'getMany'>;
  readonly client: Pick<FederationClient, 'object'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly caches?: Caches | undefined;
  readonly askAccount: TypedAsk<AccountCommands>;
  localAccount(username: string): Promise<StoreAccountRecord | undefined>;
}

/** A follow of an account of another server by a local one. */
interface LocalFollow {
  readonly uri: string;
  readonly follower: string;
  readonly edgeId: string;
}

/**
 * Compares the followers here of accounts of other servers with those that their servers know, behind the answer to a
 * delivery. Follows that the other server does not know end here, and those that only it knows end there. Source:
 * FEP-8fcf.
 */
export class FollowersComparison {
  readonly #around: ComparisonContext;
  /** Times of the last comparisons, by account. */
  readonly #compared: Cache<number>;
  #running = 0;

  constructor(around: ComparisonContext) {
    this.#around = around;
    this.#compared = new Cache('compared_followers', ACCOUNTS_MAX, around.caches);
  }

  /** Begins a comparison, unless one was made lately. Never throws. */
  begin(sender: StoreAccountRecord, header: string): void {
    const told = readSynchronization(header);
    const uri = sender.origin?.uri;
    if (told === undefined || uri === undefined || this.#running >= RUNNING_MAX) return;
    if (told.collectionId !== sender.remote?.followersUri || !isSameOrigin(told.url, uri)) return;
    const nowMs = this.#around.clock.monotonicMs();
    if (nowMs - (this.#compared.get(sender.id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.#compared.set(sender.id, nowMs);
    this.#running += 1;
    // Without the store a later delivery begins it again.
    void this.#compare(sender, told)
      .catch(() => undefined)
      .finally(() => {
        this.#running -= 1;
      });
  }

  async #compare(sender: StoreAccountRecord, told: Synchronization): Promise<void> {
    const before = await this.#followsOf(sender.id);
    if (before === undefined || followersDigest(before.map(({ uri }) => uri)) === told.digest) return;
    const known = await this.#fetched(told);
    if (known === undefined) return;
    const { askAccount } = this.#around;
    // Follows may have changed during the fetch.
    const follows = (await this.#followsOf(sender.id)) ?? [];
    for (const { uri, follower, edgeId } of follows)
      if (!known.has(uri)) await askAccount(sender.id, 'dropFollower', { follower, edgeId });
    const here = new Set(follows.map(({ uri }) => uri));
    const unknown = [...known].filter((uri) => !here.has(uri)).slice(0, SETTLED_MAX);
    for (const uri of unknown) await this.#settle(sender.id, uri);
  }

  /** Settles a follow request whose Accept was lost. Without a request its server gets an Undo. */
  async #settle(account: string, uri: string): Promise<void> {
    const local = readLocalUri(this.#around.baseUrl, uri);
    const follower = local?.kind === 'account' ? await this.#around.localAccount(local.username) : undefined;
    if (follower === undefined) return;
    const settled = await this.#around.askAccount(account, 'authorizeFollow', { follower: follower.id });
    if (isProblem(settled) && settled.problem === 'not_found')
      await this.#around.askAccount(account, 'disownFollow', { follower: follower.id });
  }

  /**
   * Returns the local followers that the other server knows. Undefined: its list cannot be read, is not that of the
   * digest or has pages, and must not end follows.
   */
  async #fetched({ url, digest }: Synchronization): Promise<ReadonlySet<string> | undefined> {
    const outcome = await this.#around.client.object(url);
    if (outcome.kind !== 'object' || isRefused(authority(outcome.value, { finalUrl: outcome.url }))) return undefined;
    const { first, next, items, orderedItems }: JsonObject = outcome.value;
    if (first !== undefined || next !== undefined) return undefined;
    const uris = idsOf([orderedItems ?? items ?? []].flat(), SYNCHRONIZED_MAX);
    return followersDigest(uris) === digest ? new Set(uris) : undefined;
  }

  /** Returns the follows of an account by local ones; undefined if there are too many. @throws Unavailable */
  async #followsOf(account: string): Promise<LocalFollow[] | undefined> {
    const { tables, clock, baseUrl } = this.#around;
    const found: LocalFollow[] = [];
    const last = eraOfMs(clock.nowMs()) + 1;
    for (let era = eraOfId(account); era <= last; era++) {
      for (let [edge, isMore] = ['0', true]; isMore; ) {
        const rows = await tables.range(followers, { account, era }, { after: { edge }, limit: READ_AT_ONCE });
        const keys = rows.map(({ value }) => ({ account: value.accountId }));
        const records = keys.length === 0 ? [] : await tables.getMany(accounts, keys);
        for (const [place, record] of records.entries()) {
          const edgeId = rows[place]?.key.edge;
          if (record === undefined || edgeId === undefined || !isLocal(record)) continue;
          found.push({ uri: accountUri(baseUrl, record), follower: record.id, edgeId });
        }
        if (found.length > SYNCHRONIZED_MAX) return undefined;
        isMore = rows.length === READ_AT_ONCE;
        edge = rows.at(-1)?.key.edge ?? edge;
      }
    }
    return found;
  }
}
