import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type RelationState, relationTo } from './relations.js';

export interface Commands {
  writeNote: { in: P.AccountWriteNote; out: P.AccountRelation };
}
export interface Events {
  noteWritten: P.AccountNoteWritten;
}

/** Source: Mastodon AccountNote::COMMENT_SIZE_LIMIT. */
export const PERSONAL_NOTE_CHARS_MAX = 2_000;
/** Characters of all notes of an account together. Bounds one activation's memory to about a megabyte. */
export const PERSONAL_NOTES_CHARS_MAX = 500_000;
/** Accounts with notes. Bounds the memory of many short ones. */
export const PERSONAL_NOTES_MAX = 5_000;

/** The owner's private notes about other accounts. */
export const personalNotes: Slice<RelationState, Commands, Events> = {
  decide: {
    writeNote(state, command, { self, nowMs }) {
      const { target } = command;
      const comment = command.comment.trim();
      if (target === self) return problem('forbidden', 'This action is not allowed');
      const known = state.notes.get(target) ?? '';
      const reply = { ...relationTo(state, target, nowMs), note: comment };
      if (comment === known) return { events: [], reply };
      if (comment.length > PERSONAL_NOTE_CHARS_MAX) {
        const description = `is too long (maximum is ${PERSONAL_NOTE_CHARS_MAX} characters)`;
        const fields = { comment: [{ error: 'ERR_TOO_LONG', description }] };
        return problem('invalid', `Validation failed: Comment ${description}`, fields);
      }
      if (comment.length > known.length && isFull(state, comment.length - known.length))
        return problem('limit_reached', 'Validation failed: You have too many notes about others');
      return { events: [{ type: 'noteWritten', target, comment }], reply };
    },
  },
  apply: {
    noteWritten(state, { target, comment }) {
      if (comment === '') state.notes.delete(target);
      else state.notes.set(target, comment);
    },
  },
  commands: {
    writeNote: {
      in: codec('murmuration.account.WriteNote'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: { noteWritten: { codec: codec('murmuration.account.NoteWritten'), invalidates: false, forgets: true } },
};

function isFull({ notes }: Readonly<RelationState>, more: number): boolean {
  let chars = more;
  for (const comment of notes.values()) chars += comment.length;
  return notes.size >= PERSONAL_NOTES_MAX || chars > PERSONAL_NOTES_CHARS_MAX;
}
