import type { RowWrite } from '../port.js';
import type { AnyTable } from '../table.js';
import { Generations } from './generations.js';

/** Rows known to be written: buckets of time, of which one is current, and the hashtags used last. */
const KNOWN_MAX = 4_096;
const WRITTEN = {};

/** Leaves out of writes what is stored already: rows of constant tables. */
export class ConstantRows {
  readonly #known = new Generations<object>(KNOWN_MAX);
  /** Names of each table's columns. */
  readonly #columns = new Map<AnyTable, readonly string[]>();

  /** What there is to be written of these. */
  due(rows: readonly RowWrite[]): readonly RowWrite[] {
    for (const { table } of rows) if (table.constant) return rows.filter((row) => this.#isDue(row));
    return rows;
  }

  /** These are durable. */
  written(rows: readonly RowWrite[]): void {
    for (const row of rows) {
      if (row.table.constant && row.value !== undefined) this.#known.set(this.#nameOf(row), WRITTEN);
    }
  }

  #isDue(row: RowWrite): boolean {
    if (!row.table.constant) return true;
    if (row.value !== undefined) return this.#known.get(this.#nameOf(row)) === undefined;
    this.#known.delete(this.#nameOf(row));
    return true;
  }

  /** Two spellings of one id are two names: it is then written once too often. */
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
