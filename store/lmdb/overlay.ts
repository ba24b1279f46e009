import type { Database } from 'lmdb';
import type { KeyLayout } from '../keys.js';

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
}

/** A key as text of one character a byte: it sorts as the bytes do. */
export const keyText = (key: Buffer): string => key.toString('latin1');
export const keyBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The value, `null` for a row that was removed. */
type Value = Buffer | null;

interface Rows {
  readonly table: HeldTable;
  readonly values: Map<string, Value>;
  /** Keys in order, by partition; of tables whose partitions have one row each, none. */
  readonly partitions: Map<string, string[]> | undefined;
}

/** Rows that are in the log and not yet in LMDB, the newest of each key. */
export class Overlay {
  private readonly tables: (Rows | undefined)[] = [];
  /** Rows held, removed ones too. */
  rows = 0;

  apply({ table, key, bytes }: Change): void {
    const rows = this.rowsOf(table);
    const text = keyText(key);
    const before = rows.values.size;
    rows.values.set(text, bytes ?? null);
    if (rows.values.size === before) return;
    this.rows += 1;
    if (rows.partitions === undefined) return;
    const partition = text.slice(0, table.layout.partitionLength(text));
    const keys = rows.partitions.get(partition);
    if (keys === undefined) rows.partitions.set(partition, [text]);
    else insert(keys, text);
  }

  /** Undefined when it says nothing of the row. */
  get(table: HeldTable, key: string): Value | undefined {
    return this.tables[table.index]?.values.get(key);
  }

  /** The keys of one partition that it says anything of, in order. */
  keys(table: HeldTable, partition: string): readonly string[] {
    return this.tables[table.index]?.partitions?.get(partition) ?? [];
  }

  /** All there is, by table and in the order of keys. */
  *changes(): Generator<Change> {
    for (const rows of this.tables) {
      if (rows === undefined) continue;
      const { table, values } = rows;
      for (const text of [...values.keys()].sort()) {
        yield { table, key: keyBytes(text), bytes: values.get(text) ?? undefined };
      }
    }
  }

  private rowsOf(table: HeldTable): Rows {
    const known = this.tables[table.index];
    if (known !== undefined) return known;
    const partitions = table.layout.ranged ? new Map<string, string[]>() : undefined;
    const rows = { table, values: new Map<string, Value>(), partitions };
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
