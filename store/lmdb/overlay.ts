import type { Database } from 'lmdb';
import type { KeyLayout } from '../keys.js';
import { Slabs } from './slabs.js';

/** A table as the LMDB store has it open. */
export interface HeldTable {
  readonly name: string;
  /** Its index among the open tables, which identifies it in the log. */
  readonly index: number;
  readonly layout: KeyLayout;
  readonly db: Database<Buffer, Buffer>;
}

export interface Change {
  readonly table: HeldTable;
  readonly key: Buffer;
  /** Undefined: delete. */
  readonly bytes: Buffer | undefined;
  /** True if readers already see the change, before it is durable. */
  seen?: boolean;
}

/** Returns a key as text of one character a byte: it sorts like the bytes. */
export const keyText = (key: Buffer): string => key.toString('latin1');
export const keyBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The place of a removed row. */
const REMOVED = -1;

interface Rows {
  readonly table: HeldTable;
  /** The place of each value, by key. */
  readonly places: Map<string, number>;
  /** Sorted keys by partition; undefined for tables whose partitions have one row each. */
  readonly partitions: Map<string, string[]> | undefined;
}

/** The newest change of each row that is in the log and not yet in LMDB. */
export class Overlay {
  private readonly tables: (Rows | undefined)[] = [];
  private readonly values = new Slabs();
  /** Number of rows, including removed ones. */
  rows = 0;

  apply({ table, key, bytes }: Change): void {
    const rows = this.rowsOf(table);
    const text = keyText(key);
    const before = rows.places.size;
    rows.places.set(text, bytes === undefined ? REMOVED : this.values.keep(bytes));
    if (rows.places.size === before) return;
    this.rows += 1;
    if (rows.partitions === undefined) return;
    const partition = text.slice(0, table.layout.partitionLength(text));
    const keys = rows.partitions.get(partition);
    if (keys === undefined) rows.partitions.set(partition, [text]);
    else insert(keys, text);
  }

  /** Returns the row's value, `null` if it was removed, undefined if the overlay does not contain the row. */
  get(table: HeldTable, key: string): Buffer | null | undefined {
    const place = this.tables[table.index]?.places.get(key);
    return place === undefined ? undefined : this.valueAt(place);
  }

  /** Returns the sorted keys of one partition that the overlay contains. */
  keys(table: HeldTable, partition: string): readonly string[] {
    return this.tables[table.index]?.partitions?.get(partition) ?? [];
  }

  /** Yields all changes by table, in the order of keys. */
  *changes(): Generator<Change> {
    for (const rows of this.tables) {
      if (rows === undefined) continue;
      const { table, places } = rows;
      for (const text of sortedKeys(rows)) {
        yield { table, key: keyBytes(text), bytes: this.valueAt(places.get(text) as number) ?? undefined };
      }
    }
  }

  private valueAt(place: number): Buffer | null {
    return place === REMOVED ? null : this.values.at(place);
  }

  private rowsOf(table: HeldTable): Rows {
    const known = this.tables[table.index];
    if (known !== undefined) return known;
    const partitions = table.layout.ranged ? new Map<string, string[]>() : undefined;
    const rows = { table, places: new Map<string, number>(), partitions };
    this.tables[table.index] = rows;
    return rows;
  }
}

/**
 * Returns the keys of a table in order. It sorts the partitions, whose keys are sorted already. No partition's bytes
 * begin another's, so its keys follow each other.
 */
function sortedKeys({ places, partitions }: Rows): string[] {
  if (partitions === undefined) return [...places.keys()].sort();
  const sorted: string[] = [];
  for (const partition of [...partitions.keys()].sort()) {
    for (const key of partitions.get(partition) as string[]) sorted.push(key);
  }
  return sorted;
}

/** Inserts into the sorted keys. Ids ascend, so nearly all inserts append. */
function insert(keys: string[], key: string): void {
  const last = keys.at(-1);
  if (last === undefined || last < key) keys.push(key);
  else keys.splice(lowerBound(keys, key), 0, key);
}

/** Returns the index of the first key that is not below the bound. */
export function lowerBound(keys: readonly string[], bound: string): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] as string) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}
