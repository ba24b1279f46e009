import { type RowWrite, WRITE_ROWS_MAX } from '../../store/port.js';
import type { Effects } from '../runtime/kind.js';

/** Writes any number of rows, WRITE_ROWS_MAX at a time. */
export async function writeAll(effects: Effects, rows: readonly RowWrite[]): Promise<void> {
  for (let from = 0; from < rows.length; from += WRITE_ROWS_MAX)
    await effects.write(rows.slice(from, from + WRITE_ROWS_MAX));
}
