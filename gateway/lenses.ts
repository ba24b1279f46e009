import { LRUCache } from 'lru-cache';
import type { AccountCommands } from '../actors/account/commands.js';
import { isProblem } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';
import type { TypedAsk } from '../actors/runtime/kind.js';
import type { HomeBounds, HomeIds } from '../actors/timelines/ring-part.js';
import type { AccountHome, AccountSources } from '../proto/gen/types.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './account-limits.js';
import { loadScreen } from './screen.js';
import { Lens } from './streaming/lens.js';
import type { Relations } from './visible.js';

/** A viewer's relations as of one version of them. */
export interface Viewpoint {
  readonly lens: Lens;
  readonly relations: Relations;
}

/** Follows, blocks, mutes and members of lists of all lenses kept, some hundred bytes each. */
const EDGES_MAX = 500_000;
/** What a lens costs besides, in edges. */
const LENS_EDGES = 16;
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
const NO_BOUNDS: HomeBounds = { before: undefined, after: undefined, upwards: false, limit: 0 };

interface Kept extends Viewpoint {
  readonly version: number;
}

/**
 * Viewers' lenses, kept as long as their actors say that nothing changed: each use asks for the version, in the same
 * message that asks for the ids of a home timeline, so that no answer is ever given by relations of the past.
 */
export class Lenses {
  readonly #ask: TypedAsk<AccountCommands>;
  readonly #kept = new LRUCache<string, Kept>({ maxSize: EDGES_MAX });

  readonly #clock: Pick<Clock, 'nowMs'>;

  readonly #limits: LimitedAccounts;

  constructor(ask: TypedAsk<AccountCommands>, clock: Pick<Clock, 'nowMs'>, limits: LimitedAccounts = NOBODY_LIMITED) {
    this.#limits = limits;
    this.#ask = ask;
    this.#clock = clock;
  }

  /** @throws Unavailable when the viewer's actor cannot be asked */
  async of(viewer: string): Promise<Viewpoint> {
    return (await this.home(viewer, NO_BOUNDS)).view;
  }

  /** As of this node's last question, which may have been a while ago; for what is shown, not for what may be seen. */
  latest(viewer: string): Viewpoint | undefined {
    return this.#kept.get(viewer);
  }

  /** The viewer's relations with the next ids of their home timeline. */
  async home(viewer: string, bounds: HomeBounds): Promise<{ readonly view: Viewpoint; readonly part: HomeIds }> {
    const kept = this.#kept.get(viewer);
    const answer = await this.#ask(viewer, 'home', { knownVersion: kept?.version ?? 0, ...bounds });
    if (isProblem(answer)) throw new Error(`an account refused to say what it knows: ${answer.detail}`);
    const view = answer.sources === undefined && kept !== undefined ? kept : await this.#keep(viewer, answer);
    return { view, part: { ids: answer.ids, rest: answer.rest as HomeIds['rest'], floor: answer.floor } };
  }

  async #keep(viewer: string, { version, sources = NOBODY }: AccountHome): Promise<Kept> {
    const screen = sources.screened ? await loadScreen(this.#ask, viewer, this.#clock) : undefined;
    const lens = new Lens(viewer, sources, this.#clock, this.#limits, screen?.languages);
    const relation = (account: string) => lens.relation(account);
    const view = { version, lens, relations: screen === undefined ? relation : Object.assign(relation, { screen }) };
    this.#kept.set(viewer, view, { size: LENS_EDGES + edgesOf(sources) + (screen?.size ?? 0) });
    return view;
  }
}

function edgesOf(sources: AccountSources): number {
  const { following, blocked, blockedBy, muted, lists, tags, mutedConversations } = sources;
  const people = following.length + blocked.length + blockedBy.length + muted.length;
  const own = people + tags.length + mutedConversations.length;
  return lists.reduce((sum, list) => sum + list.members.length, own);
}
