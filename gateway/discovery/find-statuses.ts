import { LRUCache } from 'lru-cache';
import { makeId } from '../../actors/domain/ids.js';
import { comparable, STATUS_WORDS_MAX, WORD_BUCKETS_MAX, wordBucket, wordsOf } from '../../actors/domain/words.js';
import type { StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { accountStatuses, bookmarks, favourites, notifications, statusIndex } from '../../store/tables.js';
import { loadAccounts } from '../entities/status.js';
import type { Services } from '../services.js';
import { accountCursor } from '../timelines/eras.js';
import { relationsOf, type VisibleStatus, visibleById } from '../visible.js';
import { QUERY_WORDS_MAX } from './find-accounts.js';

/** The viewer's own statuses that are looked through, newest first; and of favourites, bookmarks, notifications. */
const OWN_MAX = 800;
const MARKS_MAX = 300;
/** Statuses of one word that are looked at, newest first. */
const WORD_ROWS_MAX = 600;
/** Statuses looked at together: more than a page, since some only used to say it. */
const LOOKED_AT_ONCE = 40;
/** Statuses whose words are kept, some 2 KB each. */
const TEXTS_MAX = 4_096;

export interface StatusesWanted {
  readonly limit: number;
  readonly offset: number;
  readonly accountId: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What a question asks of a text. */
interface TextQuestion {
  readonly words: readonly string[];
  readonly phrases: readonly string[];
  readonly without: readonly string[];
}

/**
 * Statuses with all words of the question, newest first: the viewer's own, what they favourited or bookmarked, what
 * mentions them, and public ones of authors who want to be found.
 */
export async function findStatuses(
  services: Services,
  viewer: string,
  question: string,
  { limit, offset, accountId, before, after }: StatusesWanted,
): Promise<VisibleStatus[]> {
  const asked = read(question);
  if (asked.words.length === 0 && asked.phrases.length === 0) return [];
  const [library, everyones] = await Promise.all([libraryOf(services, viewer), indexed(services, asked)]);
  const isAsked = (id: string) => (before === undefined || id < before) && (after === undefined || id > after);
  const ids = newestFirst([...library].filter(isAsked).sort().reverse(), everyones.filter(isAsked));
  const wanted = { asked, library, accountId, enough: offset + limit };
  return (await matching(services, viewer, ids, wanted)).slice(offset);
}

/** Two lists, each newest first, as one without repeats: to sort what an index gives in order would cost more than all else. */
function newestFirst(some: readonly string[], others: readonly string[]): string[] {
  const ids: string[] = [];
  let [at, place] = [0, 0];
  while (at < some.length || place < others.length) {
    const [one = '', other = ''] = [some[at], others[place]];
    if (one >= other) {
      ids.push(one);
      at++;
      if (one === other) place++;
    } else {
      ids.push(other);
      place++;
    }
  }
  return ids;
}

interface Match {
  readonly asked: TextQuestion;
  readonly library: ReadonlySet<string>;
  readonly accountId: string | undefined;
  readonly enough: number;
}

/** The first of these that say it and may be found, as many as are enough. */
async function matching(
  services: Services,
  viewer: string,
  ids: readonly string[],
  { asked, library, accountId, enough }: Match,
): Promise<VisibleStatus[]> {
  const texts = textsOf(services);
  const relations = await relationsOf(services, viewer);
  const options = { relations, hideBlocked: true, hideMuted: true, hideDomains: true };
  const matched: VisibleStatus[] = [];
  for (let from = 0; from < ids.length && matched.length < enough; from += LOOKED_AT_ONCE) {
    const some = ids.slice(from, from + LOOKED_AT_ONCE);
    const seen = await visibleById(services, viewer, some, options);
    const said = seen.filter(
      (status): status is VisibleStatus =>
        status !== undefined &&
        status.original === undefined &&
        (accountId === undefined || status.record.accountId === accountId) &&
        says(texts, status.record, asked),
    );
    const strangers = said.filter(({ record }) => !library.has(record.id)).map(({ record }) => record.accountId);
    const authors = await loadAccounts(services, strangers);
    const isIndexable = (author: StoreAccountRecord | undefined) =>
      author?.profile?.indexable === true &&
      (!services.limits.silenced(author.id) || relations(author.id)?.following === true);
    for (const status of said) {
      const { id, accountId: author } = status.record;
      if (matched.length < enough && (library.has(id) || isIndexable(authors.get(author)))) matched.push(status);
    }
  }
  return matched;
}

/** "Phrases" in quotation marks, -words that must not be there, and words. */
function read(question: string): TextQuestion {
  const phrases: string[] = [];
  const without: string[] = [];
  const rest = question
    .replaceAll(/"([^"]*)"/g, (_all, phrase: string) => {
      if (phrase.trim() !== '' && phrases.length < QUERY_WORDS_MAX) phrases.push(comparable(phrase.trim()));
      return ` ${phrase} `;
    })
    .replaceAll(/(?<=^|\s)-(\S+)/g, (_all, word: string) => {
      without.push(...wordsOf(word, QUERY_WORDS_MAX));
      return ' ';
    });
  return { words: wordsOf(rest, QUERY_WORDS_MAX), phrases, without: without.slice(0, QUERY_WORDS_MAX) };
}

/** Judged by the text as it is now: what an index still says of an older one does not count. */
function says(texts: Texts, { id, text, spoilerText }: StoreStatusRecord, asked: TextQuestion): boolean {
  const { words, phrases, without } = asked;
  const has = texts.wordsOf(id, `${spoilerText}\n${text}`);
  if (!words.every((word) => has.has(word)) || without.some((word) => has.has(word))) return false;
  if (phrases.length === 0) return true;
  const compared = comparable(`${spoilerText}\n${text}`);
  return phrases.every((phrase) => compared.includes(phrase));
}

/** The words of what was looked at of late: to take a text apart costs more than all else that is done with it. */
class Texts {
  readonly #kept = new LRUCache<string, { readonly text: string; readonly words: ReadonlySet<string> }>({
    max: TEXTS_MAX,
  });

  wordsOf(id: string, text: string): ReadonlySet<string> {
    const kept = this.#kept.get(id);
    if (kept?.text === text) return kept.words;
    const words = new Set(wordsOf(text, STATUS_WORDS_MAX));
    this.#kept.set(id, { text, words });
    return words;
  }
}

/** For each server in the process, as long as its registry lives. */
const textsOfServers = new WeakMap<object, Texts>();

function textsOf({ registry }: Services): Texts {
  let texts = textsOfServers.get(registry);
  if (texts === undefined) {
    texts = new Texts();
    textsOfServers.set(registry, texts);
  }
  return texts;
}

/** Ids of what the viewer wrote, marked, or is mentioned in. */
async function libraryOf({ tables, clock }: Services, viewer: string): Promise<ReadonlySet<string>> {
  const all = { before: undefined, after: undefined, upwards: false };
  const [own, favourited, bookmarked, notified] = await Promise.all([
    accountCursor(tables, clock, accountStatuses, 'status', viewer, all).next(OWN_MAX),
    accountCursor(tables, clock, favourites, 'mark', viewer, all).next(MARKS_MAX),
    accountCursor(tables, clock, bookmarks, 'mark', viewer, all).next(MARKS_MAX),
    accountCursor(tables, clock, notifications, 'notification', viewer, all).next(MARKS_MAX),
  ]);
  return new Set([
    ...own.flatMap(({ id, value }) => (value.reblogOfId === undefined ? [id] : [])),
    ...[...favourited, ...bookmarked].map(({ value }) => value.statusId),
    ...notified.flatMap(({ value }) => (value.type === 'mention' ? (value.statusId ?? []) : [])),
  ]);
}

/** Ids of public statuses that have all words, by the index, newest first. */
async function indexed({ tables, clock }: Services, { words }: TextQuestion): Promise<string[]> {
  const newest = wordBucket(makeId(clock.nowMs(), 0, 0));
  const lists = await Promise.all(
    words.map(async (word) => {
      const ids: string[] = [];
      for (let back = 0; back < WORD_BUCKETS_MAX && ids.length < WORD_ROWS_MAX; back++) {
        const range = { reverse: true, limit: WORD_ROWS_MAX - ids.length };
        const rows = await tables.range(statusIndex, { word, bucket: newest - back }, range);
        for (const { key } of rows) ids.push(key.status);
      }
      return ids;
    }),
  );
  const [first = [], ...rest] = lists;
  const others = rest.map((list) => new Set(list));
  return first.filter((id) => others.every((set) => set.has(id)));
}
