import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { invalidField, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  addModerationNote: { in: P.AccountAddModerationNote; out: P.AccountModerationNote };
  removeModerationNote: { in: P.AccountRemoveModerationNote; out: P.AccountEmpty };
}
export interface Events {
  moderationNoteAdded: P.AccountModerationNote;
  moderationNoteRemoved: P.AccountModerationNoteRemoved;
}
export interface State {
  /** Oldest first. Undefined before the first note, and in snapshots of versions before format 2. */
  moderationNotes: readonly P.AccountModerationNote[] | undefined;
}

/** Notes about one account: as many as a moderator reads before a decision. */
export const MODERATION_NOTES_MAX = 100;
/** Longest note. Source: Mastodon AccountModerationNote::CONTENT_SIZE_LIMIT. */
export const MODERATION_NOTE_CHARS_MAX = 2_000;

/** The format (cluster/format.ts) that introduced the notes. */
const since = 2;

/** Moderators' notes about an account, for each other. The gateway checks their permissions. */
export const moderationNotes: Slice<State, Commands, Events> = {
  decide: {
    addModerationNote({ moderationNotes: known = [] }, { by, text }, { nowMs, newId }) {
      const trimmed = text.trim();
      if (trimmed === '') return invalidField('content', 'Content', "can't be blank");
      if (trimmed.length > MODERATION_NOTE_CHARS_MAX)
        return invalidField('content', 'Content', `is too long (maximum is ${MODERATION_NOTE_CHARS_MAX} characters)`);
      if (known.length >= MODERATION_NOTES_MAX)
        return problem('limit_reached', `An account can have ${MODERATION_NOTES_MAX} notes`);
      const note = { id: newId(), by, text: trimmed, atMs: nowMs };
      return { events: [{ type: 'moderationNoteAdded', ...note }], reply: note };
    },
    removeModerationNote({ moderationNotes: known = [] }, { id, by }, { newId }) {
      if (!known.some((note) => note.id === id)) return { events: [], reply: {} };
      return { events: [{ type: 'moderationNoteRemoved', id, by, auditId: newId() }], reply: {} };
    },
  },
  apply: {
    moderationNoteAdded(state, { id, by, text, atMs }) {
      state.moderationNotes = [...(state.moderationNotes ?? []), { id, by, text, atMs }];
    },
    moderationNoteRemoved(state, { id }) {
      state.moderationNotes = state.moderationNotes?.filter((note) => note.id !== id);
    },
  },
  commands: {
    addModerationNote: {
      in: codec('murmuration.account.AddModerationNote'),
      out: codec('murmuration.account.ModerationNote'),
      repeats: 'keyed',
      local: true,
      remote: 'answers',
      since,
    },
    removeModerationNote: {
      in: codec('murmuration.account.RemoveModerationNote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
      since,
    },
  },
  events: {
    moderationNoteAdded: { codec: codec('murmuration.account.ModerationNote'), invalidates: false, since },
    moderationNoteRemoved: {
      codec: codec('murmuration.account.ModerationNoteRemoved'),
      invalidates: false,
      forgets: true,
      since,
    },
  },
};
