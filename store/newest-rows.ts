import { LRUCache } from 'lru-cache';
import { storedId } from '../actors/domain/ids.js';
import type { RangeOptions, Row } from './port.js';
import type { AnyTable, Columns, KeyOf, Table } from './table.js';

/** Rows kept of all partitions, some 350 bytes each: 70 MB. */
const ROWS_MAX = 200_000;
/** What a partition costs besides its rows, in rows; many are empty. */
const PARTITION_ROWS = 2;
/** Rows read at least where any are asked for: clients ask for 20 or 40, of which some are not shown. */
const READ_ROWS = 40;
/** Rows kept of one partition at most; then all but the newest READ_ROWS are given up. */
const LENGTH_MAX = 160;

type AnyRow = Row<Columns, Columns, unknown>;

/** The newest rows of a partition without a gap, newest first. */
interface Kept {
  readonly rows: AnyRow[];
  /** Nothing older exists. */
  complete: boolean;
  /** Rows that were counted when it was last kept: it is counted anew before it has READ_ROWS more. */
  readonly counted: number;
}

/** A row that was written, its key's columns in their order as text; without `now` nobody knows what it holds. */
interface Written {
  readonly table: string;
  readonly key: readonly string[];
  readonly now?: { readonly value: unknown };
}

/**
 * The newest rows of partitions that are read again and again from their newest end, kept in step with what is
 * written. Of tables whose one clustering column is an id or a number.
 */
export class NewestRows {
  readonly #tables: ReadonlyMap<string, AnyTable>;
  readonly #kept = new LRUCache<string, Kept>({ maxSize: ROWS_MAX });
  /** Reads under way; a write in between makes them worthless. */
  readonly #reading = new Map<string, { stale: boolean }>();

  constructor(tables: readonly AnyTable[]) {
    this.#tables = new Map(tables.map((table) => [table.name, table]));
  }

  has(table: AnyTable): boolean {
    return this.#tables.has(table.name);
  }

  /** What a range would answer, if it is known; undefined says nothing of it. */
  peek<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Row<P, C, V>[] | undefined {
    if (options.reverse !== true) return undefined;
    const kept = this.#kept.get(nameOf(table, partition));
    return kept && (cut(table, kept, options as RangeOptions<Columns>) as unknown as Row<P, C, V>[] | undefined);
  }

  /** What `read` would answer, which is asked only where that is not known. */
  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
    read: (options: RangeOptions<C>) => Promise<Row<P, C, V>[]>,
  ): Promise<Row<P, C, V>[]> {
    const found = this.peek(table, partition, options);
    if (found !== undefined) return found;
    const { limit, reverse, before, after } = options;
    if (reverse !== true || after !== undefined) return read(options);
    const name = nameOf(table, partition);
    const known = before === undefined ? undefined : this.#kept.get(name);
    // What comes right after all that is kept makes it longer.
    const isNext = known !== undefined && before !== undefined && lastId(table, known) === idIn(table, before);
    if (before !== undefined && !(isNext && known.rows.length + limit <= LENGTH_MAX)) return read(options);
    const reading = { stale: false };
    this.#reading.set(name, reading);
    try {
      const wanted = Math.max(limit, READ_ROWS);
      const rows = await read({ ...options, limit: wanted });
      if (!reading.stale && this.#reading.get(name) === reading) {
        const all = [...(known?.rows ?? []), ...(rows as unknown as AnyRow[])];
        const complete = rows.length < wanted && all.length <= LENGTH_MAX;
        this.#keep(name, all.slice(0, LENGTH_MAX), complete);
      }
      return rows.length > limit ? rows.slice(0, limit) : rows;
    } finally {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
    }
  }

  /** A row of any table was written. */
  written({ table: tableName, key, now }: Written): void {
    const table = this.#tables.get(tableName);
    if (table === undefined) return;
    const name = [tableName, ...key.slice(0, -1)].join('\0');
    const reading = this.#reading.get(name);
    if (reading !== undefined) reading.stale = true;
    this.#reading.delete(name);
    const kept = this.#kept.peek(name);
    if (kept === undefined) return;
    if (now === undefined) this.#kept.delete(name);
    else if (now.value !== undefined) {
      put(table, kept, key, now.value);
      if (kept.rows.length >= kept.counted + READ_ROWS) this.#keep(name, kept.rows, kept.complete);
    } else {
      remove(table, kept, storedId(key.at(-1) ?? ''));
      if (kept.rows.length === 0 && !kept.complete) this.#kept.delete(name);
    }
  }

  #keep(name: string, rows: AnyRow[], complete: boolean): void {
    // A new object each time: one that is kept already is not counted anew.
    const size = PARTITION_ROWS + rows.length;
    this.#kept.set(name, { rows, complete, counted: rows.length }, { size });
  }

  forgetAll(): void {
    this.#kept.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }
}

function lastId(table: AnyTable, { rows }: Kept): string | undefined {
  const last = rows.at(-1);
  return last && idIn(table, last.key);
}

function cut(table: AnyTable, { rows, complete }: Kept, { before, after, limit }: RangeOptions<Columns>) {
  const from = before === undefined ? 0 : place(table, rows, idIn(table, before), true);
  if (after === undefined) return complete || rows.length - from >= limit ? rows.slice(from, from + limit) : undefined;
  const to = place(table, rows, idIn(table, after), false);
  // Unless rows end above it, all that is wanted is there.
  const isKnown = complete || to < rows.length || rows.length - from >= limit;
  return isKnown ? rows.slice(from, Math.min(to, from + limit)) : undefined;
}

function put(table: AnyTable, kept: Kept, texts: readonly string[], value: unknown): void {
  const { rows } = kept;
  const id = storedId(texts.at(-1) ?? '');
  const at = place(table, rows, id, false);
  // Below what is kept there may be others.
  if (at === rows.length && !kept.complete) return;
  const present = rows[at];
  if (present !== undefined && idIn(table, present.key) === id) {
    rows[at] = { key: present.key, value };
    return;
  }
  const columns = Object.entries({ ...table.partition, ...table.clustering });
  const key = Object.fromEntries(
    columns.map(([name, type], n) => [name, type === 'int' ? Number(texts[n]) : texts[n]]),
  );
  rows.splice(at, 0, { key: key as AnyRow['key'], value });
  if (rows.length <= LENGTH_MAX) return;
  rows.length = READ_ROWS;
  kept.complete = false;
}

function remove(table: AnyTable, { rows }: Kept, id: string): void {
  const at = place(table, rows, id, false);
  const present = rows[at];
  if (present !== undefined && idIn(table, present.key) === id) rows.splice(at, 1);
}

/** The first place whose id is below `id`, or not above it. Most that is written is newer than all. */
function place(table: AnyTable, rows: readonly AnyRow[], id: string, below: boolean): number {
  const isThere = (at: number): boolean => {
    const other = idIn(table, (rows[at] as AnyRow).key);
    return other < id || (other === id && !below);
  };
  if (rows.length === 0 || isThere(0)) return 0;
  let [low, high] = [1, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isThere(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function idIn(table: AnyTable, key: Readonly<Record<string, unknown>>): string {
  for (const name in table.clustering) return storedId(String(key[name]));
  return '';
}

function nameOf(table: AnyTable, partition: Readonly<Record<string, string | number>>): string {
  let whole = table.name;
  for (const name in table.partition) {
    const text = String(partition[name]);
    whole += `\0${table.partition[name] === 'id' ? storedId(text) : text}`;
  }
  return whole;
}
