import type { Database } from 'lmdb';
import type { KeyLayout } from '../keys.js';
import { Slabs } from './slabs.js';

/** A table as LMDB holds it. */
export interface HeldTable {
  readonly name: string;
  /** Its place among the tables that are open: how the log names it. */
  readonly index: number;
  readonly layout: KeyLayout;
  readonly db: Database<Buffer, Buffer>;
}

export interface Change {
  readonly table: HeldTable;
  readonly key: Buffer;
  /** Undefined: delete. */
  readonly bytes: Buffer | undefined;
  /** Readers see it already, before it is durable. */
  seen?: boolean;
}

/** A key as text of one character a byte: it sorts as the bytes do. */
export const keyText = (key: Buffer): string => key.toString('latin1');
export const keyBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Of a row that was removed. */
const REMOVED = -1;

interface Rows {
  readonly table: HeldTable;
  /** Where each value lies. */
  readonly places: Map<string, number>;
  /** Keys in order, by partition; of tables whose partitions have one row each, none. */
  readonly partitions: Map<string, string[]> | undefined;
}

/** Rows that are in the log and not yet in LMDB, the newest of each key. */
export class Overlay {
  private readonly tables: (Rows | undefined)[] = [];
  private readonly values = new Slabs();
  /** Rows held, removed ones too. */
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

  /** The row's value, `null` when it was removed, undefined when it says nothing of the row. */
  get(table: HeldTable, key: string): Buffer | null | undefined {
    const place = this.tables[table.index]?.places.get(key);
    return place === undefined ? undefined : this.valueAt(place);
  }

  /** The keys of one partition that it says anything of, in order. */
  keys(table: HeldTable, partition: string): readonly string[] {
    return this.tables[table.index]?.partitions?.get(partition) ?? [];
  }

  /** All there is, by table and in the order of keys. */
  *changes(): Generator<Change> {
    for (const rows of this.tables) {
      if (rows === undefined) continue;
      const { table, places } = rows;
      for (const text of [...places.keys()].sort()) {
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

/** Ids ascend, so nearly all go to the end. */
function insert(keys: string[], key: string): void {
  const last = keys.at(-1);
  if (last === undefined || last < key) keys.push(key);
  else keys.splice(lowerBound(keys, key), 0, key);
}

/** Where the first key is that is not below the bound. */
export function lowerBound(keys: readonly string[], bound: string): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] as string) < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}
