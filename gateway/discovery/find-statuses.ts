import { namedHashtag } from '../../actors/domain/text/hashtag.js';
import { comparable, STATUS_WORDS_MAX, wordsOf } from '../../actors/domain/text/words.js';
import type {
  StoreAccountStatusRow,
  StoreNotificationRecord,
  StoreStatusRecord,
  StoreStatusRef,
} from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import { accountStatuses, bookmarks, favourites, notifications } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { ALL, type Entry } from '../paging/cursor.js';
import { notificationCursor } from '../paging/notification-cursor.js';
import { type Soon, soon, together } from '../paging/soon.js';
import { isFindable, PLACES } from '../viewing/judge.js';
import type { Lens } from '../viewing/lens.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { QUERY_WORDS_MAX } from './find-accounts.js';
import { findLocal } from './find-local.js';
import { fits, type Operators, onlyFrom, takeOperators } from './search-operators.js';

/** Rows searched, newest first: the viewer's own statuses, and each of favourites, bookmarks and notifications. */
const OWN_MAX = 800;
const MARKS_MAX = 300;
/** Statuses loaded at a time: more than a page, because some no longer match; and the spare ones in the first step. */
const LOOKED_AT_ONCE = 40;
const SPARE = 4;
/** Statuses with cached words, some 2 KB each. */
const TEXTS_MAX = 4_096;
/** Cached queries, at most 500 characters each. */
const QUESTIONS_MAX = 1_024;

export interface StatusesWanted {
  readonly limit: number;
  readonly offset: number;
  readonly accountId: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Conditions of a query on a text. */
interface TextQuestion {
  readonly words: readonly string[];
  readonly phrases: readonly string[];
  readonly without: readonly string[];
  /** Names of hashtags. */
  readonly tags: readonly string[];
  readonly withoutTags: readonly string[];
  readonly operators: Operators | undefined;
}

/**
 * Finds statuses with all words of the query that fit its operators, newest first: the viewer's own, those that the
 * viewer favourited or bookmarked, those that mention the viewer, and public ones of authors who allow indexing. A
 * query without words finds public ones by author only.
 */
export function findStatuses(
  services: ReadServices & Pick<Services, 'latestRows' | 'wordLists' | 'registry' | 'caches'>,
  viewer: string,
  question: string,
  { limit, offset, accountId, before, after }: StatusesWanted,
): Soon<VisibleStatus[]> {
  const cached = keptOf(services);
  const asked = cached.read(question);
  const { operators } = asked;
  if (asked.words.length === 0 && asked.phrases.length === 0 && operators === undefined) return [];
  return soon(operators === undefined ? NOBODY : namedIn(services, viewer, operators), (accounts) =>
    findAmong(services, viewer, asked, accounts, { limit, offset, accountId, before, after }),
  );
}

function findAmong(
  services: ReadServices & Pick<Services, 'latestRows' | 'wordLists' | 'registry' | 'caches'>,
  viewer: string,
  asked: TextQuestion,
  accounts: ReadonlyMap<string, string>,
  { limit, offset, accountId, before, after }: StatusesWanted,
): Soon<VisibleStatus[]> {
  const cached = keptOf(services);
  const within = asked.operators?.within;
  const sources = together<[Library, readonly string[], Lens]>([
    within === 'public' ? NO_LIBRARY : libraryOf(services, viewer),
    within === 'library' ? [] : everyonesOf(services, asked, accounts),
    lensOf(services, viewer),
  ]);
  return soon(sources, ([library, everyones, lens]) => {
    const isAsked = (id: string) => (before === undefined || id < before) && (after === undefined || id > after);
    const isCut = before !== undefined || after !== undefined;
    const lists = [library.ids, everyones].map((ids) => (isCut ? ids.filter(isAsked) : ids));
    const candidates = new NewestFirst(lists[0] ?? [], lists[1] ?? []);
    const match = { question: asked, accounts, texts: cached.texts, library, lens, accountId, enough: offset + limit };
    return soon(matching(services, viewer, candidates, match, []), (found) => found.slice(offset));
  });
}

/** Merges two lists, each newest first, without duplicates. */
class NewestFirst {
  readonly #some: readonly string[];
  readonly #others: readonly string[];
  #at = 0;
  #place = 0;

  constructor(some: readonly string[], others: readonly string[]) {
    this.#some = some;
    this.#others = others;
  }

  next(count: number): string[] {
    const ids: string[] = [];
    while (ids.length < count) {
      const [one, other] = [this.#some[this.#at], this.#others[this.#place]];
      if (one === undefined && other === undefined) break;
      if (other === undefined || (one !== undefined && one >= other)) {
        ids.push(one ?? '');
        this.#at++;
        if (one === other) this.#place++;
      } else {
        ids.push(other);
        this.#place++;
      }
    }
    return ids;
  }
}

interface Match {
  readonly question: TextQuestion;
  /** Ids of the accounts that `from:` names. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly texts: Texts;
  readonly library: Library;
  readonly lens: Lens;
  readonly accountId: string | undefined;
  readonly enough: number;
}

/** Appends matching candidates that may be found, until there are enough. */
function matching(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  candidates: NewestFirst,
  match: Match,
  found: VisibleStatus[],
): Soon<VisibleStatus[]> {
  const { question: asked, accounts, texts, library, lens, accountId, enough } = match;
  // Most candidates still match, so few more than wanted are loaded in the first step.
  const look = found.length === 0 ? Math.min(LOOKED_AT_ONCE, enough + SPARE) : LOOKED_AT_ONCE;
  const some = found.length < enough ? candidates.next(look) : [];
  if (some.length === 0) return found;
  return soon(visibleById(services, viewer, some, PLACES.search, lens), (seen) => {
    const said: VisibleStatus[] = [];
    const strangers: string[] = [];
    for (const status of seen) {
      if (status === undefined || status.original !== undefined) continue;
      const { record } = status;
      if (accountId !== undefined && record.accountId !== accountId) continue;
      if (asked.operators !== undefined && !fits(record, asked.operators, accounts)) continue;
      if (!says(texts, record, asked)) continue;
      said.push(status);
      if (!library.has.has(record.id)) strangers.push(record.accountId);
    }
    return soon(loadAccounts(services, strangers), (authors) => {
      for (const status of said) {
        const { record } = status;
        if (found.length === enough) break;
        if (library.has.has(record.id) || isFindable(record, authors.get(record.accountId), lens)) found.push(status);
      }
      return matching(services, viewer, candidates, match, found);
    });
  });
}

/** Returns the ids of the accounts that `from:` names; `me` is the viewer. */
async function namedIn(
  services: Pick<Services, 'registry' | 'instance'>,
  viewer: string,
  { from }: Operators,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of from) {
    const id = name === 'me' ? viewer : await findLocal(services, name);
    if (id !== undefined) found.set(name, id);
  }
  return found;
}

/** Returns ids of others' statuses: by words, or without words those of the one author. */
function everyonesOf(
  services: Pick<Services, 'latestRows' | 'wordLists'>,
  asked: TextQuestion,
  accounts: ReadonlyMap<string, string>,
): Soon<readonly string[]> {
  if (asked.words.length > 0) return indexed(services, asked);
  const author = asked.operators && onlyFrom(asked.operators, accounts);
  if (author === undefined) return [];
  return soon(services.latestRows.of(accountStatuses, 'status', author, OWN_MAX), (rows) => rows.map(({ id }) => id));
}

/** Parses a query: operators, "phrases" in quotation marks, -words and -#hashtags to exclude, #hashtags and words. */
function read(whole: string): TextQuestion {
  const { rest: question, operators } = takeOperators(whole);
  const phrases: string[] = [];
  const without: string[] = [];
  const withoutTags: string[] = [];
  const rest = question
    .replaceAll(/"([^"]*)"/g, (_all, phrase: string) => {
      if (phrase.trim() !== '' && phrases.length < QUERY_WORDS_MAX) phrases.push(comparable(phrase.trim()));
      return ` ${phrase} `;
    })
    .replaceAll(/(?<=^|\s)-(\S+)/g, (_all, word: string) => {
      const tag = tagOf(word);
      if (tag === undefined) without.push(...wordsOf(word, QUERY_WORDS_MAX));
      else withoutTags.push(tag);
      return ' ';
    });
  const tags = question
    .replaceAll(/"[^"]*"/g, ' ')
    .split(/\s+/)
    .flatMap((word) => tagOf(word) ?? []);
  return {
    words: wordsOf(rest, QUERY_WORDS_MAX),
    phrases,
    without: without.slice(0, QUERY_WORDS_MAX),
    tags: tags.slice(0, QUERY_WORDS_MAX),
    withoutTags: withoutTags.slice(0, QUERY_WORDS_MAX),
    operators,
  };
}

function tagOf(word: string): string | undefined {
  return /^[#＃]/.test(word) ? namedHashtag(word) : undefined;
}

/** Returns true if the current text matches. The index may still contain words of an older text. */
function says(texts: Texts, record: StoreStatusRecord, asked: TextQuestion): boolean {
  const { words, phrases, without, tags, withoutTags } = asked;
  const isTagged = (tag: string) => record.tags.includes(tag);
  if (!tags.every(isTagged) || withoutTags.some(isTagged)) return false;
  const has = texts.wordsOf(record);
  if (!words.every((word) => has.has(word)) || without.some((word) => has.has(word))) return false;
  if (phrases.length === 0) return true;
  const compared = comparable(`${record.spoilerText}\n${record.text}`);
  return phrases.every((phrase) => compared.includes(phrase));
}

/** Cached words of statuses: parsing a text costs more than the rest of the search. */
class Texts {
  readonly #cache: Cache<{ record: StoreStatusRecord; readonly words: ReadonlySet<string> }>;

  constructor(caches: Caches) {
    this.#cache = new Cache('status_words', TEXTS_MAX, caches);
  }

  wordsOf(record: StoreStatusRecord): ReadonlySet<string> {
    const cached = this.#cache.get(record.id);
    if (cached !== undefined) {
      if (cached.record === record) return cached.words;
      if (cached.record.text === record.text && cached.record.spoilerText === record.spoilerText) {
        // Only the counts of the record changed.
        cached.record = record;
        return cached.words;
      }
    }
    const words = new Set(wordsOf(`${record.spoilerText}\n${record.text}`, STATUS_WORDS_MAX));
    this.#cache.set(record.id, { record, words });
    return words;
  }
}

/** Statuses that a viewer wrote, marked or is mentioned in: ids, newest first, and the same as a set. */
interface Library {
  readonly ids: readonly string[];
  readonly has: ReadonlySet<string>;
}

const NO_LIBRARY: Library = { ids: [], has: new Set() };
const NOBODY: ReadonlyMap<string, string> = new Map();

/** Lists from which a library was built. */
interface Shelves {
  readonly own: readonly Entry<StoreAccountStatusRow>[];
  readonly favourited: readonly Entry<StoreStatusRef>[];
  readonly bookmarked: readonly Entry<StoreStatusRef>[];
  readonly notified: readonly Entry<StoreNotificationRecord>[];
}

/** Caches of searches; each entry is valid while its sources are the same objects. */
class SearchCaches {
  readonly texts: Texts;
  readonly #questions: Cache<TextQuestion>;
  readonly #libraries = new WeakMap<Shelves['own'], { readonly shelves: Shelves; readonly library: Library }>();

  constructor(caches: Caches) {
    this.texts = new Texts(caches);
    this.#questions = new Cache('status_queries', QUESTIONS_MAX, caches);
  }

  read(question: string): TextQuestion {
    let asked = this.#questions.get(question);
    if (asked === undefined) {
      asked = read(question);
      this.#questions.set(question, asked);
    }
    return asked;
  }

  library(shelves: Shelves): Library {
    const cached = this.#libraries.get(shelves.own);
    if (
      cached?.shelves.favourited === shelves.favourited &&
      cached.shelves.bookmarked === shelves.bookmarked &&
      cached.shelves.notified === shelves.notified
    ) {
      return cached.library;
    }
    const has = new Set<string>();
    for (const { id, value } of shelves.own.slice(0, OWN_MAX)) if (value.reblogOfId === undefined) has.add(id);
    for (const marked of [shelves.favourited, shelves.bookmarked])
      for (const { value } of marked.slice(0, MARKS_MAX)) has.add(value.statusId);
    for (const { value } of shelves.notified.slice(0, MARKS_MAX))
      if (value.type === 'mention' && value.statusId !== undefined) has.add(value.statusId);
    const library = { ids: [...has].sort().reverse(), has };
    this.#libraries.set(shelves.own, { shelves, library });
    return library;
  }
}

/** Caches by server, because tests start several in one process. */
const searchesOf = new WeakMap<Caches, SearchCaches>();

function keptOf({ caches }: Pick<Services, 'caches'>): SearchCaches {
  let cached = searchesOf.get(caches);
  if (cached === undefined) {
    cached = new SearchCaches(caches);
    searchesOf.set(caches, cached);
  }
  return cached;
}

function libraryOf(
  services: Pick<Services, 'latestRows' | 'caches' | 'tables' | 'clock'>,
  viewer: string,
): Soon<Library> {
  const { latestRows } = services;
  const shelves = together<[Shelves['own'], Shelves['favourited'], Shelves['bookmarked'], Shelves['notified']]>([
    latestRows.of(accountStatuses, 'status', viewer, OWN_MAX),
    latestRows.of(favourites, 'mark', viewer, MARKS_MAX),
    latestRows.of(bookmarks, 'mark', viewer, MARKS_MAX),
    latestRows.of(notifications, 'notification', viewer, MARKS_MAX, notificationCursor(services, viewer, ALL)),
  ]);
  return soon(shelves, ([own, favourited, bookmarked, notified]) =>
    keptOf(services).library({ own, favourited, bookmarked, notified }),
  );
}

/** Returns ids of public statuses that contain all words, from the index, newest first. */
function indexed({ wordLists }: Pick<Services, 'wordLists'>, { words }: TextQuestion): Soon<readonly string[]> {
  return soon(together<(readonly string[])[]>(words.map((word) => wordLists.of(word))), ([first = [], ...rest]) => {
    if (rest.length === 0) return first;
    const others = rest.map((list) => new Set(list));
    return first.filter((id) => others.every((set) => set.has(id)));
  });
}
