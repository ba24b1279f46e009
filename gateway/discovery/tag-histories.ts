import { idMs, makeId } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';
import type { StorePublicRow } from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import type { WrittenRow } from '../../store/cache/cached-tables.js';
import type { ReadTables } from '../../store/port.js';
import { tagStatuses } from '../../store/tables.js';
import type { Soon } from '../paging/soon.js';
import { tagsCursor } from '../paging/tags-cursor.js';

/** Number of uses and users on one day (UTC). */
export interface DayUse {
  /** Beginning of the day, milliseconds. */
  readonly dayMs: number;
  readonly uses: number;
  readonly accounts: number;
}

/** History of a hashtag, with its most common recent spelling; absent if that is its name. */
export type TagUses = readonly DayUse[] & { readonly written?: string };

export const DAY_MS = 86_400_000;
/** Source: service-interface.md, limits. */
export const HISTORY_DAYS = 7;
/** Older uses that are read for the spelling of a hashtag without recent uses. */
const EARLIER_READ = 20;
/** Counted statuses of one hashtag, newest first: bounds one query to some megabytes. */
const COUNTED_MAX = 20_000;
const READ_AT_ONCE = 1_000;
/** Rows from which a history stays cached for its whole lifetime, even if somebody uses the hashtag meanwhile. */
const LARGE_MIN = 200;
/** Lifetime of a cached history, in milliseconds. */
const LIFETIME_MS = 60_000;
/** Cached histories, some kilobytes each. */
const HISTORIES_MAX = 1_000;

interface CachedHistory {
  readonly uses: TagUses;
  /** Monotonic time of the count. */
  readonly atMs: number;
}

/** Registers a listener for written rows. Without rows, any may have been written. */
export type Told = (listener: (rows: readonly WrittenRow[] | undefined) => void) => void;

/** Counts the public uses of hashtags by day, from the rows of their timelines. */
export class TagHistories {
  readonly #tables: ReadTables;
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly #cache: Cache<CachedHistory>;
  readonly #isNotified: boolean;
  /** Counts of few rows in progress; a use during a count makes it stale. */
  readonly #counting = new Map<string, { counters: number; stale: boolean }>();

  /**
   * `onWritten` registers a listener for uses of hashtags, so that every count can be cached until the next use; without it
   * only large ones are.
   */
  constructor(tables: ReadTables, clock: Pick<Clock, 'nowMs' | 'monotonicMs'>, onWritten?: Told, caches?: Caches) {
    this.#cache = new Cache('tag_histories', HISTORIES_MAX, caches);
    this.#tables = tables;
    this.#clock = clock;
    this.#isNotified = onWritten !== undefined;
    onWritten?.((rows) => {
      if (rows === undefined) this.#cache.clear();
      else for (const { table, key } of rows) if (table === tagStatuses.name) this.#used(key[0] ?? '');
    });
  }

  /** Returns HISTORY_DAYS days, today first. */
  of(tag: string): Soon<TagUses> {
    const nowMs = this.#clock.nowMs();
    const cached = this.#cache.get(tag);
    const isCurrent = cached?.uses[0]?.dayMs === dayOf(nowMs) && this.#clock.monotonicMs() - cached.atMs < LIFETIME_MS;
    return isCurrent ? cached.uses : this.#count(tag, lastDays(nowMs));
  }

  async #count(tag: string, days: readonly number[]): Promise<TagUses> {
    const counting = this.#counting.get(tag) ?? { counters: 0, stale: false };
    counting.counters += 1;
    this.#counting.set(tag, counting);
    try {
      const used = await this.#read(tag, days);
      const written = mostlyWritten(tag, used.length > 0 ? used : await this.#readEarlier(tag));
      const counted = Object.assign(countByDay(used, days), written === tag ? {} : { written });
      if (used.length >= LARGE_MIN || (this.#isNotified && !counting.stale)) {
        this.#cache.set(tag, { uses: counted, atMs: this.#clock.monotonicMs() });
      }
      return counted;
    } finally {
      counting.counters -= 1;
      if (counting.counters === 0 && this.#counting.get(tag) === counting) this.#counting.delete(tag);
    }
  }

  async #readEarlier(tag: string): Promise<readonly Writing[]> {
    const cursor = tagsCursor(this.#tables, [tag], { before: undefined, after: undefined, upwards: false });
    return (await cursor.next(EARLIER_READ)).map(({ value }) => value);
  }

  async #read(tag: string, days: readonly number[]): Promise<(Used & Writing)[]> {
    const oldest = makeId(days.at(-1) ?? 0, 0, 0);
    const cursor = tagsCursor(this.#tables, [tag], { before: undefined, after: oldest, upwards: false });
    const used: (Used & Writing)[] = [];
    while (used.length < COUNTED_MAX) {
      const rows = await cursor.next(READ_AT_ONCE);
      if (rows.length === 0) break;
      for (const { id, value } of rows) used.push({ ...value, atMs: idMs(id) });
    }
    return used;
  }

  /** Invalidates a count, unless it covers many rows: it would be recomputed at each use. */
  #used(tag: string): void {
    const counting = this.#counting.get(tag);
    if (counting !== undefined) counting.stale = true;
    this.#counting.delete(tag);
    const cached = this.#cache.peek(tag)?.uses;
    if (cached !== undefined && cached.reduce((sum, { uses }) => sum + uses, 0) < LARGE_MIN) this.#cache.delete(tag);
  }
}

/** One use by one account. */
export interface Used {
  readonly atMs: number;
  readonly accountId: string;
}

/** Spelling of a hashtag in one status; absent: its name. */
type Writing = Pick<StorePublicRow, 'accountId' | 'written'>;

/**
 * Returns the spelling that most accounts use, counting each account once for each spelling; the oldest of equally
 * common ones. Uses are newest first.
 */
function mostlyWritten(tag: string, uses: readonly Writing[]): string {
  const people = new Map<string, Set<string>>();
  for (let at = uses.length - 1; at >= 0; at--) {
    const { accountId, written = tag } = uses[at] as Writing;
    const known = people.get(written);
    if (known === undefined) people.set(written, new Set([accountId]));
    else known.add(accountId);
  }
  let most: { readonly written: string; readonly count: number } = { written: tag, count: 0 };
  for (const [written, { size: count }] of people) if (count > most.count) most = { written, count };
  return most.written;
}

/** Returns the beginnings of the days in a history, today first. */
export function lastDays(nowMs: number): number[] {
  const today = dayOf(nowMs);
  return Array.from({ length: HISTORY_DAYS }, (_, ago) => today - ago * DAY_MS);
}

const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;

export function countByDay(used: Iterable<Used>, days: readonly number[]): DayUse[] {
  const byDay = new Map(days.map((dayMs) => [dayMs, { uses: 0, accounts: new Set<string>() }]));
  for (const { atMs, accountId } of used) {
    const day = byDay.get(dayOf(atMs));
    if (day === undefined) continue;
    day.uses += 1;
    day.accounts.add(accountId);
  }
  return Array.from(byDay, ([dayMs, { uses, accounts }]) => ({ dayMs, uses, accounts: accounts.size }));
}
