import { storedId } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';
import type { WrittenRow } from '../../store/cache/cached-tables.js';
import { Generations } from '../../store/cache/generations.js';
import type { ReadTables } from '../../store/port.js';
import type { Table } from '../../store/table.js';
import { ALL, type Cursor, type Entry } from '../paging/cursor.js';
import { accountCursor } from '../paging/eras.js';
import type { Soon } from '../paging/soon.js';
import type { Told } from './tag-histories.js';

/** Rows kept of all accounts in one table, some 150 bytes each: 6 MB, and there are five such tables. */
const ROWS_MAX = 40_000;
/** Lists kept of one table: as many as there are rows for when each is the shortest. */
const LISTS_MAX = 10_000;
/** What an account's list costs besides its rows, in rows. */
const LIST_ROWS = 4;

type AccountTable<Name extends string, V> = Table<{ account: 'id'; era: 'int' }, { [K in Name]: 'id' }, V>;

/** Newest first. Others take its place when it changes: what is made of it is good as long as it is the same. */
interface Kept {
  readonly rows: readonly Entry<unknown>[];
  /** As many as were asked for: fewer are all that there are. */
  readonly count: number;
}

/**
 * The newest rows of accounts in tables that are cut by account and era, further back than pages go: what is looked
 * through for whoever searches or wants to be shown people. Kept from the first look, and in step with what is written.
 */
export class LatestRows {
  readonly #tables: ReadTables;
  readonly #clock: Clock;
  /** By table, then by account. */
  readonly #kept = new Map<string, Generations<Kept>>();
  /** Reads under way; a write in between makes them worthless. */
  readonly #reading = new Map<string, { stale: boolean }>();
  readonly #isTold: boolean;

  /** `told`: of each row of these tables; absent where that is not known, and nothing is kept then. */
  constructor(tables: ReadTables, clock: Clock, told?: Told) {
    this.#tables = tables;
    this.#clock = clock;
    this.#isTold = told !== undefined;
    told?.((rows) => {
      if (rows === undefined) this.#forgetAll();
      else if (this.#kept.size > 0 || this.#reading.size > 0) for (const row of rows) this.#changed(row);
    });
  }

  /**
   * `count` of the account's rows or more, all where there are fewer. `column`: the clustering column, an id.
   * `cursor`: reads them, newest first, where not all rows of the account count.
   */
  of<Name extends string, V>(
    table: AccountTable<Name, V>,
    column: Name,
    account: string,
    count: number,
    cursor?: Cursor<Entry<V>>,
  ): Soon<readonly Entry<V>[]> {
    const kept = this.#kept.get(table.name)?.get(storedId(account));
    if (kept !== undefined && (kept.count >= count || kept.rows.length < kept.count)) {
      return kept.rows as readonly Entry<V>[];
    }
    const read = (cursor ?? accountCursor(this.#tables, this.#clock, table, column, account, ALL)).next(count);
    if (!this.#isTold) return read;
    // What is in memory is there in one go: nobody writes in between.
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
    let kept = this.#kept.get(table);
    if (kept === undefined) {
      kept = new Generations(LISTS_MAX, { of: ({ rows: all }) => LIST_ROWS + all.length, max: ROWS_MAX });
      this.#kept.set(table, kept);
    }
    kept.set(storedId(account), { rows, count });
    return rows;
  }

  #changed({ table, key, now }: WrittenRow): void {
    const account = storedId(key[0] ?? '');
    const reading = this.#reading.get(nameOf(table, account));
    if (reading !== undefined) reading.stale = true;
    const lists = this.#kept.get(table);
    const kept = lists?.peek(account);
    if (lists === undefined || kept === undefined) return;
    const rows = now === undefined ? undefined : after(kept, storedId(key.at(-1) ?? ''), now.value);
    if (rows === undefined) lists.delete(account);
    else this.#keep(table, account, rows, kept.count);
  }

  #forgetAll(): void {
    this.#kept.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
  }
}

/** The rows with one written or gone; undefined where it is not known any more which they are. */
function after({ rows, count }: Kept, id: string, value: unknown): readonly Entry<unknown>[] | undefined {
  const place = placeOf(rows, id);
  const isThere = rows[place]?.id === id;
  if (value === undefined) {
    if (!isThere) return rows;
    // The one that would move up is not known.
    return rows.length < count ? rows.toSpliced(place, 1) : undefined;
  }
  if (place === rows.length && rows.length >= count) return rows;
  return rows.toSpliced(place, isThere ? 1 : 0, { id, value }).slice(0, count);
}

/** The first place whose id is not above this one. */
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
