import { makeId } from '../../actors/domain/ids.js';
import { WORD_BUCKETS_MAX, wordBucket } from '../../actors/domain/text/words.js';
import type { Clock } from '../../actors/domain/time.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import type { ReadTables } from '../../store/port.js';
import { statusIndex } from '../../store/tables.js';
import type { Soon } from '../paging/soon.js';

/** Statuses of one word that are read, newest first. */
const WORD_ROWS_MAX = 600;
/** Cached ids of all words, some 40 bytes each: 8 MB. */
const IDS_MAX = 200_000;
/** Fixed cost of a word, in ids: most words are rare. */
const WORD_IDS = 8;

/** Registers a listener for written rows of the index. */
export type IndexTold = (listener: (key: Readonly<Record<string, string | number>>) => void) => void;

interface CachedWordList {
  /** Newest bucket at the time of the read; the entry is stale when a later one begins. */
  readonly bucket: number;
  readonly ids: readonly string[];
}

/**
 * Public statuses by word, from the index. A word's many buckets are read once and cached until somebody writes to
 * them.
 */
export class WordLists {
  readonly #tables: ReadTables;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #cache: Cache<CachedWordList>;
  /** Reads in flight; a write during a read makes its result stale. */
  readonly #reading = new Map<string, { stale: boolean }>();
  readonly #isNotified: boolean;

  /** `onWritten` registers the listener; without it nothing is cached. */
  constructor(tables: ReadTables, clock: Pick<Clock, 'nowMs'>, onWritten?: IndexTold, caches?: Caches) {
    const weights = { of: ({ ids }: CachedWordList) => WORD_IDS + ids.length, max: IDS_MAX };
    this.#cache = new Cache('word_lists', IDS_MAX / WORD_IDS, caches, weights);
    this.#tables = tables;
    this.#clock = clock;
    this.#isNotified = onWritten !== undefined;
    onWritten?.(({ word }) => this.#written(String(word)));
  }

  /**
   * Returns ids of public statuses that contain the word, newest first. The array is the same object while it is
   * unchanged.
   */
  of(word: string): Soon<readonly string[]> {
    const newest = wordBucket(makeId(this.#clock.nowMs(), 0, 0));
    const cached = this.#cache.get(word);
    return cached?.bucket === newest ? cached.ids : this.#read(word, newest);
  }

  async #read(word: string, newest: number): Promise<readonly string[]> {
    const reading = { stale: false };
    this.#reading.set(word, reading);
    try {
      const ids: string[] = [];
      for (let back = 0; back < WORD_BUCKETS_MAX && ids.length < WORD_ROWS_MAX; back++) {
        const range = { reverse: true, limit: WORD_ROWS_MAX - ids.length };
        const rows = await this.#tables.range(statusIndex, { word, bucket: newest - back }, range);
        for (const { key } of rows) ids.push(key.status);
      }
      const isAsNow = this.#isNotified && !reading.stale && this.#reading.get(word) === reading;
      if (isAsNow) this.#cache.set(word, { bucket: newest, ids });
      return ids;
    } finally {
      if (this.#reading.get(word) === reading) this.#reading.delete(word);
    }
  }

  #written(word: string): void {
    const reading = this.#reading.get(word);
    if (reading !== undefined) reading.stale = true;
    this.#cache.delete(word);
  }
}
