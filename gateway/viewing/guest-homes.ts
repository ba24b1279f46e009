import type { AccountCommands } from '../../actors/account/slices.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { HomeRings, RecentIds } from '../../actors/timelines/home-rings.js';
import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import type { ReadTables } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
import { ALL } from '../paging/cursor.js';

/** A query of a home timeline, with the state of this node when it was sent. */
export interface HomeAsked {
  readonly bounds: HomeBounds;
  /** Cached number of the viewer's statuses; undefined if it is not in memory. */
  readonly own: number | undefined;
}

interface Guest {
  /** Version of the viewer's relations. */
  readonly version: number;
  asks: number;
  /** Number of the viewer's own statuses that the ring is known to contain; undefined if unknown. */
  own: number | undefined;
}

/** Rings of viewers whose actors are on other nodes: 67 MB if all are full. */
export const GUESTS_MAX = 16_384;
/** Viewers whose queries are counted, some 100 bytes each; half is as many as there are rings. */
const VIEWERS_MAX = 2 * GUESTS_MAX;
/** Queries before a ring is opened. A ring costs as much as some pages, so a viewer with a single request gets none. */
const ASKS_MIN = 3;
/** Ids that a ring begins with: twenty pages, in one answer of 8 KB. */
const RING_IDS = 400;

type GuestRings = Pick<HomeRings, 'read' | 'request' | 'deliver' | 'deliverTo' | 'close' | 'closeAll' | 'deaf'>;

/**
 * Home timelines of viewers who read on this node while their actors are on other nodes. Every node receives every
 * status, so this node maintains a ring as the owner does. The ring begins with the content of the owner's ring and is
 * valid for one version of the viewer's relations. If the version differs, or the viewer has posted since, the owner is
 * queried, because its ring contains the new status at once.
 */
export class GuestHomes {
  readonly #guests: Cache<Guest>;
  private readonly rings: GuestRings;

  /** `open` creates rings that load their first ids with the given function. */
  constructor(
    open: (recent: RecentIds) => GuestRings,
    private readonly ask: TypedAsk<AccountCommands>,
    private readonly tables: Pick<ReadTables, 'peek'>,
    caches?: Caches,
  ) {
    this.rings = open(([viewer = '']) => this.#ringOfOwner(viewer));
    this.#guests = new Cache('guest_homes', VIEWERS_MAX, caches);
  }

  get deaf(): boolean {
    return this.rings.deaf;
  }

  deliver(author: string, id: string): void {
    this.rings.deliver(author, id);
  }

  deliverTo(viewer: string, id: string): void {
    this.rings.deliverTo(viewer, id);
  }

  /**
   * Returns the ids, or undefined if the owner must be queried. `version` is the validated version of the viewer's
   * relations.
   */
  read(viewer: string, bounds: HomeBounds, version: number): HomeIds | undefined {
    const guest = this.#guests.get(viewer);
    if (guest?.own === undefined || guest.version !== version || guest.own !== this.#own(viewer)) return undefined;
    const part = this.rings.read(viewer, bounds, version);
    return part.rest === 'none' ? undefined : part;
  }

  /** Prepares a query of the owner. */
  asking(viewer: string, bounds: HomeBounds): HomeAsked {
    return { bounds, own: this.#own(viewer) };
  }

  /**
   * Applies the owner's answer. `authors` returns the accounts whose statuses the viewer receives under that version,
   * which is valid from now on.
   */
  answered(viewer: string, { bounds, own }: HomeAsked, version: number, part: HomeIds, authors: () => string[]): void {
    if (bounds.limit === 0 || part.rest === 'none') return;
    let guest = this.#guests.get(viewer);
    if (guest?.version !== version) {
      // A viewer who is no longer cached may have a ring of an older version.
      this.rings.close(viewer);
      guest = { version, asks: 0, own: undefined };
      this.#guests.set(viewer, guest);
    }
    guest.asks += 1;
    if (guest.asks < ASKS_MIN) return;
    const { rest, floor } = this.rings.read(viewer, { ...ALL, limit: 1 }, version);
    if (rest === 'none') {
      guest.own = undefined;
      this.rings.request(viewer, authors());
    } else if (bounds.before === undefined && !bounds.upwards) {
      for (const id of part.ids) if (floor === undefined || id >= floor) this.rings.deliverTo(viewer, id);
      guest.own = own;
    }
  }

  /** Closes all rings, because they may lack statuses. */
  closeAll(): void {
    this.#guests.clear();
    this.rings.closeAll();
  }

  /**
   * Loads the first ids from the owner. @throws Error if the owner has no ring for this version, Unavailable if the
   * owner does not answer
   */
  async #ringOfOwner(viewer: string): ReturnType<RecentIds> {
    const version = this.#guests.get(viewer)?.version ?? 0;
    const answer = await this.ask(viewer, 'home', { knownVersion: version, ...ALL, limit: RING_IDS });
    if (isProblem(answer))
      throw new Error(`failed to read a home timeline: the account refused the query: ${answer.detail}`);
    const { ids, rest } = answer;
    if (answer.version !== version || rest === 'none' || (ids.length === 0 && rest !== 'end')) {
      throw new Error('the owner has no home ring for this version of the relations');
    }
    return { ids, complete: rest === 'end' };
  }

  #own(viewer: string): number | undefined {
    return this.tables.peek?.(accounts, { account: viewer })?.statuses;
  }
}
