import type * as P from '../../proto/gen/types.js';
import type { KeyOf } from '../../store/table.js';
import { statuses, statusMarks } from '../../store/tables.js';
import { type Problem, problem } from '../domain/problem.js';
import { publicLane } from '../domain/public.js';
import type { RowName } from '../runtime/carried-rows.js';
import type { Ctx } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';
import type { ConversationState, ThreadEntry } from './state.js';

/**
 * One account's favourite, reblog, bookmark and vote on a status. A status that quotes it has a mark of its own,
 * under its id.
 *
 * The state holds the marks that were changed lately, in two generations; older ones are rows (ADR 22). After
 * MARKS_TURN changes the journal records a turn: the younger generation becomes the older one and is written to rows,
 * and the one that was older, whose rows are written by then, leaves the state.
 */
export type Mark = P.StoreMark;

/**
 * Changes of marks between two turns. The state then holds some 400 marks, which take 30 KB of a snapshot; most
 * conversations never have a turn.
 */
export const MARKS_TURN = 256;

/** Changes of marks while the effects of the last turn are not done; past it, marks are refused until they are. */
export const MARKS_UNTURNED_MAX = 8_192;

/** Marks of one status of all kinds: bounds each of its partitions of rows to some 60 MB in Cassandra. */
export const MARKS_MAX = 1_000_000;

const NO_MARK: Mark = {};

/** Returns the key of the row of a mark that left the state. */
export function markKey(
  status: string,
  by: string,
): KeyOf<typeof statusMarks.partition & typeof statusMarks.clustering> {
  return { status, lane: publicLane(by), by };
}

/** Returns the mark if the state holds it. An empty mark means that all its parts have been undone. */
export function heldMark(entry: ThreadEntry, by: string): Mark | undefined {
  return entry.marks?.get(by) ?? entry.olderMarks?.get(by);
}

/**
 * Returns the name of the row that a decision about the mark needs. The older generation may leave the state in the
 * same batch.
 */
export function neededRow(state: Readonly<ConversationState>, statusId: string, by: string): RowName | undefined {
  const entry = state.statuses.get(statusId);
  if (entry?.turned !== true || entry.record.deleted || entry.marks?.has(by) === true) return undefined;
  return { table: statusMarks, key: markKey(statusId, by) };
}

export interface KnownMark {
  readonly mark: Mark;
  /** The mark in its row, for the event to carry; undefined if the state holds it or there is none. */
  readonly earlier: Mark | undefined;
}

/** Returns the mark from the state, or else from the row that was read for the decision. */
export function knownMark(entry: ThreadEntry, by: string, { row }: Pick<Ctx, 'row'>): KnownMark {
  const held = heldMark(entry, by);
  if (held !== undefined || !entry.spilled) return { mark: held ?? NO_MARK, earlier: undefined };
  if (row === undefined) throw new Error(`the row of the mark of ${by} on ${entry.record.id} was not read`);
  return row === null ? { mark: NO_MARK, earlier: undefined } : { mark: row as Mark, earlier: row as Mark };
}

type Turn = { readonly type: 'marksTurned' } & P.ConversationMarksTurned;
const NO_TURN: readonly Turn[] = [];

/**
 * Returns the turn that is due after the next change of a mark, or a refusal while the last turn's effects are not
 * done. The turn comes after the change, which may be of a mark that leaves the state with the turn.
 */
export function dueTurn(state: Readonly<ConversationState>, { seq, settledSeq }: Ctx): readonly Turn[] | Problem {
  if (state.changedMarks < MARKS_TURN) return NO_TURN;
  if (settledSeq >= state.turnedSeq) return [{ type: 'marksTurned', seq }];
  return state.changedMarks < MARKS_UNTURNED_MAX ? NO_TURN : problem('unavailable', 'Too much is done here at once');
}

/** Refuses another mark of a status that has too many. */
export function tooManyMarks(entry: ThreadEntry, what: string): Problem | undefined {
  return entry.markCount < MARKS_MAX ? undefined : problem('limit_reached', `This post takes no more ${what}`);
}

/** Changes a mark. It stays in the state, even when it becomes empty, until its row is the same. */
export function changeMark(
  state: ConversationState,
  entry: ThreadEntry,
  by: string,
  change: Partial<Mark>,
  earlier: Mark | undefined,
): void {
  const mark = { ...(heldMark(entry, by) ?? earlier), ...change };
  entry.olderMarks?.delete(by);
  entry.marks ??= new LazyMap();
  entry.marks.set(by, mark);
  state.changedMarks += 1;
}

/** Removes the older generation from the state; the younger one takes its place. Marks of deleted statuses stay. */
export function turnMarks(state: ConversationState, seq: number): void {
  for (const entry of state.statuses.values()) {
    if (entry.record.deleted) continue;
    if (entry.olderMarks !== undefined) entry.spilled = true;
    if (entry.marks !== undefined) entry.turned = true;
    entry.olderMarks = entry.marks;
    entry.marks = undefined;
  }
  state.changedMarks = 0;
  state.turnedSeq = seq;
}

/** Yields all non-empty marks in the state, by account or quoting status. */
export function* heldMarks(entry: ThreadEntry): Generator<readonly [by: string, mark: Mark]> {
  for (const marks of [entry.olderMarks, entry.marks])
    for (const held of marks ?? []) if (!isNoMark(held[1])) yield held;
}

export function isNoMark({ favouriteId, reblogId, bookmarkId, votes, quote }: Mark): boolean {
  return (favouriteId ?? reblogId ?? bookmarkId ?? votes ?? quote) === undefined;
}

/** The trait `reads` of commands that concern one account's mark on a status. */
export const markOfAccount = (state: Readonly<ConversationState>, { statusId, by }: { statusId: string; by: string }) =>
  neededRow(state, statusId, by);

/** The trait `reads` of commands that concern the quote of a status by another. */
export const markOfQuote = (
  state: Readonly<ConversationState>,
  { statusId, quotingId }: { statusId: string; quotingId: string },
) => neededRow(state, statusId, quotingId);

/** The trait `shows` of commands whose caller reads the status next. */
export const shownStatus = (_id: string, { statusId }: { readonly statusId: string }): readonly RowName[] => [
  { table: statuses, key: { status: statusId } },
];
