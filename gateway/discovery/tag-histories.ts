import { LRUCache } from 'lru-cache';
import { idMs, makeId } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';
import type { ReadTables } from '../../store/port.js';
import { tagsCursor } from '../timelines/tag.js';

export const DAY_MS = 86_400_000;
/** Source: service-interface.md, limits. */
export const HISTORY_DAYS = 7;
/** Statuses of one hashtag that are counted, newest first: bounds one question to some megabytes. */
const COUNTED_MAX = 20_000;
const READ_AT_ONCE = 1_000;
/** What took this many rows is kept for KEPT_MS. */
const KEPT_FROM = 200;
const KEPT_MS = 60_000;
/** Some kilobytes each. */
const KEPT_MAX = 1_000;

/** How often, and by how many, something was used on one day (UTC). */
export interface DayUse {
  /** Its first moment, milliseconds. */
  readonly dayMs: number;
  readonly uses: number;
  readonly accounts: number;
}

/** Counts the public uses of hashtags by day, out of the rows that their timelines are read from. */
export class TagHistories {
  readonly #tables: ReadTables;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #kept = new LRUCache<string, readonly DayUse[]>({ max: KEPT_MAX, ttl: KEPT_MS });

  constructor(tables: ReadTables, clock: Pick<Clock, 'nowMs'>) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** HISTORY_DAYS days, today first. */
  async of(tag: string): Promise<readonly DayUse[]> {
    const days = lastDays(this.#clock.nowMs());
    const kept = this.#kept.get(tag);
    if (kept !== undefined && kept[0]?.dayMs === days[0]) return kept;
    const oldest = makeId(days.at(-1) ?? 0, 0, 0);
    const cursor = tagsCursor(this.#tables, [tag], { before: undefined, after: oldest, upwards: false });
    const used: Used[] = [];
    while (used.length < COUNTED_MAX) {
      const rows = await cursor.next(READ_AT_ONCE);
      if (rows.length === 0) break;
      for (const { id, value } of rows) used.push({ atMs: idMs(id), accountId: value.accountId });
    }
    const counted = countByDay(used, days);
    if (used.length >= KEPT_FROM) this.#kept.set(tag, counted);
    return counted;
  }
}

/** One use of something by somebody. */
export interface Used {
  readonly atMs: number;
  readonly accountId: string;
}

/** First moments of the days that histories show, today first. */
export function lastDays(nowMs: number): number[] {
  const today = Math.floor(nowMs / DAY_MS);
  return Array.from({ length: HISTORY_DAYS }, (_, ago) => (today - ago) * DAY_MS);
}

export function countByDay(used: Iterable<Used>, days: readonly number[]): DayUse[] {
  const byDay = new Map(days.map((dayMs) => [dayMs, { uses: 0, accounts: new Set<string>() }]));
  for (const { atMs, accountId } of used) {
    const day = byDay.get(Math.floor(atMs / DAY_MS) * DAY_MS);
    if (day === undefined) continue;
    day.uses += 1;
    day.accounts.add(accountId);
  }
  return Array.from(byDay, ([dayMs, { uses, accounts }]) => ({ dayMs, uses, accounts: accounts.size }));
}
