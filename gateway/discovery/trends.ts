import { eachBounded } from '../../actors/domain/each-bounded.js';
import { makeId } from '../../actors/domain/ids.js';
import { POPULAR_LEVEL_MAX, POPULAR_LEVEL_MIN } from '../../actors/domain/popular.js';
import { segments } from '../../actors/domain/text/segments.js';
import type { Clock } from '../../actors/domain/time.js';
import type { LinkCard, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { accounts, popularStatuses, statuses } from '../../store/tables.js';
import { READS_AT_ONCE_MAX } from '../paging/cursor.js';
import { publicCursor } from '../timelines/public.js';
import type { LimitedAccounts } from '../viewing/account-limits.js';
import type { LinkCards } from './link-cards.js';
import { SharedValue } from './shared-value.js';
import type { DayUse, TagUses } from './tag-histories.js';
import { countByDay, DAY_MS, lastDays, type TagHistories, type Used } from './tag-histories.js';

/** Public statuses of the last week in which trends are found, newest first; and rows read at a time. */
const SAMPLE_MAX = 3_000;
const READ_AT_ONCE = 250;
/** Popular statuses of one day, read from the most marked down. */
const POPULAR_MAX = 300;
/** Days whose popular statuses are read: after three half-lives an eighth of a score is left. */
const POPULAR_DAYS = 4;
/** Trends of each kind, by score: the range of offset and limit. */
const TRENDS_MAX = 100;
/** Minimum number of accounts that use a hashtag or link, or mark a status, for a trend. */
const PEOPLE_MIN = 2;
/** Pages whose cards are requested each time links are computed: those that show first. */
const CARDS_ASKED_MAX = 40;
/** Links of one status that count. */
const LINKS_MAX = 4;

/** A trend with its users by day. */
export interface Trend {
  /** Name of a hashtag, or an address. */
  readonly name: string;
  readonly history: TagUses;
}

/** A trending link, with the statuses that contain it, newest first. */
export interface LinkTrend extends Trend {
  readonly statusIds: readonly string[];
  /** Preview card of the page, if a status shows it. */
  readonly card?: LinkCard | undefined;
}

export interface TrendsParts {
  readonly tables: ReadTables;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly limits: LimitedAccounts;
  readonly tagHistories: Pick<TagHistories, 'of'>;
  readonly linkCard: LinkCards;
  /** Links to this server do not count. */
  readonly baseUrl: string;
}

/**
 * Trending hashtags, links and statuses: scores with a half-life of a day, of public statuses by accounts without
 * limits.
 */
export class Trends {
  readonly #parts: TrendsParts;
  readonly #sample: SharedValue<readonly StoreStatusRecord[]>;
  readonly #tags: SharedValue<readonly Trend[]>;
  readonly #links: SharedValue<readonly LinkTrend[]>;
  readonly #statuses: SharedValue<readonly string[]>;

  #authors: { readonly sample: readonly StoreStatusRecord[]; readonly ids: readonly string[] } | undefined;

  constructor(parts: TrendsParts) {
    this.#parts = parts;
    this.#sample = new SharedValue(parts.clock, () => this.#readSample());
    this.#tags = new SharedValue(parts.clock, () => this.#findTags());
    this.#links = new SharedValue(parts.clock, () => this.#findLinks());
    this.#statuses = new SharedValue(parts.clock, () => this.#findStatuses());
  }

  tags(): Promise<readonly Trend[]> {
    return this.#tags.get();
  }

  links(): Promise<readonly LinkTrend[]> {
    return this.#links.get();
  }

  /** Returns ids of statuses. */
  statuses(): Promise<readonly string[]> {
    return this.#statuses.get();
  }

  /** Returns the authors of recent public statuses, latest first. */
  async authors(): Promise<readonly string[]> {
    const sample = await this.#sample.get();
    if (this.#authors?.sample !== sample)
      this.#authors = { sample, ids: [...new Set(sample.map(({ accountId }) => accountId))] };
    return this.#authors.ids;
  }

  async #readSample(): Promise<readonly StoreStatusRecord[]> {
    const { tables, clock } = this.#parts;
    const after = makeId(lastDays(clock.nowMs()).at(-1) ?? 0, 0, 0);
    const cursor = publicCursor(tables, { before: undefined, after, upwards: false });
    const found: StoreStatusRecord[] = [];
    for (let read = 0; read < SAMPLE_MAX; ) {
      const rows = await cursor.next(READ_AT_ONCE);
      if (rows.length === 0) break;
      read += rows.length;
      found.push(...(await this.#load(rows.map(({ id }) => id))));
    }
    return found;
  }

  /** Loads the statuses that may trend. */
  async #load(ids: readonly string[]): Promise<StoreStatusRecord[]> {
    const { tables, limits } = this.#parts;
    const records = await tables.getMany(
      statuses,
      ids.map((status) => ({ status })),
    );
    return records.filter(
      (record): record is StoreStatusRecord =>
        record?.deleted === false &&
        record.visibility === 'public' &&
        !limits.silenced(record.accountId, record.domain) &&
        !limits.suspended(record.accountId, record.domain),
    );
  }

  async #findTags(): Promise<readonly Trend[]> {
    const uses = usesBy(await this.#sample.get(), ({ tags }) => tags);
    const found: Trend[] = [];
    for (const { name } of ranked(uses, this.#parts.clock.nowMs()))
      found.push({ name, history: await this.#parts.tagHistories.of(name) });
    return found.sort((a, b) => score(b.history) - score(a.history));
  }

  async #findLinks(): Promise<readonly LinkTrend[]> {
    const ids = new Map<string, string[]>();
    const cards = new Map<string, LinkCard>();
    const uses = usesBy(await this.#sample.get(), ({ id, text, card }) => {
      const links = linksOf(text, this.#parts.baseUrl);
      for (const link of links) {
        const known = ids.get(link);
        if (known === undefined) ids.set(link, [id]);
        else known.push(id);
      }
      // The card belongs to the first link that has one, identified by the canonical address that the page gives.
      const shown = card && links.find((link) => link === linkName(card.url) || links.length === 1);
      if (card !== undefined && shown !== undefined && !cards.has(shown)) cards.set(shown, card);
      return links;
    });
    const trends = ranked(uses, this.#parts.clock.nowMs());
    // A status shows the card of only one of its links.
    const bare = trends.filter(({ name }) => !cards.has(name)).slice(0, CARDS_ASKED_MAX);
    await eachBounded(bare, READS_AT_ONCE_MAX, async ({ name }) => {
      const card = await this.#parts.linkCard(name);
      if (card !== undefined) cards.set(name, card);
    });
    return trends.map((trend) => ({ ...trend, statusIds: ids.get(trend.name) ?? [], card: cards.get(trend.name) }));
  }

  async #findStatuses(): Promise<readonly string[]> {
    const nowMs = this.#parts.clock.nowMs();
    const sample = await this.#sample.get();
    const popular = await this.#load(await this.#popularIds(nowMs));
    const all = new Map([...sample, ...popular].map((record) => [record.id, record]));
    const marked = [...all.values()].filter(
      (record) => record.favourites + record.reblogs >= PEOPLE_MIN && !record.sensitive && record.spoilerText === '',
    );
    const authors = await this.#parts.tables.getMany(
      accounts,
      marked.map(({ accountId }) => ({ account: accountId })),
    );
    const points = (record: StoreStatusRecord) =>
      (record.favourites + record.reblogs) * 0.5 ** ((nowMs - record.createdAtMs) / DAY_MS);
    return marked
      .filter((_record, index) => wantsToBeFound(authors[index]))
      .sort((a, b) => points(b) - points(a))
      .slice(0, TRENDS_MAX)
      .map(({ id }) => id);
  }

  /** Returns ids of statuses with many marks that are older than the sample. */
  async #popularIds(nowMs: number): Promise<string[]> {
    const today = Math.floor(nowMs / DAY_MS);
    const ids = new Set<string>();
    for (let day = today; day > today - POPULAR_DAYS; day--) {
      const enough = ids.size + POPULAR_MAX;
      for (let level = POPULAR_LEVEL_MAX; level >= POPULAR_LEVEL_MIN && ids.size < enough; level--) {
        const range = { reverse: true, limit: enough - ids.size };
        const rows = await this.#parts.tables.range(popularStatuses, { day, level }, range);
        for (const { key } of rows) ids.add(key.status);
      }
    }
    return [...ids];
  }
}

/** Returns true if the author is discoverable. */
function wantsToBeFound(author: StoreAccountRecord | undefined): boolean {
  return author?.profile?.discoverable === true;
}

function usesBy(
  sample: readonly StoreStatusRecord[],
  namesOf: (record: StoreStatusRecord) => readonly string[],
): Map<string, Used[]> {
  const uses = new Map<string, Used[]>();
  for (const record of sample) {
    for (const name of namesOf(record)) {
      const use = { atMs: record.createdAtMs, accountId: record.accountId };
      const known = uses.get(name);
      if (known === undefined) uses.set(name, [use]);
      else known.push(use);
    }
  }
  return uses;
}

/** Returns the names that several accounts used, by score at that time, with their histories. */
export function ranked(uses: ReadonlyMap<string, readonly Used[]>, nowMs: number): Trend[] {
  const days = lastDays(nowMs);
  const trends: Trend[] = [];
  for (const [name, used] of uses) {
    if (new Set(used.map(({ accountId }) => accountId)).size < PEOPLE_MIN) continue;
    trends.push({ name, history: countByDay(used, days) });
  }
  return trends.sort((a, b) => score(b.history) - score(a.history)).slice(0, TRENDS_MAX);
}

/** Returns a score in which users count half for each day since. Source: service-interface.md, limits. */
function score(history: readonly DayUse[]): number {
  return history.reduce((sum, { accounts: people }, daysAgo) => sum + people * 0.5 ** daysAgo, 0);
}

function linksOf(text: string, baseUrl: string): string[] {
  if (!text.includes('://')) return [];
  const found = new Set<string>();
  for (const segment of segments(text)) {
    const link = segment.kind === 'link' && found.size < LINKS_MAX ? linkName(segment.raw) : undefined;
    if (link !== undefined && !link.startsWith(`${baseUrl}/`)) found.add(link);
  }
  return [...found];
}

/** Normalizes an address for counting, without its fragment. */
export function linkName(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.hash = '';
  return url.href;
}
