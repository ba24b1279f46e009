import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import { PUBLIC_LANES } from '../domain/public.js';
import type { Slice } from '../runtime/slice.js';
import { heldMark, heldMarks, turnMarks } from './marks.js';
import { type ConversationState, livingStatus, notFound, type ThreadEntry } from './state.js';

export interface Commands {
  unmarkSome: { in: P.ConversationUnmarkSome; out: P.AccountEmpty };
  noticeSome: { in: P.ConversationNoticeSome; out: P.AccountEmpty };
}
export interface Events {
  marksTurned: P.ConversationMarksTurned;
  someUnmarked: P.ConversationSomeUnmarked;
  someNoticed: P.ConversationNoticeSome;
}
/** Events that commands which change a mark may record in addition. */
export type TurnEvents = Pick<Events, 'marksTurned'>;

/** Marks that one journal entry removes: some 800 rows and 100 commands to other actors. */
export const UNMARKED_AT_ONCE_MAX = 100;
/** Accounts that one journal entry notifies. */
export const NOTICED_AT_ONCE_MAX = 100;
/** The lane after those of rows: the marks in the state. */
export const STATE_LANE = PUBLIC_LANES;

/** Operations on all marks of a status, in steps. Each step is a journal entry. */
export const marksPart: Slice<ConversationState, Commands, Events> = {
  decide: {
    unmarkSome(state, { statusId, lane, after, marks }) {
      const entry = state.statuses.get(statusId);
      if (entry?.record.deleted !== true) return notFound();
      if (lane < STATE_LANE) {
        // The state is newer for these marks, and removes them last.
        const unmarked = marks.filter(({ id }) => heldMark(entry, id) === undefined);
        return { events: [{ type: 'someUnmarked', statusId, lane, after, unmarked, marksLeft: true }], reply: {} };
      }
      const { unmarked, marksLeft } = firstMarks(entry);
      return { events: [{ type: 'someUnmarked', statusId, lane, after: '', unmarked, marksLeft }], reply: {} };
    },
    noticeSome(state, some) {
      const entry = livingStatus(state, some.statusId);
      return isProblem(entry) ? entry : { events: [{ type: 'someNoticed', ...some }], reply: {} };
    },
  },
  apply: {
    marksTurned: (state, { seq }) => turnMarks(state, seq),
    someUnmarked(state, { statusId, unmarked, marksLeft }) {
      const entry = state.statuses.get(statusId);
      if (entry !== undefined) dropMarks(entry, unmarked, marksLeft);
    },
    someNoticed() {},
  },
  commands: {
    unmarkSome: {
      in: codec('murmuration.conversation.UnmarkSome'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    noticeSome: {
      in: codec('murmuration.conversation.NoticeSome'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    marksTurned: { codec: codec('murmuration.conversation.MarksTurned'), invalidates: false },
    someUnmarked: { codec: codec('murmuration.conversation.SomeUnmarked'), invalidates: false },
    someNoticed: { codec: codec('murmuration.conversation.NoticeSome'), invalidates: false },
  },
};

/** Returns the next marks in the state that are to be removed. */
export function firstMarks(entry: ThreadEntry): { unmarked: P.ConversationMarkOf[]; marksLeft: boolean } {
  const unmarked: P.ConversationMarkOf[] = [];
  for (const [id, mark] of heldMarks(entry)) {
    if (unmarked.length === UNMARKED_AT_ONCE_MAX) return { unmarked, marksLeft: true };
    unmarked.push({ id, mark });
  }
  return { unmarked, marksLeft: false };
}

/** Removes marks of a deleted status from the state. */
export function dropMarks(entry: ThreadEntry, unmarked: readonly P.ConversationMarkOf[], marksLeft: boolean): void {
  for (const { id } of unmarked) {
    entry.marks?.delete(id);
    entry.olderMarks?.delete(id);
  }
  if (marksLeft) return;
  entry.marks = undefined;
  entry.olderMarks = undefined;
}
