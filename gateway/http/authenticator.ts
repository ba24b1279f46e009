import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { codec } from '../../proto/codec.js';
import type { StoreAccountRecord, StoreTokenRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { accounts, tokens } from '../../store/tables.js';
import { accountTopic, type Bus, type Subscription } from '../../transport/bus.js';

/** A valid token with its account, as the store had them at most TOKEN_TTL_MS ago. */
export interface Authenticated {
  readonly hash: string;
  readonly token: StoreTokenRecord;
  /** Absent for an application's own token. */
  readonly account: StoreAccountRecord | undefined;
}

/** How long a found token is believed without the store: bounds what a lost message can do. */
const TOKEN_TTL_MS = 1_000;
/** Tokens kept: some 2 KB each with their account. */
const TOKENS_MAX = 10_000;
/** Accounts whose topic is followed so that a revocation is heard at once; each costs one subscription on the bus. */
const WATCHED_ACCOUNTS_MAX = 10_000;
/** An account's topic is given up this long after its last request. */
const WATCH_IDLE_MS = 60_000;
/** Longest token looked up; ours have 43 characters. */
const TOKEN_CHARS_MAX = 512;

const accountTopicCodec = codec('murmuration.node.AccountTopic');

export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

interface Watch {
  readonly subscribed: Promise<Subscription | undefined>;
}

/**
 * Finds the token that a request bears. A usable user token is kept for a second, and only while its account's topic
 * is followed; everything else (unknown, revoked, unconfirmed, an application's) is read from the store each time.
 */
export class Authenticator {
  readonly #tables: ReadTables;
  readonly #bus: Bus;
  readonly #onError: (error: unknown) => void;
  /** Saves hashing the same token on each request: 3 µs of some 50. */
  readonly #hashes = new LRUCache<string, string>({ max: TOKENS_MAX });
  readonly #found = new LRUCache<string, Authenticated>({ max: TOKENS_MAX, ttl: TOKEN_TTL_MS });
  readonly #watches: LRUCache<string, Watch>;
  /** Counts forgettings: what was read before one is not kept after it. */
  #forgotten = 0;

  constructor(tables: ReadTables, bus: Bus, onError: (error: unknown) => void) {
    this.#tables = tables;
    this.#bus = bus;
    this.#onError = onError;
    this.#watches = new LRUCache({
      max: WATCHED_ACCOUNTS_MAX,
      ttl: WATCH_IDLE_MS,
      updateAgeOnGet: true,
      ttlAutopurge: false,
      dispose: (watch) => void watch.subscribed.then((subscription) => subscription?.close()).catch(onError),
    });
    bus.onGap(() => this.#forgetAll());
  }

  /** Undefined: no such token. @throws Unavailable when the store cannot answer */
  async authenticate(token: string): Promise<Authenticated | undefined> {
    if (token === '' || token.length > TOKEN_CHARS_MAX) return undefined;
    let hash = this.#hashes.get(token);
    if (hash === undefined) {
      hash = tokenHash(token);
      this.#hashes.set(token, hash);
    }
    return this.byHash(hash);
  }

  /** As `authenticate`, for a token of which only the hash is known. */
  async byHash(hash: string): Promise<Authenticated | undefined> {
    const kept = this.#found.get(hash);
    if (kept !== undefined) return kept;
    const first = await this.#read(hash);
    if (first?.account === undefined || !usable(first.account)) return first;
    // Followed before it is read again: a revocation between the two would otherwise go unheard.
    const before = this.#forgotten;
    const wasWatched = this.#watches.has(first.account.id);
    if (!(await this.#watch(first.account.id))) return first;
    const found = wasWatched ? first : await this.#read(hash);
    if (found?.account !== undefined && usable(found.account) && this.#forgotten === before)
      this.#found.set(hash, found);
    return found;
  }

  /** The next request with the token reads the store. */
  forget(hash: string): void {
    this.#forgotten++;
    this.#found.delete(hash);
  }

  async close(): Promise<void> {
    const open = [...this.#watches.values()];
    this.#watches.clear();
    await Promise.allSettled(open.map((watch) => watch.subscribed));
  }

  async #read(hash: string): Promise<Authenticated | undefined> {
    const token = await this.#tables.get(tokens, { hash });
    if (token === undefined || token.kind === 'session') return undefined;
    if (token.accountId === undefined) return { hash, token, account: undefined };
    const account = await this.#tables.get(accounts, { account: token.accountId });
    return account === undefined ? undefined : { hash, token, account };
  }

  async #watch(account: string): Promise<boolean> {
    let watch = this.#watches.get(account);
    if (watch === undefined) {
      const subscribed = this.#bus
        .subscribe(accountTopic(account), (payload) => {
          try {
            this.#heard(payload);
          } catch (error) {
            this.#onError(error);
            this.#forgetAll();
          }
        })
        // A bus that is down only costs the cache: the store still answers.
        .catch(() => undefined);
      watch = { subscribed };
      this.#watches.set(account, watch);
    }
    const subscription = await watch.subscribed;
    if (subscription === undefined && this.#watches.peek(account) === watch) this.#watches.delete(account);
    return subscription !== undefined;
  }

  #heard(payload: Uint8Array): void {
    const message = accountTopicCodec.decode(payload);
    if (message.kind !== 'token_revoked') return;
    if (message.tokenHash !== undefined && message.tokenHash !== '') this.forget(message.tokenHash);
    else this.#forgetAll();
  }

  #forgetAll(): void {
    this.#forgotten++;
    this.#found.clear();
  }
}

/** True when the account may act: confirmed, approved, not disabled. */
export function usable(account: StoreAccountRecord): boolean {
  return account.confirmed && account.approved && !account.disabled;
}
