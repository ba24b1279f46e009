import type { NodeHeard, NodeHeardOf, NodeHomeRing } from '../../proto/gen/types.js';
import type { Clock } from '../domain/time.js';
import type { Logger } from '../runtime/logger.js';
import { FollowerIndex } from './follower-index.js';
import { packed, unpacked, wordsOf } from './id-words.js';
import { LargeAuthors } from './large-authors.js';
import { onlyFor, RecentlyHeard } from './recently-heard.js';
import { fillRing, type HomeBounds, type HomeIds, isBelow, NO_RING, ringPart } from './ring-part.js';
import { NO_FLOOR, RING_IDS, Rings } from './rings.js';
import { Slots } from './slots.js';

/** The newest ids of what these accounts posted and reblogged, unfiltered, newest first, merged from the store. */
export type RecentIds = (
  authors: readonly string[],
  limit: number,
) => Promise<{
  readonly ids: readonly string[];
  /** Nothing older exists. */
  readonly complete: boolean;
}>;

/** What this node has heard of what is delivered here (Bus). */
export interface HeardBus {
  heard(): readonly NodeHeardOf[];
  follows(heard: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean;
}

export interface HomeRingsOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly recent: RecentIds;
  /** Epoch of the shard of an id, undefined when it is not this node's: a ring is good for one epoch. */
  readonly epochOf: (id: string) => number | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** Set where rings come from other nodes and go to them. */
  readonly bus?: HeardBus | undefined;
  /** Tests make them small. */
  readonly ringsMax?: number;
  readonly largeMin?: number;
}

/** Rings of one node: 537 MB when all are full. */
const RINGS_MAX = 131_072;
/** Past so many rings an author's posts are merged at read: to write to each would hold the event loop for 4 ms. */
const LARGE_MIN = 20_000;
/** Ids that a new ring begins with: twenty pages. */
const REBUILD_IDS = 400;
/** Rings being filled at a time: each reads a row or more of everyone followed. */
const BUILDS_MAX = 16;

/** Rings handed over with a batch of shards: 10 KB each, and whoever read longest ago does not miss it at once. */
const RINGS_HANDED_MAX = 5_000;
/** In place of the epoch of a shard that is on its way. */
const AWAITED = 0;

/**
 * The home timelines of the accounts that live on this node and were read of late, as rings of ids. Caches: what is in
 * doubt is dropped, and merged from the store at the next read. What a viewer may see of them is decided at the read.
 */
export class HomeRings {
  readonly #options: HomeRingsOptions;
  readonly #slots: Slots;
  #rings = new Rings();
  #index = new FollowerIndex();
  #large = new LargeAuthors();
  /** Viewers whose ring is being filled. */
  readonly #building = new Map<string, object>();
  readonly #heard: RecentlyHeard | undefined;
  #deliveries = 0;
  #refused = 0;

  constructor(options: HomeRingsOptions) {
    this.#options = options;
    const { bus } = options;
    this.#heard = bus && new RecentlyHeard(() => bus.heard());
    this.#slots = new Slots(options.ringsMax ?? RINGS_MAX, options.clock);
  }

  /** Rings in use, deliveries (a status into one ring) and rings refused so far, bytes reserved. */
  get figures() {
    const rings = this.#slots.size;
    return { rings, deliveries: this.#deliveries, refused: this.#refused, bytes: this.#rings.bytes };
  }

  /** Nothing that is delivered now would be found again. */
  get deaf(): boolean {
    return this.#heard === undefined && this.#slots.size === 0;
  }

  /** `version`: of the viewer's relations now. */
  read(viewer: string, bounds: HomeBounds, version: number): HomeIds {
    const ring = this.#current(viewer, version);
    if (ring === undefined || this.#building.has(viewer)) return NO_RING;
    this.#slots.touch(ring, version);
    const logs = this.#large.of(ring);
    let floor = this.#rings.floor(ring);
    for (const log of logs) if (isBelow(floor, log.floor)) floor = log.floor;
    return ringPart(floor, bounds, (within, floorId) => {
      const own = this.#rings.read(ring, within);
      if (logs.length === 0) return own;
      const all = new Set([...own, ...logs.flatMap((log) => log.read(within))]);
      const ids = [...all].filter((id) => id >= floorId).sort();
      if (!bounds.upwards) ids.reverse();
      return ids.slice(0, bounds.limit);
    });
  }

  /** Begins to fill a ring for the viewer unless there is one, or too many are being filled. */
  request(viewer: string, authors: readonly string[]): void {
    if (this.#current(viewer) !== undefined || this.#building.size >= BUILDS_MAX) return;
    const token = {};
    this.#building.set(viewer, token);
    const everyone = [viewer, ...authors.filter((author) => author !== viewer)];
    this.#open(viewer, everyone);
    this.#options
      .recent(everyone, REBUILD_IDS)
      .then(({ ids, complete }) => {
        if (this.#building.get(viewer) !== token) return;
        this.#building.delete(viewer);
        this.#fill(viewer, ids, complete);
      })
      .catch((err: unknown) => {
        this.#options.log.warn({ err, viewer }, 'a home timeline could not be read; it is merged at each read');
        if (this.#building.get(viewer) === token) this.close(viewer);
      });
  }

  /** A ring with these ids (newest first), by authors whose posts come to it from now on. */
  open(viewer: string, authors: readonly string[], ids: readonly string[], complete: boolean): void {
    this.close(viewer);
    this.#open(viewer, authors);
    this.#fill(viewer, ids, complete);
  }

  /** Resolves when what the author posted before is in the viewer's ring, too. */
  async follow(viewer: string, author: string): Promise<void> {
    const ring = this.#current(viewer);
    if (ring === undefined) return;
    // What is being read for it does not know the author.
    if (this.#building.has(viewer)) return this.close(viewer);
    if (!this.#index.has(author, ring)) this.#hear(author, ring);
    try {
      const { ids, complete } = await this.#options.recent([author], REBUILD_IDS);
      if (this.#slots.of(viewer) === ring) this.#fill(viewer, ids, complete);
    } catch (err) {
      this.#options.log.warn({ err, viewer }, 'a home timeline could not be completed; it is dropped');
      if (this.#slots.of(viewer) === ring) this.close(viewer);
    }
  }

  /** What is in the ring stays; readers leave it out. */
  unfollow(viewer: string, author: string): void {
    const ring = this.#slots.of(viewer);
    if (ring === undefined) return;
    this.#index.remove(author, ring);
    this.#large.unfollow(author, ring);
  }

  /** A new status or reblog, into the rings of all who follow its author. */
  deliver(author: string, id: string): void {
    this.#heard?.add(author, id);
    const { high, low } = wordsOf(id);
    const followers = this.#index.count(author);
    if (followers > 0) {
      this.#deliveries += followers;
      const number = this.#rings.numberOf(high, low);
      this.#index.each(author, (rings, from, to) => this.#rings.append(number, rings, from, to));
    } else if (this.#large.has(author)) {
      this.#deliveries += 1;
      this.#large.deliver(author, high, low);
    }
  }

  /** Into one ring only: the author's own, who must find it there at once; those mentioned, when nobody else may see it. */
  deliverTo(viewer: string, id: string): void {
    const ring = this.#slots.of(viewer);
    const { high, low } = wordsOf(id);
    if (ring !== undefined) this.#rings.insert(ring, high, low);
    else this.#heard?.add(onlyFor(viewer), id);
  }

  close(viewer: string): void {
    this.#building.delete(viewer);
    const ring = this.#slots.give(viewer);
    if (ring !== undefined) this.#large.forget(ring);
  }

  /** To be asked for before what is `leaving`, and told to whom it goes to. */
  heard(): NodeHeard {
    return { publishers: [...(this.#options.bus?.heard() ?? [])] };
  }

  /** The rings of those of whom `isLeaving` is true, most recently read first, for the next owner of their shards. */
  *leaving(isLeaving: (viewer: string) => boolean): Generator<NodeHomeRing> {
    const leaving = this.#slots
      .recent((viewer) => isLeaving(viewer) && !this.#building.has(viewer))
      .slice(0, RINGS_HANDED_MAX);
    const authors = this.#index.authorsOf(new Set(leaving.map(([, ring]) => ring)));
    for (const [viewer, ring] of leaving) {
      if (this.#slots.of(viewer) !== ring) continue;
      const floor = this.#rings.floor(ring);
      yield {
        viewer,
        relationsVersion: this.#slots.versionOf(ring),
        authors: packed([...(authors.get(ring) ?? []), ...this.#large.authorsOf(ring)]),
        ids: packed(this.#rings.read(ring, { upwards: false, limit: RING_IDS })),
        complete: floor.high === 0 && floor.low === 0,
      };
    }
  }

  /**
   * A ring from the last owner of the viewer's shard. What was posted while it was on its way is put into it.
   * @param heard what that owner had heard before it read the ring. When this node does not know all that came since,
   * the ring may lack what neither would ever be told, and is refused; so is one whose owner (an older program) does not say
   */
  welcome({ viewer, relationsVersion, authors, ids, complete }: NodeHomeRing, heard: NodeHeard | undefined): void {
    const { bus } = this.#options;
    if (heard === undefined || bus?.follows(heard.publishers, this.#heard?.lost ?? []) !== true) {
      this.#refused += 1;
      return;
    }
    const everyone = unpacked(authors);
    this.open(viewer, everyone, unpacked(ids), complete);
    const ring = this.#slots.of(viewer);
    if (ring === undefined) return;
    this.#slots.setEpoch(ring, AWAITED);
    this.#slots.touch(ring, relationsVersion);
    for (const id of this.#heard?.by([...everyone, onlyFor(viewer)]) ?? []) this.deliverTo(viewer, id);
  }

  closeWhere(isGone: (viewer: string) => boolean): void {
    for (const [viewer] of this.#slots.recent(isGone)) this.close(viewer);
  }

  /** Messages may have been lost: nothing here is known to be whole. */
  closeAll(): void {
    this.#building.clear();
    this.#slots.clear();
    this.#rings = new Rings();
    this.#index = new FollowerIndex();
    this.#large = new LargeAuthors();
  }

  /**
   * The viewer's ring, unless their shard has been elsewhere since: follows may have come that it knows nothing of. One
   * that came with the shard is good if the relations are still those that it was last read under.
   */
  #current(viewer: string, version?: number): number | undefined {
    const ring = this.#slots.of(viewer);
    if (ring === undefined) return undefined;
    const epoch = this.#options.epochOf(viewer);
    const kept = this.#slots.epochOf(ring);
    if (kept === epoch) return ring;
    const isWelcome = kept === AWAITED && epoch !== undefined;
    if (isWelcome && version === undefined) return ring;
    if (isWelcome && this.#slots.versionOf(ring) === version) {
      this.#slots.setEpoch(ring, epoch);
      return ring;
    }
    this.close(viewer);
    return undefined;
  }

  #open(viewer: string, authors: readonly string[]): void {
    for (const unread of [...this.#slots.unread(), ...this.#slots.crowdedOut()]) this.close(unread);
    if (this.#slots.sweepDue) {
      const gone = this.#slots.gone;
      this.#index.sweep((ring) => gone.has(ring));
      this.#slots.swept();
    }
    const ring = this.#slots.take(viewer, this.#options.epochOf(viewer) ?? AWAITED);
    this.#rings.empty(ring, NO_FLOOR);
    for (const author of authors) this.#hear(author, ring);
  }

  #hear(author: string, ring: number): void {
    if (this.#large.has(author)) {
      this.#large.follow(author, ring);
      return;
    }
    const followers = this.#index.add(author, ring);
    if (followers > (this.#options.largeMin ?? LARGE_MIN)) this.#large.add(author, this.#index.take(author));
  }

  #fill(viewer: string, ids: readonly string[], complete: boolean): void {
    const ring = this.#slots.of(viewer);
    if (ring !== undefined) fillRing(this.#rings, ring, ids, complete);
  }
}
