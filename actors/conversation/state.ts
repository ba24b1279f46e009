import { codec } from '../../proto/codec.js';
import type { StoreMark, StoreStatusRecord } from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';

/**
 * A status of the thread, and the marks on it that the actor holds. Maps are created for the first mark: even an empty
 * lazy map takes 32 bytes, and most statuses have no marks.
 */
export interface ThreadEntry {
  /**
   * The stored record with its counts. For a deleted status it holds only the author and the position in the thread.
   */
  record: StoreStatusRecord;
  readonly children: string[];
  /** Marks that were changed since the last turn, by account or quoting status. */
  marks: LazyMap<string, StoreMark> | undefined;
  /** Marks that were changed between the last two turns, and not since. */
  olderMarks: LazyMap<string, StoreMark> | undefined;
  /** True when some marks have rows in `statusMarks`. */
  turned: boolean;
  /** True when some marks are only in these rows. */
  spilled: boolean;
  /** Number of favourites, reblogs, bookmarks, votes and quotes. */
  markCount: number;
}

/** A reply to a status of the thread that began a conversation of its own. Its id is that conversation's, too. */
export interface Graft {
  readonly replyId: string;
  /** Everybody may see the reply. */
  readonly open: boolean;
}

/** The status of another conversation that a status of the thread answers. */
export interface ParentElsewhere {
  readonly statusId: string;
  readonly parentId: string;
  readonly conversationId: string;
}

export interface ConversationState {
  readonly statuses: LazyMap<string, ThreadEntry>;
  /** Replies that arrived before the status they reply to, by its id. It may still be on its way from its author. */
  orphans: LazyMap<string, string[]> | undefined;
  /** Replies that began conversations of their own, by the id of the status that they answer. */
  grafts?: LazyMap<string, Graft[]> | undefined;
  /** Set if the first status answers one of another conversation that is known. */
  parentElsewhere?: ParentElsewhere | undefined;
  /** Changes of marks since the last turn. */
  changedMarks: number;
  /** The journal entry of the last turn of the marks; 0 before the first. */
  turnedSeq: number;
}

/** Bounds one activation to some 20 MB of statuses. A further reply begins a new conversation. */
export const THREAD_STATUSES_MAX = 10_000;

export function initialConversation(): ConversationState {
  return { statuses: new LazyMap(), orphans: undefined, changedMarks: 0, turnedSeq: 0 };
}

const statusRecords = codec('murmuration.store.StatusRecord');

/** Returns the record with these changes, with the layout of all records (Codec). */
export function changed(record: StoreStatusRecord, changes: Partial<StoreStatusRecord>): StoreStatusRecord {
  return Object.assign(statusRecords.copy(record), changes);
}

export function newEntry(record: StoreStatusRecord, children: string[]): ThreadEntry {
  return {
    record: statusRecords.copy(record),
    children,
    marks: undefined,
    olderMarks: undefined,
    turned: false,
    spilled: false,
    markCount: 0,
  };
}

/** Returns the status, or a refusal if it does not exist or is deleted. */
export function livingStatus(state: Readonly<ConversationState>, id: string): ThreadEntry | Problem {
  const entry = state.statuses.get(id);
  return entry === undefined || entry.record.deleted ? notFound() : entry;
}

export function notFound(): Problem {
  return problem('not_found', 'Record not found');
}

/** Returns the status's parent if that is in this conversation too. */
export function parentOf(state: Readonly<ConversationState>, record: StoreStatusRecord): ThreadEntry | undefined {
  return record.inReplyToId === undefined ? undefined : state.statuses.get(record.inReplyToId);
}

/** Changes the number of replies that everybody may see, so that the count reveals nothing. */
export function countReplies(entry: ThreadEntry, change: 1 | -1): void {
  entry.record = changed(entry.record, { replies: entry.record.replies + change });
}

/** Changes the number of marks, and the counts in the record. */
export function recount(entry: ThreadEntry, change: 1 | 0 | -1, counts?: Partial<StoreStatusRecord>): void {
  entry.markCount += change;
  if (counts !== undefined) entry.record = changed(entry.record, counts);
}
