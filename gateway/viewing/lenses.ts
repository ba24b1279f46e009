import type { AccountCommands } from '../../actors/account/slices.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { TypedAnswerNow, TypedAsk } from '../../actors/runtime/kind.js';
import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import type { AccountHome, AccountReadHome, AccountSources } from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import { ALL } from '../paging/cursor.js';
import { type Soon, soon } from '../paging/soon.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './account-limits.js';
import type { GuestHomes } from './guest-homes.js';
import { Lens, NO_SOURCES } from './lens.js';
import type { RelationNews } from './relation-news.js';
import { loadScreen } from './screen.js';

/** The viewer's lens of one version. */
export interface Viewpoint {
  readonly lens: Lens;
}

/** A viewer's relations, and the next ids of their home timeline. */
interface Seen {
  readonly view: Viewpoint;
  readonly part: HomeIds;
}

/** Capacity of the cache in edges: follows, blocks, mutes and list members of all lenses, some hundred bytes each. */
const EDGES_MAX = 500_000;
/** Fixed cost of a lens, in edges. */
const LENS_EDGES = 16;
type LensClock = Pick<Clock, 'nowMs' | 'monotonicMs'>;

const NO_BOUNDS: HomeBounds = { ...ALL, limit: 0 };

interface CachedViewpoint extends Viewpoint {
  readonly version: number;
  /** Share of EDGES_MAX that the lens uses. */
  readonly edges: number;
  /** Monotonic time of the query that validated the lens; undefined if it is not valid without a query. */
  askedMs: number | undefined;
  /** Invalidation generation at the time of that query. */
  generation: number;
  /** Revision of the viewer's state that validated the lens; undefined if it is not valid without a query. */
  revision: object | undefined;
}

/** A query in flight. An invalidation during the query makes its answer valid for this one use only. */
interface Asking {
  readonly atMs: number;
  readonly generation: number;
  overtaken: boolean;
}

/**
 * Cache of viewers' lenses. Each use sends the cached version to the viewer's actor, in the message that requests the
 * ids of a home timeline, and the actor answers if the version is current. An actor on this node that has recorded
 * nothing since is not queried for a lens alone. An actor on another node is not queried again for a while: its node
 * publishes a change of relations before it answers the request that made the change.
 */
export class Lenses {
  readonly #ask: TypedAsk<AccountCommands>;
  readonly #cache: Cache<CachedViewpoint>;
  readonly #clock: LensClock;
  readonly #answerNow: TypedAnswerNow<AccountCommands>;
  readonly #revisionNow: (viewer: string) => object | undefined;
  readonly #limits: LimitedAccounts;
  readonly #news: RelationNews | undefined;
  readonly #guests: GuestHomes | undefined;
  readonly #asking = new Map<string, Set<Asking>>();
  #generation = 0;

  /**
   * `answerNow` answers for an actor that can reply synchronously, and `revisionNow` returns the revision of its state.
   * `news` and `guests` are absent if every actor is on this node.
   */
  constructor(
    ask: TypedAsk<AccountCommands>,
    clock: LensClock,
    limits: LimitedAccounts = NOBODY_LIMITED,
    answerNow: TypedAnswerNow<AccountCommands> = () => undefined,
    revisionNow: (viewer: string) => object | undefined = () => undefined,
    news?: RelationNews,
    guests?: GuestHomes,
    caches?: Caches,
  ) {
    const weights = { of: ({ edges }: CachedViewpoint) => edges, max: EDGES_MAX };
    this.#cache = new Cache('viewpoints', EDGES_MAX / LENS_EDGES, caches, weights);
    this.#guests = guests;
    this.#news = news;
    news?.onChanged((account) => this.#onNews(account));
    this.#limits = limits;
    this.#ask = ask;
    this.#clock = clock;
    this.#answerNow = answerNow;
    this.#revisionNow = revisionNow;
  }

  /** Returns the viewer's current relations. @throws Unavailable when the viewer's actor cannot be reached */
  of(viewer: string): Soon<Viewpoint> {
    const cached = this.#cache.get(viewer);
    if (cached !== undefined && this.#believes(viewer, cached)) return cached;
    const revision = this.#revisionNow(viewer);
    if (revision !== undefined && cached?.revision === revision) return cached;
    const question = {
      knownVersion: cached?.version ?? 0,
      before: undefined,
      after: undefined,
      upwards: false,
      limit: 0,
    };
    const answer = this.#answerNow(viewer, 'home', question);
    if (answer === undefined) return this.#askHome(viewer, NO_BOUNDS, question, cached).then(({ view }) => view);
    if (cached !== undefined && !isProblem(answer) && answer.sources === undefined) {
      cached.revision = revision;
      return cached;
    }
    return soon(this.#seen(viewer, cached, answer, undefined), ({ view }) => view);
  }

  /**
   * Returns the cached relations without validation. They may decide how a status is rendered, but not if it is
   * visible.
   */
  latest(viewer: string): Viewpoint | undefined {
    return this.#cache.get(viewer);
  }

  /** Returns the viewer's relations with the next ids of their home timeline. @throws as `of` */
  home(viewer: string, bounds: HomeBounds): Soon<Seen> {
    const cached = this.#cache.get(viewer);
    const { before, after, upwards, limit } = bounds;
    const question = { knownVersion: cached?.version ?? 0, before, after, upwards, limit };
    const answer = this.#answerNow(viewer, 'home', question);
    if (answer !== undefined) return this.#seen(viewer, cached, answer, undefined);
    const part =
      cached &&
      bounds.limit > 0 &&
      this.#believes(viewer, cached) &&
      this.#guests?.read(viewer, bounds, cached.version);
    return part ? { view: cached, part } : this.#askHome(viewer, bounds, question, cached);
  }

  async #askHome(
    viewer: string,
    bounds: HomeBounds,
    question: AccountReadHome,
    cached: CachedViewpoint | undefined,
  ): Promise<Seen> {
    const asking = this.#begin(viewer);
    const asked = this.#guests?.asking(viewer, bounds);
    const late = await this.#ask(viewer, 'home', question).finally(() => this.#end(viewer, asking));
    const seen = await this.#seen(viewer, cached, late, asking);
    if (asked !== undefined && !isProblem(late)) {
      this.#guests?.answered(viewer, asked, late.version, seen.part, () => seen.view.lens.authors);
    }
    return seen;
  }

  /**
   * Returns true if the cached lens is valid without a query. The maximum age is the one of cached rows (ADR 0013): it
   * bounds the stale data that a node may show while it is partitioned from the bus without knowing it.
   */
  #believes(viewer: string, { askedMs, generation }: CachedViewpoint): boolean {
    const news = this.#news;
    if (news === undefined || askedMs === undefined || generation !== this.#generation) return false;
    return this.#clock.monotonicMs() - askedMs < news.ageMaxMs() && news.covers(viewer);
  }

  /** Invalidates the lens of an account, or all lenses without one. */
  #onNews(account: string | undefined): void {
    if (account === undefined) {
      this.#generation += 1;
      return;
    }
    const cached = this.#cache.peek(account);
    if (cached !== undefined) cached.askedMs = undefined;
    for (const asking of this.#asking.get(account) ?? []) asking.overtaken = true;
  }

  #begin(viewer: string): Asking | undefined {
    if (this.#news === undefined) return undefined;
    const asking = { atMs: this.#clock.monotonicMs(), generation: this.#generation, overtaken: false };
    const all = this.#asking.get(viewer);
    if (all === undefined) this.#asking.set(viewer, new Set([asking]));
    else all.add(asking);
    return asking;
  }

  #end(viewer: string, asking: Asking | undefined): void {
    const all = this.#asking.get(viewer);
    if (asking !== undefined && all?.delete(asking) && all.size === 0) this.#asking.delete(viewer);
  }

  #seen(
    viewer: string,
    cached: CachedViewpoint | undefined,
    answer: AccountHome | Problem,
    asking: Asking | undefined,
  ): Soon<Seen> {
    if (isProblem(answer)) throw new Error(`failed to read relations: the account refused the query: ${answer.detail}`);
    const part = { ids: answer.ids, rest: answer.rest as HomeIds['rest'], floor: answer.floor };
    if (answer.sources === undefined && cached !== undefined) {
      if (asking?.overtaken === false) believe(cached, asking);
      return { view: cached, part };
    }
    return this.#keep(viewer, answer, asking).then((view) => ({ view, part }));
  }

  async #keep(
    viewer: string,
    { version, sources = NO_SOURCES }: AccountHome,
    asking: Asking | undefined,
  ): Promise<CachedViewpoint> {
    const screen = sources.screened ? await loadScreen(this.#ask, viewer, this.#clock) : undefined;
    const lens = new Lens(viewer, sources, this.#clock, this.#limits, screen);
    const edges = LENS_EDGES + edgesOf(sources) + (screen?.size ?? 0);
    const view: CachedViewpoint = { version, edges, lens, askedMs: undefined, generation: 0, revision: undefined };
    // The screen was queried separately, so it may lack a change published meanwhile.
    if (asking?.overtaken === false && screen === undefined) believe(view, asking);
    this.#cache.set(viewer, view);
    return view;
  }
}

function believe(cached: CachedViewpoint, { atMs, generation }: Asking): void {
  cached.askedMs = atMs;
  cached.generation = generation;
}

function edgesOf(sources: AccountSources): number {
  const { following, blocked, blockedBy, muted, lists, tags, mutedConversations } = sources;
  const people = following.length + blocked.length + blockedBy.length + muted.length;
  const own = people + tags.length + mutedConversations.length;
  return lists.reduce((sum, list) => sum + list.members.length, own);
}
