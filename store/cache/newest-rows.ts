import { storedId } from '../../actors/domain/ids.js';
import type { IdRow, IdSpan, RangeOptions, Row } from '../port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import { Cache, type Caches } from './cache.js';

/** Maximum number of cached rows over all partitions: some 350 bytes each, 70 MB in all. */
const ROWS_MAX = 200_000;
/** The fixed cost of a partition, expressed in rows: many partitions are empty. */
const PARTITION_ROWS = 2;
/** Minimum number of rows that a read fetches: clients ask for 20 or 40, and some rows are not shown. */
const READ_ROWS = 40;
/** Maximum number of cached rows of one partition; past it all but the newest READ_ROWS are dropped. */
const LENGTH_MAX = 160;

type Partition = Readonly<Record<string, string | number>>;

/** A row with the id that orders it, so that a lookup does not extract the id from the key. */
interface AnyRow extends Row<Columns, Columns, unknown> {
  readonly id: string;
}

/** The newest rows of a partition without a gap, newest first. */
interface CachedNewest {
  readonly rows: AnyRow[];
  /** True if no older rows exist. */
  complete: boolean;
  /** Number of rows at the last accounting; the entry's weight is updated before READ_ROWS more are added. */
  readonly counted: number;
  /** An object that is replaced after each write to the partition, whichever row changes. Created on demand. */
  state: object | undefined;
}

/** A table whose newest rows are cached, with the columns of its key in order. */
interface NewestTable {
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
}

function newestTable({ partition, clustering }: AnyTable): NewestTable {
  const columns = Object.entries({ ...partition, ...clustering });
  return { columns: columns.map(([name, type]) => ({ name, isNumber: type === 'int' })) };
}

/** A written row with the text of its key's columns in order; without `now` its value is unknown. */
interface Written {
  readonly table: string;
  readonly key: readonly string[];
  readonly now?: { readonly value: unknown };
}

/**
 * Caches the newest rows of partitions that are read again and again from their newest end, and applies each write to
 * them. For tables whose only clustering column is an id or a number.
 */
export class NewestRows {
  readonly #tables: ReadonlyMap<string, NewestTable>;
  readonly #cache: Cache<CachedNewest>;
  /** Reads under way; a write during a read invalidates its result. */
  readonly #reading = new Map<string, { stale: boolean }>();
  /** The partition of the last lookup: a page reads several ranges of one partition, and this builds its name once. */
  #latest: { readonly table: AnyTable; readonly partition: object; readonly name: string } | undefined;

  constructor(tables: readonly AnyTable[], caches?: Caches) {
    this.#tables = new Map(tables.map((table) => [table.name, newestTable(table)]));
    const weights = { of: ({ counted }: CachedNewest) => PARTITION_ROWS + counted, max: ROWS_MAX };
    this.#cache = new Cache('newest_rows', ROWS_MAX / PARTITION_ROWS, caches, weights);
  }

  has(table: AnyTable): boolean {
    return this.#tables.has(table.name);
  }

  /** Returns the cached answer of a range query; undefined if it is not cached. */
  peek<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    { before, after, reverse, limit }: RangeOptions<C>,
  ): Row<P, C, V>[] | undefined {
    const span = {
      before: before && idIn(table, before),
      after: after && idIn(table, after),
      reverse: reverse === true,
    };
    const found = this.#peek(table, partition, span, limit);
    return found && asRows(found);
  }

  /** Returns the same by ids, as the cached row objects. */
  peekIds<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    span: IdSpan,
    limit: number,
  ): readonly IdRow<V>[] | undefined {
    return this.#peek(table, partition, span, limit) as readonly IdRow<V>[] | undefined;
  }

  #peek(table: AnyTable, partition: Partition, span: IdSpan, limit: number): AnyRow[] | undefined {
    if (!span.reverse) return undefined;
    const cached = this.#cache.get(this.#nameOf(table, partition));
    return cached && cut(cached, span, limit);
  }

  /** Returns the same object until the partition is written; undefined if the partition is not cached. */
  peekState(table: AnyTable, partition: Partition): object | undefined {
    const cached = this.#cache.get(this.#nameOf(table, partition));
    if (cached === undefined) return undefined;
    cached.state ??= {};
    return cached.state;
  }

  /** Answers a range query; calls `read` only if the answer is not cached. */
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
    const name = this.#nameOf(table, partition);
    const known = before === undefined ? undefined : this.#cache.peek(name);
    // A range that begins within the cached rows, or right after them, continues from their end and extends them.
    const held = before === undefined ? [] : known && heldBelow(known, idIn(table, before));
    const further = limit - (held?.length ?? 0);
    if (held === undefined || (known?.rows.length ?? 0) + further > LENGTH_MAX) return read(options);
    const last = known?.rows.at(-1);
    const from = last === undefined ? undefined : (boundAt(table, last) as RangeOptions<C>['before']);
    const reading = { stale: false };
    this.#reading.set(name, reading);
    try {
      const wanted = Math.max(further, READ_ROWS);
      const rows = withIds(table, await read({ ...options, before: from, limit: wanted }));
      if (!reading.stale && this.#reading.get(name) === reading) {
        const all = [...(known?.rows ?? []), ...rows];
        const complete = rows.length < wanted && all.length <= LENGTH_MAX;
        this.#keep(name, all.slice(0, LENGTH_MAX), complete);
      }
      return asRows([...held, ...rows].slice(0, limit));
    } finally {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
    }
  }

  /** Applies the write of a row; ignores tables that are not cached. */
  written({ table: tableName, key, now }: Written): void {
    const table = this.#tables.get(tableName);
    if (table === undefined) return;
    let name = tableName;
    for (let at = 0; at < key.length - 1; at++) name += `\0${key[at]}`;
    const reading = this.#reading.get(name);
    if (reading !== undefined) reading.stale = true;
    this.#reading.delete(name);
    const cached = this.#cache.peek(name);
    if (cached === undefined) return;
    cached.state = undefined;
    if (now === undefined) this.#cache.delete(name);
    else if (now.value !== undefined) {
      put(table, cached, key, now.value);
      if (cached.rows.length >= cached.counted + READ_ROWS) this.#keep(name, cached.rows, cached.complete);
    } else {
      remove(cached, storedId(key.at(-1) ?? ''));
      if (cached.rows.length === 0 && !cached.complete) this.#cache.delete(name);
    }
  }

  #nameOf(table: AnyTable, partition: Partition): string {
    const latest = this.#latest;
    if (latest?.partition === partition && latest.table === table) return latest.name;
    let name = table.name;
    for (const column in table.partition) {
      const text = String(partition[column]);
      name += `\0${table.partition[column] === 'id' ? storedId(text) : text}`;
    }
    this.#latest = { table, partition, name };
    return name;
  }

  #keep(name: string, rows: AnyRow[], complete: boolean): void {
    this.#cache.set(name, { rows, complete, counted: rows.length, state: undefined });
  }

  forgetAll(): void {
    this.#cache.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }
}

/** Returns the cached rows below an id; undefined if other rows may lie between the cached ones and the id. */
function heldBelow({ rows }: CachedNewest, before: string): readonly AnyRow[] | undefined {
  const last = rows.at(-1);
  return last === undefined || before < last.id ? undefined : rows.slice(place(rows, before, true));
}

function cut({ rows, complete }: CachedNewest, { before, after }: IdSpan, limit: number): AnyRow[] | undefined {
  const from = before === undefined ? 0 : place(rows, before, true);
  if (after === undefined) return complete || rows.length - from >= limit ? rows.slice(from, from + limit) : undefined;
  const to = place(rows, after, false);
  // The answer is complete unless the cached rows end above the lower bound.
  const isKnown = complete || to < rows.length || rows.length - from >= limit;
  return isKnown ? rows.slice(from, Math.min(to, from + limit)) : undefined;
}

function put({ columns }: NewestTable, kept: CachedNewest, texts: readonly string[], value: unknown): void {
  const { rows } = kept;
  const id = storedId(texts.at(-1) ?? '');
  const at = place(rows, id, false);
  // Uncached rows may exist below the cached ones.
  if (at === rows.length && !kept.complete) return;
  const present = rows[at];
  if (present?.id === id) {
    rows[at] = { id, key: present.key, value };
    return;
  }
  const key: Record<string, string | number> = {};
  for (const [place, { name, isNumber }] of columns.entries()) {
    const text = texts[place] ?? '';
    key[name] = isNumber ? Number(text) : text;
  }
  rows.splice(at, 0, { id, key, value });
  if (rows.length <= LENGTH_MAX) return;
  rows.length = READ_ROWS;
  kept.complete = false;
}

function remove({ rows }: CachedNewest, id: string): void {
  const at = place(rows, id, false);
  if (rows[at]?.id === id) rows.splice(at, 1);
}

/** Returns the first index whose id is below `id` (or not above it). Most writes are newer than all cached rows. */
function place(rows: readonly AnyRow[], id: string, below: boolean): number {
  const isThere = ({ id: other }: AnyRow): boolean => (below ? other < id : other <= id);
  if (rows.length === 0 || isThere(rows[0] as AnyRow)) return 0;
  let [low, high] = [1, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isThere(rows[middle] as AnyRow)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function idIn(table: AnyTable, key: Readonly<Record<string, unknown>>): string {
  for (const name in table.clustering) return storedId(String(key[name]));
  return '';
}

function boundAt(table: AnyTable, { key }: AnyRow): object {
  return Object.fromEntries(Object.keys(table.clustering).map((name) => [name, key[name]]));
}

function withIds(table: AnyTable, rows: readonly Row<Columns, Columns, unknown>[]): AnyRow[] {
  return rows.map(({ key, value }) => ({ id: idIn(table, key), key, value }));
}

/** Copies rows into the form that a range query returns, without the cache's own fields. */
function asRows<P extends Columns, C extends Columns, V>(rows: readonly AnyRow[]): Row<P, C, V>[] {
  return rows.map(({ key, value }) => ({ key, value })) as unknown as Row<P, C, V>[];
}
