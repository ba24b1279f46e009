import { localName } from '../../actors/domain/addresses.js';
import { comparable, isLetter, nameWords, startsOf, WORD_CHARS_MAX, wordsOf } from '../../actors/domain/text/words.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { Cache } from '../../store/cache/cache.js';
import type { RangeOptions } from '../../store/port.js';
import { accounts, nameIndex } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { rangeSoon } from '../paging/cursor.js';
import { type Soon, soon, together } from '../paging/soon.js';
import { ACCOUNT_PLACES, showsAccount } from '../viewing/judge-accounts.js';
import type { Lens } from '../viewing/lens.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf } from '../viewing/visible.js';

/** Words of a query that are looked up. */
export const QUERY_WORDS_MAX = 6;
/** Accounts read for one word: bounds one query. Few prefixes match more. */
const ROWS_MAX = 500;
/** Cached queries, at most 500 characters each. */
const QUESTIONS_MAX = 1_024;
/** Sorts after every possible continuation of a word. */
const AFTER_ALL = '\u{10ffff}';

/** A name, with the domain of another server. */
const NAME = /^[a-z0-9_.-]+(?:@[a-z0-9.:-]+)?$/;

export interface AccountsWanted {
  readonly limit: number;
  readonly offset: number;
  /** Restricts the result to accounts that the viewer follows. */
  readonly following: boolean;
}

/**
 * Finds accounts that are known here and whose names contain all words of the query as words or prefixes. An account with exactly that
 * name comes first.
 */
export function findAccounts(
  services: ReadServices & Pick<Services, 'registry' | 'caches'>,
  viewer: string | undefined,
  question: string,
  { limit, offset, following }: AccountsWanted,
): Soon<StoreAccountRecord[]> {
  const name = localName(question.trim(), services.instance.domain) ?? question.trim().replace(/^@/, '').toLowerCase();
  const isAddress = question.trim().includes('@', 1);
  const { words, letters } = questionOf(services, question);
  const sources = together<[string | undefined, readonly string[], Lens]>([
    NAME.test(name) ? services.registry.find(`acct:${name}`) : undefined,
    isAddress ? [] : withWords(services, words),
    lensOf(services, viewer),
  ]);
  return soon(sources, ([exact, alike, lens]) => {
    const ids = exact === undefined ? alike : [exact, ...alike.filter((id) => id !== exact)];
    const pick = (records: Iterable<StoreAccountRecord>) =>
      best(services, viewer, lettered(records, letters, exact), exact, lens, { limit, offset, following });
    const atHand: StoreAccountRecord[] = [];
    for (const id of ids) {
      const record = services.tables.peekId?.(accounts, id);
      if (record === undefined) return soon(loadAccounts(services, ids), (all) => pick(all.values()));
      atHand.push(record);
    }
    return pick(atHand);
  });
}

/**
 * Keeps accounts that also have a name beginning with each single letter: a prefix of one letter matches too many to
 * look up.
 */
function lettered(
  records: Iterable<StoreAccountRecord>,
  letters: readonly string[],
  exact: string | undefined,
): Iterable<StoreAccountRecord> {
  if (letters.length === 0) return records;
  return Array.from(records).filter(({ id, username, profile }) => {
    const names = nameWords(username, profile?.displayName ?? '');
    return id === exact || letters.every((letter) => names.some((name) => name.startsWith(letter)));
  });
}

/** Returns the accounts that may be found, best first. */
function best(
  { limits }: Pick<Services, 'limits'>,
  viewer: string | undefined,
  records: Iterable<StoreAccountRecord>,
  exact: string | undefined,
  lens: Lens,
  { limit, offset, following }: AccountsWanted,
): StoreAccountRecord[] {
  const ranked = new Best<Candidate>(offset + limit, byRank);
  for (const record of records) {
    const isFollowed = lens.follows(record.id);
    if (following && !isFollowed) continue;
    // A silenced account is found only by its exact name, by its followers and by itself.
    const isFound = record.id === exact || isFollowed || record.id === viewer;
    if (!isFound && limits.silenced(record.id, record.domain)) continue;
    if (!showsAccount(record, lens, ACCOUNT_PLACES.search)) continue;
    ranked.add({ record, rank: (record.id === exact ? 2 : 0) + (isFollowed ? 1 : 0) });
  }
  const found: StoreAccountRecord[] = [];
  for (let at = offset; at < ranked.items.length; at++) found.push((ranked.items[at] as Candidate).record);
  return found;
}

/** A result with its rank: exact name, followed, or neither. */
interface Candidate {
  readonly record: StoreAccountRecord;
  readonly rank: number;
}

function byRank(a: Candidate, b: Candidate): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  return b.record.followers - a.record.followers || b.record.lastStatusAtMs - a.record.lastStatusAtMs;
}

/**
 * Parsed queries of each server. Clients send a query for each typed letter, and parsing takes as long as the look-up.
 */
const questionsOf = new WeakMap<Services['caches'], Cache<Question>>();

interface Question {
  readonly words: readonly Sought[];
  /** Words of one letter in addition to longer ones. */
  readonly letters: readonly string[];
}

/** A word as it is looked up: all words with this prefix, in the partitions of equal beginnings. */
interface Sought {
  readonly starts: readonly string[];
  readonly range: RangeOptions<{ word: 'text'; account: 'id' }>;
}

function questionOf({ caches }: Pick<Services, 'caches'>, question: string): Question {
  let questions = questionsOf.get(caches);
  if (questions === undefined) {
    questions = new Cache('account_queries', QUESTIONS_MAX, caches);
    questionsOf.set(caches, questions);
  }
  let cached = questions.get(question);
  if (cached === undefined) {
    const all = wordsOf(question, QUERY_WORDS_MAX).map((written) => comparable(written).slice(0, WORD_CHARS_MAX));
    const [first] = all;
    const long = all.filter((word) => !isLetter(word));
    const short = all.filter(isLetter);
    const sought = long.length > 0 || first === undefined ? long : [first];
    cached = { words: sought.map(soughtAs), letters: long.length > 0 ? short : short.slice(1) };
    questions.set(question, cached);
  }
  return cached;
}

function soughtAs(word: string): Sought {
  const starts = startsOf(word);
  const limit = Math.ceil(ROWS_MAX / starts.length);
  return { starts, range: { after: { word }, before: { word: `${word}${AFTER_ALL}` }, limit } };
}

/** The first items in order. Sorting all matches of a prefix for one page costs more than finding them. */
class Best<T> {
  readonly items: T[] = [];
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  /** Adds an item behind equal ones. */
  add(item: T): void {
    let [low, high] = [0, this.items.length];
    if (high === this.#count && this.#compare(this.items[high - 1] as T, item) <= 0) return;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.items[middle] as T, item) <= 0) low = middle + 1;
      else high = middle;
    }
    this.items.splice(low, 0, item);
    if (this.items.length > this.#count) this.items.pop();
  }
}

/** Returns the accounts that match each of the words by prefix. */
function withWords({ tables }: Pick<Services, 'tables'>, words: readonly Sought[]): Soon<readonly string[]> {
  const sets = words.map(({ starts: [start = '', ...others], range }) => {
    const of = (one: string) => soon(rangeSoon(tables, nameIndex, { start: one }, range), accountsOf);
    if (others.length === 0) return of(start);
    const all = together<(readonly string[])[]>([start, ...others].map(of));
    return soon(all, (lists) => [...new Set(lists.flat())]);
  });
  return soon(together<(readonly string[])[]>(sets), ([first = [], ...others]) => {
    if (others.length === 0) return first;
    const rest = others.map((ids) => new Set(ids));
    return first.filter((id) => rest.every((set) => set.has(id)));
  });
}

type IndexRows = readonly { readonly key: { readonly account: string } }[];

/** Account ids by rows, which are the same object while nobody writes to the index. */
const accountsOfRows = new WeakMap<IndexRows, readonly string[]>();

/** Returns each account once, because an account may have several words with the same prefix. */
function accountsOf(rows: IndexRows): readonly string[] {
  let ids = accountsOfRows.get(rows);
  if (ids === undefined) {
    ids = [...new Set(rows.map(({ key }) => key.account))];
    accountsOfRows.set(rows, ids);
  }
  return ids;
}
