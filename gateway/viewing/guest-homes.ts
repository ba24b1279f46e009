import { LRUCache } from 'lru-cache';
import type { AccountCommands } from '../../actors/account/commands.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { HomeRings, RecentIds } from '../../actors/timelines/home-rings.js';
import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import type { ReadTables } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
import { ALL } from '../paging/cursor.js';

/** What a viewer's owner was asked, and what was known here when it was. */
export interface HomeAsked {
  readonly bounds: HomeBounds;
  /** How many statuses the viewer has; undefined when it is not in memory. */
  readonly own: number | undefined;
}

interface Guest {
  /** Of the relations. */
  readonly version: number;
  asks: number;
  /** The viewer's statuses of which all are in the ring; undefined: none is known to be. */
  own: number | undefined;
}

/** Rings of viewers who live elsewhere: 67 MB when all are full. */
export const GUESTS_MAX = 16_384;
/** A ring costs as much as some pages: whoever comes by once has none. */
const ASKS_MIN = 3;
/** Twenty pages, in one answer of 8 KB. */
const RING_IDS = 400;

type GuestRings = Pick<HomeRings, 'read' | 'request' | 'deliver' | 'deliverTo' | 'close' | 'closeAll' | 'deaf'>;

/**
 * Home timelines of viewers who live on other nodes and read here: every node hears of every status, so a ring is kept
 * up here as well as there. It begins with what the owner's has, and is good for one version of the viewer's relations;
 * with another, or when the viewer has posted since, the owner is asked, whose ring has that at once.
 */
export class GuestHomes {
  readonly #guests: LRUCache<string, Guest>;
  private readonly rings: GuestRings;

  /** `open`: rings that begin with what they are given to ask for. */
  constructor(
    open: (recent: RecentIds) => GuestRings,
    private readonly ask: TypedAsk<AccountCommands>,
    private readonly tables: Pick<ReadTables, 'peek'>,
    guestsMax = GUESTS_MAX,
  ) {
    this.rings = open(([viewer = '']) => this.#ringOfOwner(viewer));
    this.#guests = new LRUCache({ max: guestsMax, dispose: (_guest, viewer) => this.rings.close(viewer) });
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

  /** Undefined: the owner is to be asked. `version`: of the viewer's relations, which are believed. */
  read(viewer: string, bounds: HomeBounds, version: number): HomeIds | undefined {
    const guest = this.#guests.get(viewer);
    if (guest?.own === undefined || guest.version !== version || guest.own !== this.#own(viewer)) return undefined;
    const part = this.rings.read(viewer, bounds, version);
    return part.rest === 'none' ? undefined : part;
  }

  /** Before the owner is asked. */
  asking(viewer: string, bounds: HomeBounds): HomeAsked {
    return { bounds, own: this.#own(viewer) };
  }

  /** What the owner has answered. `authors`: whom the viewer hears, under that version; believed from now on. */
  answered(viewer: string, { bounds, own }: HomeAsked, version: number, part: HomeIds, authors: () => string[]): void {
    if (bounds.limit === 0 || part.rest === 'none') return;
    let guest = this.#guests.get(viewer);
    if (guest?.version !== version) {
      if (guest !== undefined) this.rings.close(viewer);
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

  /** Nothing here is known to be whole. */
  closeAll(): void {
    this.#guests.clear();
    this.rings.closeAll();
  }

  /** @throws Error when there is none under these relations, Unavailable when the owner cannot be asked */
  async #ringOfOwner(viewer: string): ReturnType<RecentIds> {
    const version = this.#guests.get(viewer)?.version ?? 0;
    const answer = await this.ask(viewer, 'home', { knownVersion: version, ...ALL, limit: RING_IDS });
    if (isProblem(answer)) throw new Error(`an account refused to say what it knows: ${answer.detail}`);
    const { ids, rest } = answer;
    if (answer.version !== version || rest === 'none' || (ids.length === 0 && rest !== 'end')) {
      throw new Error('its owner has no such ring now');
    }
    return { ids, complete: rest === 'end' };
  }

  #own(viewer: string): number | undefined {
    return this.tables.peek?.(accounts, { account: viewer })?.statuses;
  }
}
