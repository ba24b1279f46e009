import { eraOfId, storedId } from '../../../actors/domain/ids.js';
import type { StoreMark } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { CachedTables, WrittenRow } from '../../../store/cache/cached-tables.js';
import { marks, statuses } from '../../../store/tables.js';

/**
 * Marks of one account in one era that are cached as a whole. If there are more, the marks of a page are read one by
 * one.
 */
const ERA_MARKS_MAX = 2_000;
/** Cached marks of all accounts, some hundred bytes each. */
const MARKS_MAX = 400_000;
/** Factor of growth after which the cost of an era is updated. */
const WEIGHED_AGAIN = 2;
/** Cost of an era without marks, in marks. */
const ERA_COST = 4;

/**
 * Looks up a mark by the status' id. The ids within a mark need not be the stored ones: their presence alone has a
 * meaning.
 */
export type Marks = (statusId: string) => StoreMark | undefined;
export const NO_MARKS: Marks = () => undefined;

/** Marks of an account on the statuses of an era (the time in their ids). */
interface Era {
  /** Undefined: there are too many to cache. */
  readonly marks: Map<string, StoreMark> | undefined;
  /** Cost when the era was cached last. */
  readonly cost: number;
}

const eraOf = (found: Map<string, StoreMark> | undefined): Era => ({
  marks: found,
  cost: ERA_COST + (found?.size ?? 0),
});

/**
 * Returns a shared object for a mark without votes, which only says which marks exist. Look-ups for many viewers then
 * touch the same few places of memory.
 */
function shared(mark: StoreMark): StoreMark {
  if (mark.votes !== undefined) return mark;
  const { favouriteId, reblogId, bookmarkId } = mark;
  const done =
    (favouriteId === undefined ? 0 : 1) + (reblogId === undefined ? 0 : 2) + (bookmarkId === undefined ? 0 : 4);
  return DONE[done] as StoreMark;
}

const DONE: readonly StoreMark[] = Array.from({ length: 8 }, (_, done) => {
  const id = (bit: number) => ((done & bit) === 0 ? undefined : '');
  return { favouriteId: id(1), reblogId: id(2), bookmarkId: id(4), votes: undefined };
});

/**
 * Favourites, reblogs, bookmarks and votes of viewers. Each viewer and era is read once and then updated with each
 * write: most statuses of a page have no mark of the viewer, and each would cost a read of its own.
 */
export class ViewerMarks {
  readonly #tables: CachedTables;
  readonly #eras: Cache<Era>;
  /** Reads in flight; a write during a read makes its result stale. */
  readonly #reading = new Map<string, { stale: boolean }>();

  constructor(tables: CachedTables, caches?: Caches) {
    this.#tables = tables;
    const weights = { of: ({ cost }: Era) => cost, max: MARKS_MAX };
    this.#eras = new Cache('viewer_marks', MARKS_MAX / ERA_COST, caches, weights);
    tables.onChanged((rows) => {
      if (rows === undefined) this.#forgetAll();
      else for (const row of rows) if (row.table === marks.name) this.#changed(row);
    });
  }

  /**
   * Returns the viewer's marks among these statuses. Answers synchronously if they are in memory and of one era, as on
   * most pages.
   */
  of(viewer: string, statusIds: readonly string[]): Marks | Promise<Marks> {
    let [lowest] = statusIds;
    if (lowest === undefined) return NO_MARKS;
    let highest = lowest;
    for (const id of statusIds) {
      if (id < lowest) lowest = id;
      else if (id > highest) highest = id;
    }
    const era = eraOfId(lowest);
    const cached = this.#eras.get(nameOf(viewer, era))?.marks;
    if (cached === undefined || eraOfId(highest) !== era) return this.#ofEras(viewer, statusIds);
    return cached.size === 0 ? NO_MARKS : (id) => cached.get(id);
  }

  async #ofEras(viewer: string, statusIds: readonly string[]): Promise<Marks> {
    const eras = new Map<number, Map<string, StoreMark>>();
    for (const id of statusIds) {
      const era = eraOfId(id);
      if (!eras.has(era)) eras.set(era, await this.#era(viewer, era, statusIds));
    }
    return (id) => eras.get(eraOfId(id))?.get(id);
  }

  async #era(viewer: string, era: number, statusIds: readonly string[]): Promise<Map<string, StoreMark>> {
    const name = nameOf(viewer, era);
    const cached = this.#eras.get(name) ?? (await this.#read(name, viewer, era));
    if (cached.marks !== undefined) return cached.marks;
    const ids = statusIds.filter((id) => eraOfId(id) === era);
    const found = await this.#tables.getMany(
      marks,
      ids.map((status) => ({ account: viewer, era, status })),
    );
    return new Map(ids.flatMap((id, index) => (found[index] === undefined ? [] : [[id, found[index]]])));
  }

  async #read(name: string, account: string, era: number): Promise<Era> {
    const reading = { stale: false };
    this.#reading.set(name, reading);
    const rows = await this.#tables.range(marks, { account, era }, { limit: ERA_MARKS_MAX + 1 });
    const isKept = rows.length <= ERA_MARKS_MAX;
    const found = eraOf(
      isKept ? new Map(rows.map(({ key, value }) => [this.#idOf(key.status), shared(value)])) : undefined,
    );
    if (!reading.stale && this.#reading.get(name) === reading) {
      this.#reading.delete(name);
      this.#eras.set(name, found);
    }
    return found;
  }

  #changed({ key: [account, era, status], now }: WrittenRow): void {
    const name = nameOf(account ?? '', Number(era));
    const reading = this.#reading.get(name);
    if (reading !== undefined) reading.stale = true;
    this.#reading.delete(name);
    const cached = this.#eras.peek(name);
    if (cached?.marks === undefined || status === undefined) return;
    if (now === undefined || cached.marks.size >= ERA_MARKS_MAX) this.#eras.delete(name);
    else if (now.value === undefined) cached.marks.delete(status);
    else {
      cached.marks.set(this.#idOf(status), shared(now.value as StoreMark));
      if (cached.marks.size > cached.cost * WEIGHED_AGAIN) this.#eras.set(name, eraOf(cached.marks));
    }
  }

  /** Returns the id as the cached row of the status has it, so that the marks of all viewers share one string. */
  #idOf(status: string): string {
    return this.#tables.peekId(statuses, status)?.id ?? status;
  }

  #forgetAll(): void {
    this.#eras.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }
}

const nameOf = (account: string, era: number) => `${storedId(account)} ${era}`;
