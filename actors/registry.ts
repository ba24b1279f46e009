import type { StoreAppRecord, StoreKeptAnswer, StoreNameClaim, StoreTokenRecord } from '../proto/gen/types.js';
import { Cache, type Caches } from '../store/cache/cache.js';
import { isTextKey } from '../store/keys.js';
import { put, remove, type Tables } from '../store/port.js';
import { accounts, apps, appTokens, keptAnswers, names, refusedSignUps, tokens } from '../store/tables.js';
import { idMs } from './domain/ids.js';
import type { Clock } from './domain/time.js';
import { confirmNames, releaseNames } from './names.js';
import { ANSWERED_MS } from './runtime/limits.js';
import { hasPassed, SteadyClock } from './runtime/placement/steady-clock.js';
import { TokenUses } from './token-uses.js';

const DAY_MS = 86_400_000;
/** Age after which a claim without an account is taken over: much longer than any registration takes. */
export const CLAIM_LIFETIME_MS = 60_000;
/** Claims that are observed at the same time, some 100 bytes each. An evicted one is observed anew. */
const WATCHED_MAX = 20_000;
/**
 * Time after which a process that has claimed a request and not answered counts as dead: longer than the deadline of a
 * command. A mistake does no harm, because both attempts carry the same idempotency key.
 */
export const ANSWER_CLAIM_MS = 15_000;

/** Tokens of an application itself, which do not expire: more than its servers and workers. The oldest are revoked. */
export const APP_TOKENS_MAX = 1_000;
/** Tokens revoked at a time, two rows each. There is more than one only after a failed write. */
const ENDED_TOKENS_MAX = 100;

/** Prefix of claims of e-mail addresses. */
const EMAIL = 'email:';

interface Watched {
  readonly id: string;
  readonly atMs: number;
  readonly sinceMs: number;
}

/** Unique names by compare-and-set, and immutable rows that no actor owns. All methods throw Unavailable like Tables. */
export class Registrar {
  /** Claims of other ids and the monotonic time at which they were first observed. */
  private readonly watched: Cache<Watched>;
  private readonly tokenUses: TokenUses;

  constructor(
    private readonly tables: Tables,
    private readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
    /** Resolves when all other nodes have received what was written before; undefined if there are none. */
    private readonly untilReceived: () => Promise<void> | undefined = () => undefined,
    private readonly steady = new SteadyClock(clock),
    caches?: Caches,
  ) {
    this.watched = new Cache('observed_claims', WATCHED_MAX, caches);
    this.tokenUses = new TokenUses(tables, clock, caches);
  }

  /** Claims all names or none. Resolves to the first name that is taken, or undefined. Durable when resolved. */
  async claim(wanted: readonly string[], id: string): Promise<string | undefined> {
    const claimed: string[] = [];
    // The sort order is the same for everyone, so that two claims of the same names do not each get one of them.
    for (const name of [...wanted].sort()) {
      if (!(await this.claimOne(name, id))) {
        await this.release(claimed, id);
        return name;
      }
      claimed.push(name);
    }
    return undefined;
  }

  /**
   * Confirms the claims after the account with these names is durable. Resolves to the first name that belongs to
   * another id: the account must be ended then.
   */
  confirm(held: readonly string[], id: string): Promise<string | undefined> {
    return confirmNames(this.tables, held, id, this.clock.nowMs());
  }

  /** Deletes the claims of this id. */
  release(held: readonly string[], id: string): Promise<void> {
    return releaseNames(this.tables, held, id, false);
  }

  /** Deletes the claims of an account that was not created. */
  withdraw(held: readonly string[], id: string): Promise<void> {
    return releaseNames(this.tables, held, id, true);
  }

  /** True when another id has the name, so that a claim by this one would fail. */
  async isTaken(name: string, id: string): Promise<boolean> {
    const current = await this.tables.get(names, { name });
    return current !== undefined && current.id !== id && !(await this.isAbandoned(name, current));
  }

  /**
   * Returns the id that has a name, synchronously if it is cached. A name that is too long for the store belongs to
   * nobody.
   */
  find(name: string): string | undefined | Promise<string | undefined> {
    if (!isTextKey(name)) return undefined;
    const known = this.tables.peekOne?.(names, { name });
    return known === undefined ? this.tables.get(names, { name }).then((claim) => claim?.id) : known.value?.id;
  }

  putApp(clientId: string, app: StoreAppRecord): Promise<void> {
    return this.tables.write([put(apps, { client: clientId }, app)]);
  }

  /**
   * Stores a token of an application. Durable when resolved. If the application has too many, the oldest are revoked.
   */
  async putAppToken(hash: string, token: StoreTokenRecord): Promise<void> {
    const { clientId: client, atMs } = token;
    await this.tables.write([put(tokens, { hash }, token), put(appTokens, { client, atMs, hash }, {})]);
    const held = await this.tables.range(appTokens, { client }, { limit: APP_TOKENS_MAX + ENDED_TOKENS_MAX });
    const ended = held.slice(0, Math.max(0, held.length - APP_TOKENS_MAX));
    const rows = ended.flatMap(({ key }) => [remove(tokens, { hash: key.hash }), remove(appTokens, key)]);
    if (rows.length > 0) await this.tables.write(rows, { over: true });
  }

  /** Revokes a token. No node accepts it after this resolves. */
  async removeAppToken(hash: string, { clientId: client, atMs }: StoreTokenRecord): Promise<void> {
    await this.tables.write([remove(tokens, { hash }), remove(appTokens, { client, atMs, hash })], { over: true });
    await this.untilReceived();
  }

  /** Records a use of a token, for the list of sessions. Neither waits nor fails, and writes at most once an hour. */
  noteTokenUse(hash: string): void {
    this.tokenUses.note(hash);
  }

  /** Records that a sign-up from `address` was refused because of the domain of its e-mail address. */
  refusedSignUp(domain: string, attempt: string, address: string): Promise<void> {
    const day = Math.floor(this.clock.nowMs() / DAY_MS);
    return this.tables.write([put(refusedSignUps, { day, domain, attempt }, { address })]);
  }

  /**
   * Claims a request, identified by `name`. Returns the id to use for what it creates: `newId`, or the id of an earlier
   * attempt. Otherwise returns the stored answer, or 'pending' while another process handles the request.
   */
  async claimAnswer(
    name: string,
    newId: string,
  ): Promise<{ readonly newId: string } | 'pending' | { readonly status: number; readonly body: string }> {
    const now = this.steady.now();
    const claim = { atMs: now.wallMs, done: false, status: 0, body: '', newId, steadyMs: now.steadyMs };
    const { applied, current } = await this.tables.compareAndSet(keptAnswers, { name }, undefined, claim);
    if (applied) return { newId };
    if (current === undefined) return 'pending';
    // An id older than the stored replies of actors has no advantage over a new one.
    const first = { wallMs: idMs(current.newId), steadyMs: current.steadyMs };
    const isOver = hasPassed(ANSWERED_MS, first, now);
    if (current.done && !isOver) return { status: current.status, body: current.body };
    if (!current.done && claim.atMs - current.atMs < ANSWER_CLAIM_MS) return 'pending';
    const again = isOver ? claim : { ...claim, newId: current.newId, steadyMs: current.steadyMs };
    const taken = await this.tables.compareAndSet(keptAnswers, { name }, current, again);
    return taken.applied ? { newId: again.newId } : 'pending';
  }

  /** Stores the answer to a claimed request. Without an answer, another attempt may use the same id. */
  async keepAnswer(name: string, answer: Pick<StoreKeptAnswer, 'status' | 'body'> | undefined): Promise<void> {
    const current = await this.tables.get(keptAnswers, { name });
    if (current === undefined || current.done) return;
    const next = answer ? { ...current, atMs: this.clock.nowMs(), done: true, ...answer } : { ...current, atMs: 0 };
    await this.tables.compareAndSet(keptAnswers, { name }, current, next);
  }

  private async claimOne(name: string, id: string): Promise<boolean> {
    const claim = { id, atMs: this.clock.nowMs(), confirmed: false };
    let { applied, current } = await this.tables.compareAndSet(names, { name }, undefined, claim);
    while (!applied) {
      if (current?.id === id && current.confirmed) return true;
      if (current !== undefined && current.id !== id && !(await this.isAbandoned(name, current))) return false;
      // A claim of the same id is renewed, too, so that observers start anew.
      ({ applied, current } = await this.tables.compareAndSet(names, { name }, current, claim));
    }
    return true;
  }

  /**
   * True for an abandoned claim: this process has observed it unchanged for CLAIM_LIFETIME_MS by its own monotonic
   * clock, whatever the claimant's clock says. A mistake costs the claimant its sign-up, not uniqueness: the claimant
   * notices when it confirms.
   */
  private async isAbandoned(name: string, claim: StoreNameClaim): Promise<boolean> {
    const isEmail = name.startsWith(EMAIL);
    // The name of a deleted account stays claimed, so that nobody can impersonate it.
    if (claim.confirmed && !isEmail) return false;
    const account = await this.tables.get(accounts, { account: claim.id });
    if (account !== undefined && (!isEmail || account.email.toLowerCase() === name.slice(EMAIL.length))) return false;
    // A confirmed address belongs to an account whose row may not be written yet.
    if (account === undefined && claim.confirmed) return false;
    return this.hasStoodStill(name, claim);
  }

  private hasStoodStill(name: string, { id, atMs }: StoreNameClaim): boolean {
    const nowMs = this.clock.monotonicMs();
    const seen = this.watched.get(name);
    if (seen?.id === id && seen.atMs === atMs) return nowMs - seen.sinceMs >= CLAIM_LIFETIME_MS;
    this.watched.set(name, { id, atMs, sinceMs: nowMs });
    return false;
  }
}
