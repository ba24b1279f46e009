import type { AccountCommands } from '../../actors/account/commands.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { TypedAnswerNow, TypedAsk } from '../../actors/runtime/kind.js';
import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import type { AccountHome, AccountReadHome, AccountSources } from '../../proto/gen/types.js';
import { Generations } from '../../store/cache/generations.js';
import { ALL } from '../paging/cursor.js';
import { type Soon, soon } from '../paging/soon.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './account-limits.js';
import type { GuestHomes } from './guest-homes.js';
import { Lens } from './lens.js';
import type { RelationNews } from './relation-news.js';
import type { Relations } from './relations.js';
import { loadScreen } from './screen.js';

/** A viewer's relations as of one version of them. */
export interface Viewpoint {
  readonly lens: Lens;
  readonly relations: Relations;
}

/** A viewer's relations, and the next ids of their home timeline. */
interface Seen {
  readonly view: Viewpoint;
  readonly part: HomeIds;
}

/** Follows, blocks, mutes and members of lists of all lenses kept, some hundred bytes each. */
const EDGES_MAX = 500_000;
/** What a lens costs besides, in edges. */
const LENS_EDGES = 16;
type LensClock = Pick<Clock, 'nowMs' | 'monotonicMs'>;

const NOBODY: AccountSources = {
  following: [],
  blocked: [],
  blockedBy: [],
  muted: [],
  lists: [],
  screened: false,
  tags: [],
  mutedConversations: [],
};
const NO_BOUNDS: HomeBounds = { ...ALL, limit: 0 };

interface Kept extends Viewpoint {
  readonly version: number;
  /** How much of EDGES_MAX it takes. */
  readonly edges: number;
  /** When it was asked for, by the monotonic clock; undefined: it is not believed. */
  askedMs: number | undefined;
  /** Of what was heard when it was asked for. */
  generation: number;
}

/** A question under way; news meanwhile make its answer good for once only. */
interface Asking {
  readonly atMs: number;
  readonly generation: number;
  overtaken: boolean;
}

/**
 * Viewers' lenses, kept as long as their actors say that nothing changed: each use asks for the version, in the same
 * message that asks for the ids of a home timeline. An actor on another node is not asked again for a while: its node
 * says when the relations change, before it answers whoever changed them.
 */
export class Lenses {
  readonly #ask: TypedAsk<AccountCommands>;
  readonly #kept = new Generations<Kept>(EDGES_MAX / LENS_EDGES, { of: ({ edges }) => edges, max: EDGES_MAX });

  readonly #clock: LensClock;
  readonly #answerNow: TypedAnswerNow<AccountCommands>;

  readonly #limits: LimitedAccounts;
  readonly #news: RelationNews | undefined;
  readonly #guests: GuestHomes | undefined;
  readonly #asking = new Map<string, Set<Asking>>();
  #generation = 0;

  /** `answerNow`: what the viewer's actor says at once, if it can. `news`, `guests`: absent where every actor lives here. */
  constructor(
    ask: TypedAsk<AccountCommands>,
    clock: LensClock,
    limits: LimitedAccounts = NOBODY_LIMITED,
    answerNow: TypedAnswerNow<AccountCommands> = () => undefined,
    news?: RelationNews,
    guests?: GuestHomes,
  ) {
    this.#guests = guests;
    this.#news = news;
    news?.onChanged((account) => this.#heard(account));
    this.#limits = limits;
    this.#ask = ask;
    this.#clock = clock;
    this.#answerNow = answerNow;
  }

  /** @throws Unavailable when the viewer's actor cannot be asked */
  of(viewer: string): Soon<Viewpoint> {
    const kept = this.#kept.get(viewer);
    if (kept !== undefined && this.#believes(viewer, kept)) return kept;
    const question = {
      knownVersion: kept?.version ?? 0,
      before: undefined,
      after: undefined,
      upwards: false,
      limit: 0,
    };
    const answer = this.#answerNow(viewer, 'home', question);
    if (answer === undefined) return this.#askHome(viewer, NO_BOUNDS, question, kept).then(({ view }) => view);
    if (kept !== undefined && !isProblem(answer) && answer.sources === undefined) return kept;
    return soon(this.#seen(viewer, kept, answer, undefined), ({ view }) => view);
  }

  /** As of this node's last question, which may have been a while ago; for what is shown, not for what may be seen. */
  latest(viewer: string): Viewpoint | undefined {
    return this.#kept.get(viewer);
  }

  /** The viewer's relations with the next ids of their home timeline. @throws as `of` */
  home(viewer: string, bounds: HomeBounds): Soon<Seen> {
    const kept = this.#kept.get(viewer);
    const { before, after, upwards, limit } = bounds;
    const question = { knownVersion: kept?.version ?? 0, before, after, upwards, limit };
    const answer = this.#answerNow(viewer, 'home', question);
    if (answer !== undefined) return this.#seen(viewer, kept, answer, undefined);
    const part =
      kept && bounds.limit > 0 && this.#believes(viewer, kept) && this.#guests?.read(viewer, bounds, kept.version);
    return part ? { view: kept, part } : this.#askHome(viewer, bounds, question, kept);
  }

  async #askHome(viewer: string, bounds: HomeBounds, question: AccountReadHome, kept: Kept | undefined): Promise<Seen> {
    const asking = this.#begin(viewer);
    const asked = this.#guests?.asking(viewer, bounds);
    const late = await this.#ask(viewer, 'home', question).finally(() => this.#end(viewer, asking));
    const seen = await this.#seen(viewer, kept, late, asking);
    if (asked !== undefined && !isProblem(late)) {
      this.#guests?.answered(viewer, asked, late.version, seen.part, () => seen.view.lens.authors);
    }
    return seen;
  }

  /** As long as rows are (ADR 0013): that bounds what a node cut off from the bus without knowing it may show. */
  #believes(viewer: string, { askedMs, generation }: Kept): boolean {
    const news = this.#news;
    if (news === undefined || askedMs === undefined || generation !== this.#generation) return false;
    return this.#clock.monotonicMs() - askedMs < news.ageMaxMs() && news.covers(viewer);
  }

  /** Without an account: any may have changed. */
  #heard(account: string | undefined): void {
    if (account === undefined) {
      this.#generation += 1;
      return;
    }
    const kept = this.#kept.peek(account);
    if (kept !== undefined) kept.askedMs = undefined;
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

  #seen(viewer: string, kept: Kept | undefined, answer: AccountHome | Problem, asking: Asking | undefined): Soon<Seen> {
    if (isProblem(answer)) throw new Error(`an account refused to say what it knows: ${answer.detail}`);
    const part = { ids: answer.ids, rest: answer.rest as HomeIds['rest'], floor: answer.floor };
    if (answer.sources === undefined && kept !== undefined) {
      if (asking?.overtaken === false) believe(kept, asking);
      return { view: kept, part };
    }
    return this.#keep(viewer, answer, asking).then((view) => ({ view, part }));
  }

  async #keep(viewer: string, { version, sources = NOBODY }: AccountHome, asking: Asking | undefined): Promise<Kept> {
    const screen = sources.screened ? await loadScreen(this.#ask, viewer, this.#clock) : undefined;
    const lens = new Lens(viewer, sources, this.#clock, this.#limits, screen?.languages);
    const relation = (account: string) => lens.relation(account);
    const relations = screen === undefined ? relation : Object.assign(relation, { screen });
    const edges = LENS_EDGES + edgesOf(sources) + (screen?.size ?? 0);
    const view: Kept = { version, edges, lens, relations, askedMs: undefined, generation: 0 };
    // A screen is asked for separately: what was heard meanwhile is not known to be in it.
    if (asking?.overtaken === false && screen === undefined) believe(view, asking);
    this.#kept.set(viewer, view);
    return view;
  }
}

function believe(kept: Kept, { atMs, generation }: Asking): void {
  kept.askedMs = atMs;
  kept.generation = generation;
}

function edgesOf(sources: AccountSources): number {
  const { following, blocked, blockedBy, muted, lists, tags, mutedConversations } = sources;
  const people = following.length + blocked.length + blockedBy.length + muted.length;
  const own = people + tags.length + mutedConversations.length;
  return lists.reduce((sum, list) => sum + list.members.length, own);
}
