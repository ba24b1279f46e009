import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../actors/domain/time.js';
import { codec } from '../../proto/codec.js';
import type { StoreAccountRecord, StoreTokenRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { accounts, tokens } from '../../store/tables.js';
import { accountTopic, type Bus, type Subscription } from '../../transport/bus.js';
import type { Bearer } from './route.js';

/** Who calls: nobody, an application or a user. */
export interface Caller {
  /** The user's account id. */
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
}

/** A valid token with its account, as the store had them at most TOKEN_TTL_MS ago. */
export interface Authenticated extends Caller {
  readonly hash: string;
  readonly token: StoreTokenRecord;
  /** Absent for an application's own token. */
  readonly account: StoreAccountRecord | undefined;
  readonly bearer: Bearer;
}

/** A token that was found, until it is forgotten. */
interface Kept {
  readonly found: Authenticated;
  /** Monotonic; in the past once it is forgotten. */
  untilMs: number;
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

/** The token of an Authorization header: undefined when there is no header, '' when it bears none. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? '';
}

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
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #kept: LRUCache<string, Kept>;
  /**
   * What is kept, by the whole Authorization header in which it came: saves taking the header apart and hashing the
   * token on each request. Dead entries go when they are met or have become the oldest.
   */
  readonly #byHeader = new Map<string, Kept>();
  readonly #watches: LRUCache<string, Watch>;
  /** Counts forgettings: what was read before one is not kept after it. */
  #forgotten = 0;

  constructor(tables: ReadTables, bus: Bus, clock: Pick<Clock, 'monotonicMs'>, onError: (error: unknown) => void) {
    this.#tables = tables;
    this.#bus = bus;
    this.#clock = clock;
    this.#onError = onError;
    // However one goes (forgotten, crowded out), it is dead for those who hold it by its header too.
    this.#kept = new LRUCache({
      max: TOKENS_MAX,
      dispose: (kept) => {
        kept.untilMs = Number.NEGATIVE_INFINITY;
      },
    });
    this.#watches = new LRUCache({
      max: WATCHED_ACCOUNTS_MAX,
      ttl: WATCH_IDLE_MS,
      updateAgeOnGet: true,
      ttlAutopurge: false,
      dispose: (watch) => void watch.subscribed.then((subscription) => subscription?.close()).catch(onError),
    });
    bus.onGap(() => this.#forgetAll());
  }

  /** The token of an Authorization header if it is kept; undefined says nothing of it. `nowMs` is monotonic. */
  recall(header: string, nowMs: number): Authenticated | undefined {
    const kept = this.#byHeader.get(header);
    if (kept === undefined) return undefined;
    if (kept.untilMs > nowMs) return kept.found;
    this.#byHeader.delete(header);
    return undefined;
  }

  /** Undefined: no such token. @throws Unavailable when the store cannot answer */
  async authenticateHeader(header: string): Promise<Authenticated | undefined> {
    const token = bearerToken(header) ?? '';
    const found = await this.authenticate(token);
    const kept = found && this.#kept.get(found.hash);
    // In one spelling only: nobody shall crowd others out, or fill memory, with spaces and capitals.
    if (kept === undefined || kept.found !== found || header !== `Bearer ${token}`) return found;
    const oldest = this.#byHeader.size < TOKENS_MAX ? undefined : this.#byHeader.keys().next().value;
    if (oldest !== undefined) this.#byHeader.delete(oldest);
    this.#byHeader.set(header, kept);
    return found;
  }

  /** Undefined: no such token. @throws Unavailable when the store cannot answer */
  async authenticate(token: string): Promise<Authenticated | undefined> {
    if (token === '' || token.length > TOKEN_CHARS_MAX) return undefined;
    return this.byHash(tokenHash(token));
  }

  /** As `authenticate`, for a token of which only the hash is known. */
  async byHash(hash: string): Promise<Authenticated | undefined> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined && kept.untilMs > this.#clock.monotonicMs()) return kept.found;
    // Both as they were before the reading: what arrives from the store may be older than what was heard meanwhile.
    const before = this.#forgotten;
    const untilMs = this.#clock.monotonicMs() + TOKEN_TTL_MS;
    const first = await this.#read(hash);
    if (first?.account === undefined || !usable(first.account)) return first;
    // Followed before it is read again: a revocation between the two would otherwise go unheard.
    const wasWatched = this.#watches.has(first.account.id);
    if (!(await this.#watch(first.account.id))) return first;
    const found = wasWatched ? first : await this.#read(hash);
    if (found?.account !== undefined && usable(found.account) && this.#forgotten === before)
      this.#kept.set(hash, { found, untilMs });
    return found;
  }

  /** The next request with the token reads the store. */
  forget(hash: string): void {
    this.#forgotten++;
    this.#kept.delete(hash);
  }

  async close(): Promise<void> {
    const open = [...this.#watches.values()];
    this.#watches.clear();
    await Promise.allSettled(open.map((watch) => watch.subscribed));
  }

  async #read(hash: string): Promise<Authenticated | undefined> {
    const token = await this.#tables.get(tokens, { hash });
    if (token === undefined || token.kind === 'session') return undefined;
    const bearer = { clientId: token.clientId, scopes: token.scopes, tokenHash: hash };
    if (token.accountId === undefined) return { hash, token, account: undefined, viewer: undefined, bearer };
    const account = await this.#tables.get(accounts, { account: token.accountId });
    if (account === undefined) return undefined;
    return { hash, token, account, viewer: account.id, bearer: { ...bearer, accountId: account.id } };
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
    this.#kept.clear();
  }
}

/** True when the account may act: confirmed, approved, not disabled. */
export function usable(account: StoreAccountRecord): boolean {
  return account.confirmed && account.approved && !account.disabled;
}
