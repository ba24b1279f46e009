import type { Logger } from '../runtime/logger.js';
import { type HomeBounds, type HomeIds, NO_RING, type RecentIds } from './home-rings.js';
import { idOf, wordsOf } from './id-words.js';
import { NO_FLOOR, Rings } from './rings.js';

/** Ids that the ring begins with: twenty pages. */
const REBUILD_IDS = 400;

/** The newest ids of a page, in the order of reading, of the one ring of a node. */
interface Options {
  readonly recent: (limit: number) => ReturnType<RecentIds>;
  readonly log: Pick<Logger, 'warn'>;
}

/** The newest public statuses, as one ring of this node's, filled from the store when it is read first. A cache. */
export class PublicRing {
  readonly #options: Options;
  #rings: Rings | undefined;
  /** Set while the ring is being filled. */
  #filling: object | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  read(bounds: HomeBounds): HomeIds {
    if (this.#rings === undefined) this.#fill();
    if (this.#rings === undefined || this.#filling !== undefined) return NO_RING;
    const { before, after, upwards, limit } = bounds;
    const { high, low } = this.#rings.floor(0);
    const floor = idOf(high, low);
    const reachesStore = (high !== 0 || low !== 0) && (after === undefined || after < floor);
    if (upwards && reachesStore) return { ids: [], rest: 'store', floor: undefined };
    const ids = this.#rings.read(0, {
      ...(before === undefined ? {} : { before: wordsOf(before) }),
      ...(after === undefined ? {} : { after: wordsOf(after) }),
      upwards,
      limit,
    });
    if (ids.length === limit) return { ids, rest: 'ring', floor };
    return { ids, rest: reachesStore ? 'store' : 'end', floor };
  }

  /** A new status for public timelines. */
  deliver(id: string): void {
    const { high, low } = wordsOf(id);
    this.#rings?.insert(0, high, low);
  }

  /** Messages may have been lost. */
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
      .recent(REBUILD_IDS)
      .then(({ ids, complete }) => {
        if (this.#filling !== token) return;
        const all = ids.map(wordsOf).reverse();
        for (const { high, low } of all) rings.insert(0, high, low);
        if (!complete && all[0] !== undefined) rings.setFloor(0, all[0]);
        this.#filling = undefined;
      })
      .catch((err: unknown) => {
        this.#options.log.warn({ err }, 'the public timeline could not be read; it is merged at each read');
        if (this.#filling === token) this.close();
      });
  }
}
