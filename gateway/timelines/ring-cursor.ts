import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import type { Cursor } from '../paging/cursor.js';
import type { Soon } from '../paging/soon.js';

/** Continuation of a list that a ring caches. */
export interface RingSources<E> {
  readonly ask: (bounds: HomeBounds) => Soon<HomeIds>;
  readonly merge: (bounds: HomeBounds) => Cursor<E>;
}

/** Returns the ids of a ring, then rows merged from the store, each once. */
export class RingCursor<E extends { readonly id: string }> implements Cursor<{ readonly id: string } | E> {
  #part: HomeIds;
  /** Number of the part's ids that were returned. */
  #at = 0;
  #bounds: HomeBounds;
  #merge: Cursor<E> | undefined;
  readonly #sources: RingSources<E>;

  constructor(part: HomeIds, bounds: HomeBounds, sources: RingSources<E>) {
    this.#part = part;
    this.#bounds = bounds;
    this.#sources = sources;
  }

  next(count: number): Soon<readonly ({ readonly id: string } | E)[]> {
    const found: ({ readonly id: string } | E)[] = [];
    this.#take(found, count);
    return found.length === count || this.#part.rest === 'end' ? found : this.#further(found, count);
  }

  async #further(found: ({ readonly id: string } | E)[], count: number): Promise<typeof found> {
    while (found.length < count) {
      const { rest } = this.#part;
      if (rest === 'ring') {
        this.#passed();
        this.#part = await this.#sources.ask(this.#bounds);
        this.#at = 0;
        this.#take(found, count);
      } else if (rest === 'end') break;
      else {
        this.#merge ??= this.#sources.merge(this.#beyond());
        const rows = await this.#merge.next(count - found.length);
        if (rows.length === 0) break;
        for (const row of rows) found.push(row);
      }
    }
    return found;
  }

  #take(found: ({ readonly id: string } | E)[], count: number): void {
    const { ids } = this.#part;
    const to = Math.min(ids.length, this.#at + count - found.length);
    while (this.#at < to) found.push({ id: ids[this.#at++] ?? '' });
  }

  #passed(): void {
    const last = this.#part.ids.at(-1);
    if (last === undefined) return;
    this.#bounds = this.#bounds.upwards ? { ...this.#bounds, after: last } : { ...this.#bounds, before: last };
  }

  /** Returns the bounds of rows that the ring lacks: below its floor, or all. */
  #beyond(): HomeBounds {
    this.#passed();
    const { floor, rest } = this.#part;
    const { before, upwards } = this.#bounds;
    const isBelow = rest === 'store' && !upwards && floor !== undefined && (before === undefined || before > floor);
    return isBelow ? { ...this.#bounds, before: floor } : this.#bounds;
  }
}
