import { codec } from '../../proto/codec.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';

/** One account's reblog of one status. */
export interface Reblog {
  readonly id: string;
  readonly visibility: string;
  readonly atMs: number;
}

/** A status that quotes one of the thread. */
export interface QuoteOf {
  readonly by: string;
  /** Its own conversation. */
  readonly conversationId: string;
  /** Anybody may see it. */
  readonly listed: boolean;
  readonly revoked: boolean;
}

/**
 * A status of the thread with everything that was done to it. What was done to a deleted one stays as it was. An empty
 * map takes some 250 bytes, and most statuses need none of these: they come with what is first done.
 */
export interface Entry {
  /** With its counts; of a deleted status only who wrote it where. */
  record: StoreStatusRecord;
  readonly children: string[];
  /** Mark ids by account. */
  favourites: Map<string, string> | undefined;
  /** By account. */
  reblogs: Map<string, Reblog> | undefined;
  /** Mark ids by account. */
  bookmarks: Map<string, string> | undefined;
  /** Chosen options of its poll by account. */
  votes: Map<string, readonly number[]> | undefined;
  /** By the quoting status' id. */
  quotes: Map<string, QuoteOf> | undefined;
}

export interface ConversationState {
  readonly statuses: Map<string, Entry>;
  /** Replies that came before what they answer, by its id: an author's status may still be on its way here. */
  orphans: Map<string, string[]> | undefined;
  /** Favourites, reblogs, bookmarks, votes and quotes of all statuses. */
  marks: number;
}

/** Bounds one activation to some 20 MB of statuses; a reply past it begins a conversation of its own. */
export const THREAD_STATUSES_MAX = 10_000;
/** Favourites, reblogs, bookmarks, votes and quotes of all its statuses: bounds one activation to some 50 MB of them. */
export const MARKS_MAX = 300_000;

export function initialConversation(): ConversationState {
  return { statuses: new Map(), orphans: undefined, marks: 0 };
}

const statusRecords = codec('murmuration.store.StatusRecord');

/** The record with these changes, laid out as all records are (Codec). */
export function changed(record: StoreStatusRecord, changes: Partial<StoreStatusRecord>): StoreStatusRecord {
  return Object.assign(statusRecords.copy(record), changes);
}

export function newEntry(record: StoreStatusRecord, children: string[]): Entry {
  return {
    record: statusRecords.copy(record),
    children,
    favourites: undefined,
    reblogs: undefined,
    bookmarks: undefined,
    votes: undefined,
    quotes: undefined,
  };
}

/** The status, unless it was never here or is deleted. */
export function livingStatus(state: Readonly<ConversationState>, id: string): Entry | Problem {
  const entry = state.statuses.get(id);
  return entry === undefined || entry.record.deleted ? notFound() : entry;
}

export function notFound(): Problem {
  return problem('not_found', 'Record not found');
}

/** The status's parent if that is in this conversation too. */
export function parentOf(state: Readonly<ConversationState>, record: StoreStatusRecord): Entry | undefined {
  return record.inReplyToId === undefined ? undefined : state.statuses.get(record.inReplyToId);
}

/** Brings the record's counts to what the entry holds. */
export function recount(entry: Entry): void {
  const counts = { favourites: entry.favourites?.size ?? 0, reblogs: entry.reblogs?.size ?? 0 };
  entry.record = changed(entry.record, counts);
}
