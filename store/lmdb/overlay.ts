import type { Database } from 'lmdb';
import type { KeyLayout } from '../keys.js';
import { inOrder } from './in-order.js';
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

/** Rows of one partition: sorted keys, and the place of each value. */
interface Partition {
  readonly keys: string[];
  readonly places: number[];
}

/** Rows of one table. Tables whose partitions have one row each need no partitions: there the places are by key. */
type Rows = { readonly table: HeldTable } & (
  | { readonly places: Map<string, number>; readonly partitions?: undefined }
  | { readonly partitions: Map<string, Partition>; readonly places?: undefined }
);

/** The newest change of each row that is in the log and not yet in LMDB. */
export class Overlay {
  private readonly tables: (Rows | undefined)[] = [];
  private readonly values = new Slabs();
  /** Number of rows, including removed ones. */
  rows = 0;

  apply({ table, key, bytes }: Change): void {
    const rows = this.rowsOf(table);
    const text = keyText(key);
    const place = bytes === undefined ? REMOVED : this.values.keep(bytes);
    if (rows.partitions === undefined) {
      const before = rows.places.size;
      rows.places.set(text, place);
      this.rows += rows.places.size - before;
      return;
    }
    const name = partitionOf(table, text);
    const partition = rows.partitions.get(name);
    if (partition === undefined) {
      rows.partitions.set(name, { keys: [text], places: [place] });
      this.rows += 1;
    } else if (put(partition, text, place)) this.rows += 1;
  }

  /** Returns the row's value, `null` if it was removed, undefined if the overlay does not contain the row. */
  get(table: HeldTable, key: string): Buffer | null | undefined {
    const rows = this.tables[table.index];
    if (rows === undefined) return undefined;
    const place =
      rows.partitions === undefined ? rows.places.get(key) : placeIn(rows.partitions.get(partitionOf(table, key)), key);
    return place === undefined ? undefined : this.valueAt(place);
  }

  /** Returns the sorted keys of one partition that the overlay contains. */
  keys(table: HeldTable, partition: string): readonly string[] {
    return this.tables[table.index]?.partitions?.get(partition)?.keys ?? [];
  }

  /** Returns the partitions' parts of the keys that the overlay contains, of a table whose partitions may have many rows. */
  partitions(table: HeldTable): Iterable<string> {
    return this.tables[table.index]?.partitions?.keys() ?? [];
  }

  /**
   * Yields all changes by table, in the order of keys, in parts of up to `size`. After each part, which may be empty, the
   * caller can let other work go on: the next one takes some milliseconds.
   */
  *parts(size: number): Generator<Change[]> {
    let part: Change[] = [];
    for (const change of this.changes()) {
      if (change !== undefined) part.push(change);
      if (change !== undefined && part.length < size) continue;
      yield part;
      part = [];
    }
    yield part;
  }

  /** Yields all changes by table, in the order of keys; undefined between the steps of putting keys in order. */
  private *changes(): Generator<Change | undefined> {
    for (const rows of this.tables) {
      if (rows === undefined) continue;
      const { table } = rows;
      const change = (text: string, place: number) => ({ table, key: keyBytes(text), bytes: this.written(place) });
      // No partition's bytes begin another's, so the keys of one follow each other.
      for (const name of inOrder((rows.partitions ?? rows.places).keys())) {
        if (name === undefined) yield undefined;
        else if (rows.partitions === undefined) yield change(name, rows.places.get(name) as number);
        else {
          const { keys, places } = rows.partitions.get(name) as Partition;
          for (let at = 0; at < keys.length; at++) yield change(keys[at] as string, places[at] as number);
        }
      }
    }
  }

  private written(place: number): Buffer | undefined {
    return this.valueAt(place) ?? undefined;
  }

  private valueAt(place: number): Buffer | null {
    return place === REMOVED ? null : this.values.at(place);
  }

  private rowsOf(table: HeldTable): Rows {
    const known = this.tables[table.index];
    if (known !== undefined) return known;
    const rows = table.layout.ranged
      ? { table, partitions: new Map<string, Partition>() }
      : { table, places: new Map<string, number>() };
    this.tables[table.index] = rows;
    return rows;
  }
}

const partitionOf = ({ layout }: HeldTable, key: string): string => key.slice(0, layout.partitionLength(key));

function placeIn(partition: Partition | undefined, key: string): number | undefined {
  if (partition === undefined) return undefined;
  const at = lowerBound(partition.keys, key);
  return partition.keys[at] === key ? partition.places[at] : undefined;
}

/** Puts a row into its partition. Returns true if it is new there. Ids ascend, so nearly all new rows are the last. */
function put({ keys, places }: Partition, key: string, place: number): boolean {
  const last = keys[keys.length - 1] as string;
  if (last < key) {
    keys.push(key);
    places.push(place);
    return true;
  }
  const at = lowerBound(keys, key);
  if (keys[at] === key) {
    places[at] = place;
    return false;
  }
  keys.splice(at, 0, key);
  places.splice(at, 0, place);
  return true;
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
