import { ID_DIGITS, storedId } from '../../actors/domain/ids.js';
import type { AnyTable } from '../table.js';
import { Cache, type Caches } from './cache.js';

export type Key = Readonly<Record<string, string | number>>;

/** Reads of one row under way; a write during a read invalidates its result. */
export interface Reading {
  readers: number;
  stale: boolean;
}

/** Writes of one row under way; `alone`: no two of them have overlapped. */
interface Writing {
  writers: number;
  alone: boolean;
}

/**
 * Byte limit for the cached rows of one table, an estimate: twice the size of the same number of typical statuses, a
 * tenth of that of the longest.
 */
const BYTES_MAX = 96 * 2 ** 20;
/** Estimated size of a row apart from its strings. */
const ROW_BYTES = 400;

/** A row, and the time since which it is known to be current (monotonic clock). */
interface CachedRow {
  readonly row: object;
  readonly sinceMs: number;
  readonly bytes: number;
}

const WEIGHTS = { of: ({ bytes }: CachedRow) => bytes, max: BYTES_MAX };

/** Cached rows of one table by the text of their keys, with the reads and writes under way. */
export class CachedRows {
  readonly #columns: readonly { readonly name: string; readonly isId: boolean }[];
  /** The name of a key's only column, whose value is the cache key itself: a lookup then builds no string. */
  readonly #only: string | undefined;
  readonly #rowsMax: number;
  readonly #value: AnyTable['value'];
  readonly #name: string;
  /** Created with the first row: for some tables nothing is ever cached. */
  #rows: Cache<CachedRow> | undefined;
  readonly #reading = new Map<string, Reading>();
  readonly #writing = new Map<string, Writing>();

  constructor(
    table: AnyTable,
    rowsMax: number,
    private readonly monotonicMs: () => number,
    private readonly caches?: Caches,
  ) {
    const all = Object.entries({ ...table.partition, ...table.clustering });
    this.#columns = all.map(([name, type]) => ({ name, isId: type === 'id' }));
    this.#only = all.length === 1 ? all[0]?.[0] : undefined;
    this.#rowsMax = rowsMax;
    this.#value = table.value;
    this.#name = `rows_${table.name}`;
  }

  /** Returns the cache key. Keys of hot and watched tables contain no text of clients, so no two keys collide. */
  textOf(key: Key): string {
    if (this.#only !== undefined) {
      const value = key[this.#only];
      if (typeof value === 'string' && value.length >= ID_DIGITS) return value;
    }
    let text = '';
    let between = '';
    for (const { name, isId } of this.#columns) {
      text += between + padded(String(key[name]), isId);
      between = '\0';
    }
    return text;
  }

  /** Returns the cached row if it has been known to be current since that time or later. */
  get(text: string, sinceMs = Number.NEGATIVE_INFINITY): object | undefined {
    const cached = this.#rows?.get(text);
    return cached !== undefined && cached.sinceMs >= sinceMs ? cached.row : undefined;
  }

  beginReading(text: string): Reading {
    const present = this.#reading.get(text);
    if (present !== undefined) {
      present.readers += 1;
      return present;
    }
    const reading = { readers: 1, stale: false };
    this.#reading.set(text, reading);
    return reading;
  }

  /**
   * Caches the result of a read. An absent row is not cached: nothing would invalidate it when another node writes it.
   */
  keep(text: string, reading: Reading, value: unknown): void {
    if (!reading.stale && value !== undefined && !this.#writing.has(text)) this.set(text, value as object);
  }

  /** Caches a row that another node has sent; it is newer than the result of any read under way. */
  offer(text: string, value: object): void {
    if (this.#writing.has(text)) return;
    this.drop(text);
    this.set(text, value);
  }

  /** Updates a cached row after another node's write that changed only these numbers. */
  amend(text: string, numbers: readonly { readonly name: string; readonly number: number }[]): void {
    const cached = this.#rows?.get(text);
    this.drop(text);
    if (cached === undefined || this.#writing.has(text)) return;
    const row: Record<string, unknown> = this.#value.copy?.(cached.row) ?? { ...cached.row };
    for (const { name, number } of numbers) row[name] = number;
    // The remaining fields are as old as before.
    this.set(text, row, cached.sinceMs);
  }

  endReading(text: string, reading: Reading): void {
    reading.readers -= 1;
    if (reading.readers === 0 && this.#reading.get(text) === reading) this.#reading.delete(text);
  }

  beginWriting(text: string): void {
    const present = this.#writing.get(text);
    if (present === undefined) {
      this.#writing.set(text, { writers: 1, alone: true });
    } else {
      present.writers += 1;
      present.alone = false;
    }
  }

  /**
   * Ends a write. Returns false when another write of the row overlapped: the order of the two is unknown here. Otherwise
   * caches `row`, if given, in place of the one before: a map from which keys are removed and added again grows, and is
   * copied as often.
   */
  endWriting(text: string, row: object | undefined): boolean {
    const writing = this.#writing.get(text);
    if (writing !== undefined) writing.writers -= 1;
    if (writing?.writers === 0) this.#writing.delete(text);
    const isAlone = writing?.alone === true;
    if (isAlone && row !== undefined) {
      this.#invalidateReading(text);
      this.set(text, row);
    } else this.drop(text);
    return isAlone;
  }

  set(text: string, row: object, sinceMs = this.monotonicMs()): void {
    this.#rows ??= new Cache(this.#name, this.#rowsMax, this.caches, WEIGHTS);
    this.#rows.set(text, { row, sinceMs, bytes: bytesOf(row) });
  }

  drop(text: string): void {
    this.#rows?.delete(text);
    this.#invalidateReading(text);
  }

  /** Invalidates the result of a read of the row under way. */
  #invalidateReading(text: string): void {
    const reading = this.#reading.get(text);
    if (reading === undefined) return;
    reading.stale = true;
    this.#reading.delete(text);
  }

  dropAll(): void {
    this.#rows?.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }
}

/** Estimates the size of a row: its strings make up most of a large row. */
function bytesOf(row: object): number {
  let bytes = ROW_BYTES;
  for (const name in row) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string') bytes += value.length;
  }
  return bytes;
}

const padded = (value: string, isId: boolean): string => (isId ? storedId(value) : value);
