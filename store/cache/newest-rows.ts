import { LRUCache } from 'lru-cache';
import { storedId } from '../../actors/domain/ids.js';
import type { IdRow, IdSpan, RangeOptions, Row } from '../port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';

/** Rows kept of all partitions, some 350 bytes each: 70 MB. */
const ROWS_MAX = 200_000;
/** What a partition costs besides its rows, in rows; many are empty. */
const PARTITION_ROWS = 2;
/** Rows read at least where any are asked for: clients ask for 20 or 40, of which some are not shown. */
const READ_ROWS = 40;
/** Rows kept of one partition at most; then all but the newest READ_ROWS are given up. */
const LENGTH_MAX = 160;

type Partition = Readonly<Record<string, string | number>>;

/** With the id that it is in order by, so that no look has to find that in its key. */
interface AnyRow extends Row<Columns, Columns, unknown> {
  readonly id: string;
}

/** The newest rows of a partition without a gap, newest first. */
interface Kept {
  readonly rows: AnyRow[];
  /** Nothing older exists. */
  complete: boolean;
  /** Rows that were counted when it was last kept: it is counted anew before it has READ_ROWS more. */
  readonly counted: number;
  /** Another one after each write to the partition, whichever row that was of. Made when it is asked for. */
  state: object | undefined;
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
  /** The partition that was asked for last: a page asks for several stretches of one, and its name is put together once. */
  #latest: { readonly table: AnyTable; readonly partition: object; readonly name: string } | undefined;

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

  /** The same by ids, and the rows as they are kept. */
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
    const kept = this.#kept.get(this.#nameOf(table, partition));
    return kept && cut(kept, span, limit);
  }

  /** One and the same object for as long as nothing of the partition is written; undefined: nobody knows. */
  peekState(table: AnyTable, partition: Partition): object | undefined {
    const kept = this.#kept.get(this.#nameOf(table, partition));
    if (kept === undefined) return undefined;
    kept.state ??= {};
    return kept.state;
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
    const name = this.#nameOf(table, partition);
    const known = before === undefined ? undefined : this.#kept.peek(name);
    // What begins within what is kept, or right after it, goes on from its end and makes it longer.
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
    kept.state = undefined;
    if (now === undefined) this.#kept.delete(name);
    else if (now.value !== undefined) {
      put(table, kept, key, now.value);
      if (kept.rows.length >= kept.counted + READ_ROWS) this.#keep(name, kept.rows, kept.complete);
    } else {
      remove(kept, storedId(key.at(-1) ?? ''));
      if (kept.rows.length === 0 && !kept.complete) this.#kept.delete(name);
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
    // A new object each time: one that is kept already is not counted anew.
    const size = PARTITION_ROWS + rows.length;
    this.#kept.set(name, { rows, complete, counted: rows.length, state: undefined }, { size });
  }

  forgetAll(): void {
    this.#kept.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }
}

/** Of what is kept, what lies below an id; undefined where others may lie between. */
function heldBelow({ rows }: Kept, before: string): readonly AnyRow[] | undefined {
  const last = rows.at(-1);
  return last === undefined || before < last.id ? undefined : rows.slice(place(rows, before, true));
}

function cut({ rows, complete }: Kept, { before, after }: IdSpan, limit: number): AnyRow[] | undefined {
  const from = before === undefined ? 0 : place(rows, before, true);
  if (after === undefined) return complete || rows.length - from >= limit ? rows.slice(from, from + limit) : undefined;
  const to = place(rows, after, false);
  // Unless rows end above it, all that is wanted is there.
  const isKnown = complete || to < rows.length || rows.length - from >= limit;
  return isKnown ? rows.slice(from, Math.min(to, from + limit)) : undefined;
}

function put(table: AnyTable, kept: Kept, texts: readonly string[], value: unknown): void {
  const { rows } = kept;
  const id = storedId(texts.at(-1) ?? '');
  const at = place(rows, id, false);
  // Below what is kept there may be others.
  if (at === rows.length && !kept.complete) return;
  const present = rows[at];
  if (present?.id === id) {
    rows[at] = { id, key: present.key, value };
    return;
  }
  const columns = Object.entries({ ...table.partition, ...table.clustering });
  const key = Object.fromEntries(
    columns.map(([name, type], n) => [name, type === 'int' ? Number(texts[n]) : texts[n]]),
  );
  rows.splice(at, 0, { id, key: key as AnyRow['key'], value });
  if (rows.length <= LENGTH_MAX) return;
  rows.length = READ_ROWS;
  kept.complete = false;
}

function remove({ rows }: Kept, id: string): void {
  const at = place(rows, id, false);
  if (rows[at]?.id === id) rows.splice(at, 1);
}

/** The first place whose id is below `id`, or not above it. Most that is written is newer than all. */
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

/** As a range answers: what is kept besides is nobody's business. */
function asRows<P extends Columns, C extends Columns, V>(rows: readonly AnyRow[]): Row<P, C, V>[] {
  return rows.map(({ key, value }) => ({ key, value })) as unknown as Row<P, C, V>[];
}
