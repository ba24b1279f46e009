import { storedId } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import type { WrittenRow } from '../../store/cache/cached-tables.js';
import type { ReadTables } from '../../store/port.js';
import type { Table } from '../../store/table.js';
import { ALL, type Cursor, type Entry } from '../paging/cursor.js';
import { accountCursor } from '../paging/eras.js';
import type { Soon } from '../paging/soon.js';
import type { Told } from './tag-histories.js';

/** Cached rows of all accounts in one table, some 150 bytes each: 6 MB, and there are five such tables. */
const ROWS_MAX = 40_000;
/** Cached lists of one table: as many as ROWS_MAX allows for empty lists. */
const LISTS_MAX = 10_000;
/** Fixed cost of an account's list, in rows. */
const LIST_ROWS = 4;

type AccountTable<Name extends string, V> = Table<{ account: 'id'; era: 'int' }, { [K in Name]: 'id' }, V>;

/**
 * A list of rows, newest first. A change replaces the array, so results derived from it are valid while it is the same
 * object.
 */
interface CachedLatest {
  readonly rows: readonly Entry<unknown>[];
  /** Number of rows requested; fewer rows are all that exist. */
  readonly count: number;
}

const WEIGHTS = { of: ({ rows }: CachedLatest) => LIST_ROWS + rows.length, max: ROWS_MAX };

/**
 * The newest rows of accounts in tables that are partitioned by account and era, further back than pages go. Searches
 * and suggestions read them. A list is cached at the first read and updated with each write.
 */
export class LatestRows {
  readonly #tables: ReadTables;
  readonly #clock: Clock;
  /** Lists by table, then by account. */
  readonly #cache = new Map<string, Cache<CachedLatest>>();
  /** Reads in flight; a write during a read makes its result stale. */
  readonly #reading = new Map<string, { stale: boolean }>();
  readonly #isNotified: boolean;
  readonly #caches: Caches | undefined;

  /** `onWritten` registers a listener for written rows of these tables; without it nothing is cached. */
  constructor(tables: ReadTables, clock: Clock, onWritten?: Told, caches?: Caches) {
    this.#caches = caches;
    this.#tables = tables;
    this.#clock = clock;
    this.#isNotified = onWritten !== undefined;
    onWritten?.((rows) => {
      if (rows === undefined) this.#forgetAll();
      else if (this.#cache.size > 0 || this.#reading.size > 0) for (const row of rows) this.#changed(row);
    });
  }

  /**
   * Returns at least `count` of the account's rows, or all if there are fewer. `column` is the clustering column, an
   * id. `cursor` reads a selection of the rows, newest first.
   */
  of<Name extends string, V>(
    table: AccountTable<Name, V>,
    column: Name,
    account: string,
    count: number,
    cursor?: Cursor<Entry<V>>,
  ): Soon<readonly Entry<V>[]> {
    const cached = this.#cache.get(table.name)?.get(storedId(account));
    if (cached !== undefined && (cached.count >= count || cached.rows.length < cached.count)) {
      return cached.rows as readonly Entry<V>[];
    }
    const read = (cursor ?? accountCursor(this.#tables, this.#clock, table, column, account, ALL)).next(count);
    if (!this.#isNotified) return read;
    // Rows in memory are read synchronously, so no write can come in between.
    if (!(read instanceof Promise)) return this.#keep(table.name, account, read, count);
    return this.#readLater(table.name, account, read, count);
  }

  async #readLater<V>(
    table: string,
    account: string,
    read: Promise<readonly Entry<V>[]>,
    count: number,
  ): Promise<readonly Entry<V>[]> {
    const name = nameOf(table, account);
    const reading = { stale: false };
    this.#reading.set(name, reading);
    try {
      const rows = await read;
      return reading.stale || this.#reading.get(name) !== reading ? rows : this.#keep(table, account, rows, count);
    } finally {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
    }
  }

  #keep<V>(table: string, account: string, rows: readonly Entry<V>[], count: number): readonly Entry<V>[] {
    let cached = this.#cache.get(table);
    if (cached === undefined) {
      cached = new Cache(`latest_${table}`, LISTS_MAX, this.#caches, WEIGHTS);
      this.#cache.set(table, cached);
    }
    cached.set(storedId(account), { rows, count });
    return rows;
  }

  #changed({ table, key, now }: WrittenRow): void {
    const account = storedId(key[0] ?? '');
    const reading = this.#reading.get(nameOf(table, account));
    if (reading !== undefined) reading.stale = true;
    const lists = this.#cache.get(table);
    const cached = lists?.peek(account);
    if (lists === undefined || cached === undefined) return;
    const rows = now === undefined ? undefined : after(cached, storedId(key.at(-1) ?? ''), now.value);
    if (rows === undefined) lists.delete(account);
    else this.#keep(table, account, rows, cached.count);
  }

  #forgetAll(): void {
    for (const lists of this.#cache.values()) lists.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
  }
}

/** Returns the rows after a write or deletion; undefined if the result is unknown. */
function after({ rows, count }: CachedLatest, id: string, value: unknown): readonly Entry<unknown>[] | undefined {
  const place = placeOf(rows, id);
  const isThere = rows[place]?.id === id;
  if (value === undefined) {
    if (!isThere) return rows;
    // The next older row, which would move up, is unknown.
    return rows.length < count ? rows.toSpliced(place, 1) : undefined;
  }
  if (place === rows.length && rows.length >= count) return rows;
  return rows.toSpliced(place, isThere ? 1 : 0, { id, value }).slice(0, count);
}

/** Returns the first index whose id is not above this one. */
function placeOf(rows: readonly Entry<unknown>[], id: string): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.id ?? '') > id) low = middle + 1;
    else high = middle;
  }
  return low;
}

const nameOf = (table: string, account: string) => `${table} ${storedId(account)}`;
