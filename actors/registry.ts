import { LRUCache } from 'lru-cache';
import type { StoreAppRecord, StoreKeptAnswer, StoreNameClaim, StoreTokenRecord } from '../proto/gen/types.js';
import { isTextKey } from '../store/keys.js';
import { put, remove, type Tables } from '../store/port.js';
import { accounts, apps, appTokens, keptAnswers, names, refusedSignUps, tokens } from '../store/tables.js';
import { idMs } from './domain/ids.js';
import type { Clock } from './domain/time.js';
import { confirmNames, releaseNames } from './names.js';
import { ANSWERED_MS } from './runtime/limits.js';
import { hasPassed, SteadyClock } from './runtime/placement/steady-clock.js';

const DAY_MS = 86_400_000;
/** A claim without an account is taken over after this: much longer than any registration is under way. */
export const CLAIM_LIFETIME_MS = 60_000;
/** Claims that are watched for that long: what is forgotten is watched anew. Some 100 bytes each. */
const WATCHED_MAX = 10_000;
/**
 * After this whoever took a request on and has not answered is taken for dead: longer than an actor is waited for. If it
 * is not, no harm is done: what both ask for is carried out once.
 */
export const ANSWER_CLAIM_MS = 15_000;

/** Tokens of its own that an application keeps, which have no end: more than its servers and workers. The oldest give way. */
export const APP_TOKENS_MAX = 1_000;
/** Tokens that give way at a time, two rows each: more than one only after a failed write. */
const ENDED_TOKENS_MAX = 100;

/** What claims of addresses begin with. */
const EMAIL = 'email:';

interface Watched {
  readonly id: string;
  readonly atMs: number;
  readonly sinceMs: number;
}

/** Unique names by compare-and-set, and immutable rows that no actor owns. All methods throw Unavailable as Tables does. */
export class Registrar {
  /** Claims of others as they were first seen, and when, by the monotonic clock. */
  private readonly watched = new LRUCache<string, Watched>({ maxSize: WATCHED_MAX, sizeCalculation: () => 1 });

  constructor(
    private readonly tables: Tables,
    private readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
    /** Resolves when all other nodes have heard what was written before; undefined: there are none. */
    private readonly heard: () => Promise<void> | undefined = () => undefined,
    private readonly steady = new SteadyClock(clock),
  ) {}

  /** All or none; answers the first name that is taken, or undefined. Durable when resolved. */
  async claim(wanted: readonly string[], id: string): Promise<string | undefined> {
    const claimed: string[] = [];
    // In one order for everyone, so that two claims of the same names do not each take one of them.
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
   * Makes the claims final, once the account that has the names is durable. Answers the first that belongs to another by now:
   * the account must end then.
   */
  confirm(held: readonly string[], id: string): Promise<string | undefined> {
    return confirmNames(this.tables, held, id, this.clock.nowMs());
  }

  /** Gives names back; those of other ids stay. */
  release(held: readonly string[], id: string): Promise<void> {
    return releaseNames(this.tables, held, id, false);
  }

  /** Gives claims back to which no account came. */
  withdraw(held: readonly string[], id: string): Promise<void> {
    return releaseNames(this.tables, held, id, true);
  }

  /** True when another id has the name, so that a claim by this one would fail now. */
  async isTaken(name: string, id: string): Promise<boolean> {
    const current = await this.tables.get(names, { name });
    return current !== undefined && current.id !== id && !(await this.isAbandoned(name, current));
  }

  /** At once where that is known. A name that is too long for the store is nobody's. */
  find(name: string): string | undefined | Promise<string | undefined> {
    if (!isTextKey(name)) return undefined;
    const known = this.tables.peekOne?.(names, { name });
    return known === undefined ? this.tables.get(names, { name }).then((claim) => claim?.id) : known.value?.id;
  }

  putApp(clientId: string, app: StoreAppRecord): Promise<void> {
    return this.tables.write([put(apps, { client: clientId }, app)]);
  }

  /** Durable when resolved. Of too many tokens of one application the oldest are revoked. */
  async putAppToken(hash: string, token: StoreTokenRecord): Promise<void> {
    const { clientId: client, atMs } = token;
    await this.tables.write([put(tokens, { hash }, token), put(appTokens, { client, atMs, hash }, {})]);
    const held = await this.tables.range(appTokens, { client }, { limit: APP_TOKENS_MAX + ENDED_TOKENS_MAX });
    const ended = held.slice(0, Math.max(0, held.length - APP_TOKENS_MAX));
    const rows = ended.flatMap(({ key }) => [remove(tokens, { hash: key.hash }), remove(appTokens, key)]);
    if (rows.length > 0) await this.tables.write(rows, { over: true });
  }

  /** No node takes it any more when this resolves. */
  async removeAppToken(hash: string, { clientId: client, atMs }: StoreTokenRecord): Promise<void> {
    await this.tables.write([remove(tokens, { hash }), remove(appTokens, { client, atMs, hash })], { over: true });
    await this.heard();
  }

  /** Somebody at `address` was refused for the provider of their e-mail address. */
  refusedSignUp(domain: string, attempt: string, address: string): Promise<void> {
    const day = Math.floor(this.clock.nowMs() / DAY_MS);
    return this.tables.write([put(refusedSignUps, { day, domain, attempt }, { address })]);
  }

  /**
   * Takes it on to answer a request, and what that makes has `newId`, or the id of who tried first; else what was
   * answered, or that somebody else is about to.
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
    // An id that is older than what an actor remembers is as good as any.
    const first = { wallMs: idMs(current.newId), steadyMs: current.steadyMs };
    const isOver = hasPassed(ANSWERED_MS, first, now);
    if (current.done && !isOver) return { status: current.status, body: current.body };
    if (!current.done && claim.atMs - current.atMs < ANSWER_CLAIM_MS) return 'pending';
    const again = isOver ? claim : { ...claim, newId: current.newId, steadyMs: current.steadyMs };
    const taken = await this.tables.compareAndSet(keptAnswers, { name }, current, again);
    return taken.applied ? { newId: again.newId } : 'pending';
  }

  /** What was answered to the request that was taken on; without it, another may try under the same id. */
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
      // A claim of one's own is renewed, too: whoever watches it begins anew.
      ({ applied, current } = await this.tables.compareAndSet(names, { name }, current, claim));
    }
    return true;
  }

  /**
   * True for a claim that nobody stands by any more: this process has seen it unchanged for CLAIM_LIFETIME_MS by its own
   * monotonic clock, whatever the clock of the claimant says. A mistake costs the claimant its sign-up, not uniqueness: it
   * finds out when it confirms.
   */
  private async isAbandoned(name: string, claim: StoreNameClaim): Promise<boolean> {
    const isEmail = name.startsWith(EMAIL);
    // The name of an account that has ended stays claimed: nobody is to be taken for it.
    if (claim.confirmed && !isEmail) return false;
    const account = await this.tables.get(accounts, { account: claim.id });
    if (account !== undefined && (!isEmail || account.email.toLowerCase() === name.slice(EMAIL.length))) return false;
    // An address that was confirmed belongs to an account whose row may be on its way.
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
