import { LRUCache } from 'lru-cache';
import type { AccountCommands } from '../actors/account/commands.js';
import { isProblem, type Problem } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';
import type { TypedAnswerNow, TypedAsk } from '../actors/runtime/kind.js';
import type { HomeBounds, HomeIds } from '../actors/timelines/ring-part.js';
import type { AccountHome, AccountSources } from '../proto/gen/types.js';
import { type LimitedAccounts, NOBODY_LIMITED } from './instance/account-limits.js';
import { loadScreen } from './screening/screen.js';
import { type Soon, soon } from './soon.js';
import { Lens } from './streaming/lens.js';
import type { Relations } from './visible.js';

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
  readonly #answerNow: TypedAnswerNow<AccountCommands>;

  readonly #limits: LimitedAccounts;

  /** `answerNow`: what the viewer's actor says at once, if it can. */
  constructor(
    ask: TypedAsk<AccountCommands>,
    clock: Pick<Clock, 'nowMs'>,
    limits: LimitedAccounts = NOBODY_LIMITED,
    answerNow: TypedAnswerNow<AccountCommands> = () => undefined,
  ) {
    this.#limits = limits;
    this.#ask = ask;
    this.#clock = clock;
    this.#answerNow = answerNow;
  }

  /** @throws Unavailable when the viewer's actor cannot be asked */
  of(viewer: string): Soon<Viewpoint> {
    return soon(this.home(viewer, NO_BOUNDS), ({ view }) => view);
  }

  /** As of this node's last question, which may have been a while ago; for what is shown, not for what may be seen. */
  latest(viewer: string): Viewpoint | undefined {
    return this.#kept.get(viewer);
  }

  /** The viewer's relations with the next ids of their home timeline. @throws as `of` */
  home(viewer: string, bounds: HomeBounds): Soon<Seen> {
    const kept = this.#kept.get(viewer);
    const question = { knownVersion: kept?.version ?? 0, ...bounds };
    const answer = this.#answerNow(viewer, 'home', question);
    if (answer === undefined) return this.#ask(viewer, 'home', question).then((late) => this.#seen(viewer, kept, late));
    return this.#seen(viewer, kept, answer);
  }

  #seen(viewer: string, kept: Kept | undefined, answer: AccountHome | Problem): Soon<Seen> {
    if (isProblem(answer)) throw new Error(`an account refused to say what it knows: ${answer.detail}`);
    const part = { ids: answer.ids, rest: answer.rest as HomeIds['rest'], floor: answer.floor };
    if (answer.sources === undefined && kept !== undefined) return { view: kept, part };
    return this.#keep(viewer, answer).then((view) => ({ view, part }));
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
