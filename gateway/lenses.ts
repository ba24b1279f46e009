import { LRUCache } from 'lru-cache';
import type { AccountCommands } from '../actors/account/commands.js';
import { isProblem } from '../actors/domain/problem.js';
import type { TypedAsk } from '../actors/runtime/kind.js';
import type { HomeBounds, HomeIds } from '../actors/timelines/home-rings.js';
import type { AccountHome } from '../proto/gen/types.js';
import { Lens } from './streaming/lens.js';
import { type Relations, relationsFrom } from './visible.js';

/** A viewer's relations as of one version of them. */
export interface Viewpoint {
  readonly lens: Lens;
  readonly relations: Relations;
}

/** Follows and blocks of all lenses kept, some hundred bytes each. */
const EDGES_MAX = 500_000;
/** What a lens costs besides, in edges. */
const LENS_EDGES = 16;
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
  readonly #kept = new LRUCache<string, Kept>({ max: EDGES_MAX / LENS_EDGES, maxSize: EDGES_MAX });

  constructor(ask: TypedAsk<AccountCommands>) {
    this.#ask = ask;
  }

  /** @throws Unavailable when the viewer's actor cannot be asked */
  async of(viewer: string): Promise<Viewpoint> {
    return (await this.home(viewer, NO_BOUNDS)).view;
  }

  /** The viewer's relations with the next ids of their home timeline. */
  async home(viewer: string, bounds: HomeBounds): Promise<{ readonly view: Viewpoint; readonly part: HomeIds }> {
    const kept = this.#kept.get(viewer);
    const answer = await this.#ask(viewer, 'home', { knownVersion: kept?.version ?? 0, ...bounds });
    if (isProblem(answer)) throw new Error(`an account refused to say what it knows: ${answer.detail}`);
    const view = answer.sources === undefined && kept !== undefined ? kept : this.#keep(viewer, answer);
    return { view, part: { ids: answer.ids, rest: answer.rest as HomeIds['rest'], floor: answer.floor } };
  }

  #keep(viewer: string, { version, sources = { following: [], blocked: [] } }: AccountHome): Kept {
    const view = { version, lens: new Lens(viewer, sources), relations: relationsFrom(sources) };
    const size = LENS_EDGES + sources.following.length + sources.blocked.length;
    this.#kept.set(viewer, view, { size });
    return view;
  }
}
