import type { Codec } from '../proto/codec.js';
import { RANGE_LIMIT_MAX, type RowWrite, WRITE_ROWS_MAX } from './port.js';
import type { AnyTable } from './table.js';

// Assertions that every adapter makes about its callers, so that a mistake shows on the fastest adapter too.

export function checkWrite(rows: readonly RowWrite[]): void {
  if (rows.length > WRITE_ROWS_MAX)
    throw new RangeError(`${rows.length} rows in one write, the maximum is ${WRITE_ROWS_MAX}`);
  for (const { table } of rows) {
    if (table.conditional) throw new TypeError(`${table.name} is conditional: only compareAndSet writes it`);
  }
}

/** Rejects tables whose rows are cached: a cache must be notified of each written row. */
export function checkRangeRemoval({ name, conditional, hot, watched }: AnyTable): void {
  if (conditional || hot || watched) throw new TypeError(`ranges of ${name} cannot be removed`);
}

export function checkConditional(table: AnyTable): void {
  if (!table.conditional) throw new TypeError(`${table.name} is not conditional`);
}

export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > RANGE_LIMIT_MAX)
    throw new RangeError(`a range's limit of ${limit} is not between 1 and ${RANGE_LIMIT_MAX}`);
}

/**
 * Returns true if two encodings mean the same. Their bytes may differ when another version of the code wrote one of
 * them (it knew fewer fields), and compareAndSet must not fail for that.
 */
export function sameValue(codec: Codec<unknown>, a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (Buffer.compare(a, b) === 0) return true;
  return Buffer.compare(codec.encode(codec.decode(a)), codec.encode(codec.decode(b))) === 0;
}
