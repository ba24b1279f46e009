import type { StoreAppRecord, StoreKeptAnswer, StoreNameClaim, StoreTokenRecord } from '../proto/gen/types.js';
import { isTextKey } from '../store/keys.js';
import { put, remove, type Tables } from '../store/port.js';
import { accounts, apps, appTokens, keptAnswers, names, refusedSignUps, tokens } from '../store/tables.js';
import { idMs } from './domain/ids.js';
import type { Clock } from './domain/time.js';
import { ANSWERED_MS } from './runtime/limits.js';

const DAY_MS = 86_400_000;
/** After this a claim without an account is taken over: much longer than any registration is under way. */
export const CLAIM_LIFETIME_MS = 60_000;
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

/** Unique names by compare-and-set, and immutable rows that no actor owns. All methods throw Unavailable as Tables does. */
export class Registrar {
  constructor(
    private readonly tables: Tables,
    private readonly clock: Pick<Clock, 'nowMs'>,
    /** Resolves when all other nodes have heard what was written before; undefined: there are none. */
    private readonly heard: () => Promise<void> | undefined = () => undefined,
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

  /** Gives names back; those of other ids stay. */
  async release(held: readonly string[], id: string): Promise<void> {
    for (const name of held) {
      const current = await this.tables.get(names, { name });
      if (current?.id === id) await this.tables.compareAndSet(names, { name }, current, undefined);
    }
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
    const claim = { atMs: this.clock.nowMs(), done: false, status: 0, body: '', newId };
    const { applied, current } = await this.tables.compareAndSet(keptAnswers, { name }, undefined, claim);
    if (applied) return { newId };
    if (current === undefined) return 'pending';
    if (current.done) return { status: current.status, body: current.body };
    if (claim.atMs - current.atMs < ANSWER_CLAIM_MS) return 'pending';
    // An id that is older than what an actor remembers is as good as any.
    const isYoung = current.newId !== '' && claim.atMs - idMs(current.newId) < ANSWERED_MS;
    const again = { ...claim, newId: isYoung ? current.newId : newId };
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
    const claim = { id, atMs: this.clock.nowMs() };
    const { applied, current } = await this.tables.compareAndSet(names, { name }, undefined, claim);
    if (applied || current?.id === id) return true;
    if (current === undefined || !(await this.isAbandoned(name, current))) return false;
    return (await this.tables.compareAndSet(names, { name }, current, claim)).applied;
  }

  private async isAbandoned(name: string, claim: StoreNameClaim): Promise<boolean> {
    if (this.clock.nowMs() - claim.atMs < CLAIM_LIFETIME_MS) return false;
    const account = await this.tables.get(accounts, { account: claim.id });
    // Of an account that has ended its name stays: nobody is to be taken for it. An address that is no account's any more is free.
    if (account === undefined || !name.startsWith(EMAIL)) return account === undefined;
    return account.email.toLowerCase() !== name.slice(EMAIL.length);
  }
}
