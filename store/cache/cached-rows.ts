import { ID_DIGITS, storedId } from '../../actors/domain/ids.js';
import type { AnyTable } from '../table.js';
import { Generations } from './generations.js';

export type Key = Readonly<Record<string, string | number>>;

/** Reads of one row under way; a write in between makes them worthless. */
export interface Reading {
  readers: number;
  stale: boolean;
}

/** Writes of one row under way; `alone`: at no time were there two. */
interface Writing {
  writers: number;
  alone: boolean;
}

/** All rows kept of one table, about: twice what as many statuses of the usual length take, a tenth of the longest. */
const BYTES_MAX = 96 * 2 ** 20;
/** What a row takes besides its texts. */
const ROW_BYTES = 400;

/** A row, and since when it is known (`performance.now`). */
interface Kept {
  readonly row: object;
  readonly sinceMs: number;
}

/** Rows of one table in memory, with the reads and writes of them that are under way. By the text of their keys. */
export class KeptRows {
  readonly #columns: readonly { readonly name: string; readonly isId: boolean }[];
  /** Of a key of one column, which is its own text: no other is put together for each look. */
  readonly #only: string | undefined;
  readonly #rowsMax: number;
  readonly #value: AnyTable['value'];
  /** Made when the first is kept: of some tables none ever is. */
  #rows: Generations<Kept> | undefined;
  readonly #reading = new Map<string, Reading>();
  readonly #writing = new Map<string, Writing>();

  constructor(table: AnyTable, rowsMax: number) {
    const all = Object.entries({ ...table.partition, ...table.clustering });
    this.#columns = all.map(([name, type]) => ({ name, isId: type === 'id' }));
    this.#only = all.length === 1 ? all[0]?.[0] : undefined;
    this.#rowsMax = rowsMax;
    this.#value = table.value;
  }

  /** Keys of hot and watched tables hold no text of clients, so that nothing stands for something else. */
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

  /** One that has been known since that time or later. */
  get(text: string, sinceMs = Number.NEGATIVE_INFINITY): object | undefined {
    const kept = this.#rows?.get(text);
    return kept !== undefined && kept.sinceMs >= sinceMs ? kept.row : undefined;
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

  /** What is not there is looked for each time: nobody else would tell when it comes. */
  keep(text: string, reading: Reading, value: unknown): void {
    if (!reading.stale && value !== undefined && !this.#writing.has(text)) this.set(text, value as object);
  }

  /** Another node's, newer than what a read under way may find. */
  offer(text: string, value: object): void {
    if (this.#writing.has(text)) return;
    this.drop(text);
    this.set(text, value);
  }

  /** Another node has written it, and only these numbers are other than before. */
  amend(text: string, numbers: readonly { readonly name: string; readonly number: number }[]): void {
    const kept = this.#rows?.get(text);
    this.drop(text);
    if (kept === undefined || this.#writing.has(text)) return;
    const row: Record<string, unknown> = this.#value.copy?.(kept.row) ?? { ...kept.row };
    for (const { name, number } of numbers) row[name] = number;
    // All else of it is as old as it was.
    this.set(text, row, kept.sinceMs);
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

  /** False when another write of the row was under way as well: nobody knows here which came second. */
  endWriting(text: string): boolean {
    const writing = this.#writing.get(text);
    if (writing !== undefined) writing.writers -= 1;
    if (writing?.writers === 0) this.#writing.delete(text);
    this.drop(text);
    return writing?.alone === true;
  }

  set(text: string, row: object, sinceMs = performance.now()): void {
    this.#rows ??= new Generations(this.#rowsMax, { of: ({ row: kept }) => bytesOf(kept), max: BYTES_MAX });
    this.#rows.set(text, { row, sinceMs });
  }

  drop(text: string): void {
    this.#rows?.delete(text);
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

/** About: its own texts are most of what a long row is. */
function bytesOf(row: object): number {
  let bytes = ROW_BYTES;
  for (const name in row) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string') bytes += value.length;
  }
  return bytes;
}

const padded = (value: string, isId: boolean): string => (isId ? storedId(value) : value);
