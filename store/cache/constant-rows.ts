import type { RowWrite } from '../port.js';
import type { AnyTable } from '../table.js';
import { Cache, type Caches } from './cache.js';

/** Maximum number of rows known to be stored: time buckets, one of which is current, and the most recent hashtags. */
const KNOWN_MAX = 4_096;
const WRITTEN = {};

/** Omits rows of constant tables from a write when they are stored already. */
export class ConstantRows {
  readonly #written: Cache<object>;
  /** Column names of each table. */
  readonly #columns = new Map<AnyTable, readonly string[]>();

  constructor(caches?: Caches) {
    this.#written = new Cache('constant_rows', KNOWN_MAX, caches);
  }

  /** Returns the rows that still have to be written. */
  due(rows: readonly RowWrite[]): readonly RowWrite[] {
    for (const { table } of rows) if (table.constant) return rows.filter((row) => this.#isDue(row));
    return rows;
  }

  /** Remembers rows that are durable now. */
  written(rows: readonly RowWrite[]): void {
    for (const row of rows) {
      if (row.table.constant && row.value !== undefined) this.#written.set(this.#nameOf(row), WRITTEN);
    }
  }

  #isDue(row: RowWrite): boolean {
    if (!row.table.constant) return true;
    if (row.value !== undefined) return this.#written.get(this.#nameOf(row)) === undefined;
    this.#written.delete(this.#nameOf(row));
    return true;
  }

  /** Two spellings of one id give two names; the row is then written once more than necessary. */
  #nameOf({ table, key }: RowWrite): string {
    let columns = this.#columns.get(table);
    if (columns === undefined) {
      columns = [...Object.keys(table.partition), ...Object.keys(table.clustering)];
      this.#columns.set(table, columns);
    }
    let name = table.name;
    for (const column of columns) name += `\0${key[column]}`;
    return name;
  }
}
