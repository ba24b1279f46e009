import { codec } from '../../proto/codec.js';
import type { StoreMark, StoreStatusRecord } from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';

/**
 * A status of the thread and the marks on it that the actor holds. An empty map takes some 250 bytes, and most statuses
 * have no marks: maps are made for the first one.
 */
export interface Entry {
  /** With its counts; for a deleted status only who wrote it where. */
  record: StoreStatusRecord;
  readonly children: string[];
  /** Marks that were changed since the last turn, by account or quoting status. */
  marks: Map<string, StoreMark> | undefined;
  /** Marks that were changed between the last two turns, and not since. */
  olderMarks: Map<string, StoreMark> | undefined;
  /** Some marks have rows in `statusMarks`. */
  turned: boolean;
  /** Some marks are only in these rows. */
  spilled: boolean;
  /** Favourites, reblogs, bookmarks, votes and quotes. */
  markCount: number;
}

export interface ConversationState {
  readonly statuses: Map<string, Entry>;
  /** Replies that came before what they answer, by its id: an author's status may still be on its way here. */
  orphans: Map<string, string[]> | undefined;
  /** Changes of marks since the last turn. */
  changedMarks: number;
  /** The journal entry of the last turn of the marks; 0 before the first. */
  turnedSeq: number;
}

/** Bounds one activation to some 20 MB of statuses; a reply past it begins a conversation of its own. */
export const THREAD_STATUSES_MAX = 10_000;

export function initialConversation(): ConversationState {
  return { statuses: new Map(), orphans: undefined, changedMarks: 0, turnedSeq: 0 };
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
    marks: undefined,
    olderMarks: undefined,
    turned: false,
    spilled: false,
    markCount: 0,
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

/** The status has so many marks more, or fewer, which these counts of the record tell. */
export function recount(entry: Entry, change: 1 | 0 | -1, counts?: Partial<StoreStatusRecord>): void {
  entry.markCount += change;
  if (counts !== undefined) entry.record = changed(entry.record, counts);
}
