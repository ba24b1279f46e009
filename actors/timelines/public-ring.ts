import type { Logger } from '../runtime/logger.js';
import type { RecentIds } from './home-rings.js';
import { wordsOf } from './id-words.js';
import { EMPTY_RING, fillRing, type HomeBounds, type HomeIds, NO_RING, ringPart } from './ring-part.js';
import { isNoFloor, NO_FLOOR, Rings } from './rings.js';

/** Ids in a new ring: twenty pages. */
const REBUILD_IDS = 400;

/** The part of the public statuses that a ring caches: of accounts of this server, or of other servers. */
export type Whose = 'local' | 'remote';

interface Options {
  readonly recent: (limit: number, whose: Whose) => ReturnType<RecentIds>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A cache of the newest public statuses: two rings per node, each filled from the store at its first read. */
export class PublicRing {
  readonly #rings: Readonly<Record<Whose, Ring>>;

  constructor(options: Options) {
    this.#rings = { local: new Ring('local', options), remote: new Ring('remote', options) };
  }

  read(bounds: HomeBounds, whose: Whose = 'local'): HomeIds {
    return this.#rings[whose].read(bounds);
  }

  /** Adds a new status of public timelines. */
  deliver(id: string, whose: Whose = 'local'): void {
    this.#rings[whose].deliver(id);
  }

  /** Drops the rings, because messages may have been lost. */
  close(): void {
    this.#rings.local.close();
    this.#rings.remote.close();
  }
}

class Ring {
  readonly #whose: Whose;
  readonly #options: Options;
  #rings: Rings | undefined;
  /** Set while the ring is being filled. */
  #filling: object | undefined;

  constructor(whose: Whose, options: Options) {
    this.#whose = whose;
    this.#options = options;
  }

  read(bounds: HomeBounds): HomeIds {
    if (this.#rings === undefined) this.#fill();
    if (this.#rings === undefined || this.#filling !== undefined) return NO_RING;
    const rings = this.#rings;
    const floor = rings.floor(0);
    // A server that knows no other one reads the empty ring for each page.
    if (isNoFloor(floor) && rings.size(0) === 0) return EMPTY_RING;
    return ringPart(floor, bounds, (within) => rings.read(0, within));
  }

  deliver(id: string): void {
    const { high, low } = wordsOf(id);
    this.#rings?.insert(0, high, low);
  }

  close(): void {
    this.#rings = undefined;
    this.#filling = undefined;
  }

  #fill(): void {
    const rings = new Rings();
    const token = {};
    rings.empty(0, NO_FLOOR);
    this.#rings = rings;
    this.#filling = token;
    this.#options
      .recent(REBUILD_IDS, this.#whose)
      .then(({ ids, complete }) => {
        if (this.#filling !== token) return;
        fillRing(rings, 0, ids, complete);
        this.#filling = undefined;
      })
      .catch((err: unknown) => {
        this.#options.log.warn({ err }, 'failed to fill the public timeline');
        if (this.#filling === token) this.close();
      });
  }
}
