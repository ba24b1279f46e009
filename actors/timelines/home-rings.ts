import type { NodeHeard, NodeHeardOf, NodeHomeRing } from '../../proto/gen/types.js';
import type { Clock } from '../domain/time.js';
import type { Logger } from '../runtime/logger.js';
import { FollowerIndex } from './follower-index.js';
import { packed, unpacked, wordsOf } from './id-words.js';
import { LargeAuthors } from './large-authors.js';
import { onlyFor, RecentlyReceived } from './recently-received.js';
import { fillRing, type HomeBounds, type HomeIds, isBelow, NO_RING, ringPart } from './ring-part.js';
import { NO_FLOOR, RING_IDS, Rings } from './rings.js';
import { Slots } from './slots.js';

/** Reads the newest ids of statuses and reblogs by these accounts from the store, unfiltered, newest first. */
export type RecentIds = (
  authors: readonly string[],
  limit: number,
) => Promise<{
  readonly ids: readonly string[];
  /** True when nothing older exists. */
  readonly complete: boolean;
}>;

/** The positions that this node has received from publishers on the bus. */
export interface PositionsBus {
  receivedUpTo(): readonly NodeHeardOf[];
  follows(received: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean;
}

export interface HomeRingsOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly recent: RecentIds;
  /**
   * Returns the epoch of the shard of an id; undefined when this node does not own it. A ring is valid for one epoch.
   */
  readonly epochOf: (id: string) => number | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** Set when rings are handed over between nodes. */
  readonly bus?: PositionsBus | undefined;
  /** Tests lower these. */
  readonly ringsMax?: number;
  readonly largeMin?: number;
}

/** Rings of one node: 537 MB when all are full. */
const RINGS_MAX = 131_072;
/**
 * Followers' rings above which an author's statuses are merged at read: writing to each ring would block the event loop
 * for 4 ms.
 */
const LARGE_MIN = 20_000;
/** Ids in a new ring: twenty pages. */
const REBUILD_IDS = 400;
/** Rings filled at the same time: each fill reads one or more rows of every followed account. */
const BUILDS_MAX = 16;

/**
 * Rings handed over with a batch of shards, 10 KB each. The most recently read go first, because their accounts read
 * again soon.
 */
const RINGS_HANDED_MAX = 5_000;
/** Stands for the epoch of a shard that is being handed over. */
const AWAITED = 0;

/**
 * The home timelines, as rings of ids, of accounts that live on this node and were read recently. They are caches: a
 * doubtful ring is dropped, and merged from the store at the next read. Readers filter the ids.
 */
export class HomeRings {
  readonly #options: HomeRingsOptions;
  readonly #slots: Slots;
  #rings = new Rings();
  #index = new FollowerIndex();
  #large = new LargeAuthors();
  /** Viewers whose ring is being filled. */
  readonly #building = new Map<string, object>();
  readonly #received: RecentlyReceived | undefined;
  #deliveries = 0;
  #refused = 0;

  constructor(options: HomeRingsOptions) {
    this.#options = options;
    const { bus } = options;
    this.#received = bus && new RecentlyReceived(() => bus.receivedUpTo());
    this.#slots = new Slots(options.ringsMax ?? RINGS_MAX, options.clock);
  }

  /** Rings in use, deliveries (a status into one ring) and refused rings so far, and reserved bytes. */
  get figures() {
    const rings = this.#slots.size;
    return { rings, deliveries: this.#deliveries, refused: this.#refused, bytes: this.#rings.bytes };
  }

  /** True when deliveries have no effect, because there are no rings and none can arrive. */
  get deaf(): boolean {
    return this.#received === undefined && this.#slots.size === 0;
  }

  /** Returns a page of the ring. `version`: the current version of the viewer's relations. */
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

  /** Starts to fill a ring for the viewer, unless there is one or too many are being filled. */
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
        this.#options.log.warn({ err, viewer }, 'failed to fill a home timeline');
        if (this.#building.get(viewer) === token) this.close(viewer);
      });
  }

  /** Opens a ring with these ids (newest first). Statuses of `authors` are delivered to it from now on. */
  open(viewer: string, authors: readonly string[], ids: readonly string[], complete: boolean): void {
    this.close(viewer);
    this.#open(viewer, authors);
    this.#fill(viewer, ids, complete);
  }

  /** Adds a followed author. Resolves when the author's earlier statuses are in the viewer's ring. */
  async follow(viewer: string, author: string): Promise<void> {
    const ring = this.#current(viewer);
    if (ring === undefined) return;
    // The read that is under way does not include the author.
    if (this.#building.has(viewer)) return this.close(viewer);
    if (!this.#index.has(author, ring)) this.#hear(author, ring);
    try {
      const { ids, complete } = await this.#options.recent([author], REBUILD_IDS);
      if (this.#slots.of(viewer) === ring) this.#fill(viewer, ids, complete);
    } catch (err) {
      this.#options.log.warn({ err, viewer }, 'failed to add an author to a home timeline');
      if (this.#slots.of(viewer) === ring) this.close(viewer);
    }
  }

  /** Stops deliveries of an author. Ids in the ring stay; readers filter them. */
  unfollow(viewer: string, author: string): void {
    const ring = this.#slots.of(viewer);
    if (ring === undefined) return;
    this.#index.remove(author, ring);
    this.#large.unfollow(author, ring);
  }

  /** Delivers a new status or reblog to the rings of all followers of its author. */
  deliver(author: string, id: string): void {
    this.#received?.add(author, id);
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

  /**
   * Delivers a status to one ring only: the author's own, which must show it at once, or that of a mentioned account if
   * nobody else may see the status.
   */
  deliverTo(viewer: string, id: string): void {
    const ring = this.#slots.of(viewer);
    const { high, low } = wordsOf(id);
    if (ring !== undefined) this.#rings.insert(ring, high, low);
    else this.#received?.add(onlyFor(viewer), id);
  }

  close(viewer: string): void {
    this.#building.delete(viewer);
    const ring = this.#slots.give(viewer);
    if (ring !== undefined) this.#large.forget(ring);
  }

  /** Returns the received positions. Call it before `leaving`, and send it to the next owner. */
  receivedUpTo(): NodeHeard {
    return { publishers: [...(this.#options.bus?.receivedUpTo() ?? [])] };
  }

  /**
   * Yields the rings of accounts for which `isLeaving` is true, most recently read first, for the next owner of their
   * shards.
   */
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
   * Accepts a ring from the last owner of the viewer's shard, and adds statuses that were posted during the handoff.
   * @param received the positions that this owner had received before it read the ring. If this node has not received
   * everything since, the ring may lack statuses that neither node would ever deliver, and it is refused; so is a ring
   * whose owner (an older program) does not send them
   */
  welcome({ viewer, relationsVersion, authors, ids, complete }: NodeHomeRing, received: NodeHeard | undefined): void {
    const { bus } = this.#options;
    if (received === undefined || bus?.follows(received.publishers, this.#received?.lost ?? []) !== true) {
      this.#refused += 1;
      return;
    }
    const everyone = unpacked(authors);
    this.open(viewer, everyone, unpacked(ids), complete);
    const ring = this.#slots.of(viewer);
    if (ring === undefined) return;
    this.#slots.setEpoch(ring, AWAITED);
    this.#slots.touch(ring, relationsVersion);
    for (const id of this.#received?.by([...everyone, onlyFor(viewer)]) ?? []) this.deliverTo(viewer, id);
  }

  closeWhere(isGone: (viewer: string) => boolean): void {
    for (const [viewer] of this.#slots.recent(isGone)) this.close(viewer);
  }

  /** Drops all rings, because messages may have been lost. */
  closeAll(): void {
    this.#building.clear();
    this.#slots.clear();
    this.#rings = new Rings();
    this.#index = new FollowerIndex();
    this.#large = new LargeAuthors();
  }

  /**
   * Returns the viewer's ring, unless another node has owned their shard since: the ring would lack follows made there.
   * A ring that was handed over with the shard is valid if the relations still have the version of its last read.
   */
  #current(viewer: string, version?: number): number | undefined {
    const ring = this.#slots.of(viewer);
    if (ring === undefined) return undefined;
    const epoch = this.#options.epochOf(viewer);
    const cached = this.#slots.epochOf(ring);
    if (cached === epoch) return ring;
    const isWelcome = cached === AWAITED && epoch !== undefined;
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
