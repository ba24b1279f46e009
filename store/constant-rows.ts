import { Generations } from './generations.js';
import { columnsOf } from './keys.js';
import type { RowWrite } from './port.js';

/** Rows known to be written: buckets of time, of which one is current. */
const KNOWN_MAX = 1_024;
const WRITTEN = {};

/** Leaves out of writes what is stored already: rows of constant tables. */
export class ConstantRows {
  readonly #known = new Generations<object>(KNOWN_MAX);

  /** What there is to be written of these. */
  due(rows: readonly RowWrite[]): readonly RowWrite[] {
    if (!rows.some(({ table }) => table.constant)) return rows;
    return rows.filter((row) => {
      if (!row.table.constant) return true;
      if (row.value !== undefined) return this.#known.get(nameOf(row)) === undefined;
      this.#known.delete(nameOf(row));
      return true;
    });
  }

  /** These are durable. */
  written(rows: readonly RowWrite[]): void {
    for (const row of rows) {
      if (row.table.constant && row.value !== undefined) this.#known.set(nameOf(row), WRITTEN);
    }
  }
}

/** Two spellings of one id are two names: it is then written once too often. */
function nameOf({ table, key }: RowWrite): string {
  const columns = columnsOf({ ...table.partition, ...table.clustering });
  return [table.name, ...columns.map(({ name }) => key[name])].join('\0');
}
