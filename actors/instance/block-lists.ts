import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { State } from './entries.js';

export interface Commands {
  /** Records the outcome of reading a list. It is no act of a person, so the audit log does not have it. */
  noteReading: { in: P.InstanceNoteReading; out: P.InstanceEmpty };
}
export interface Events {
  listRead: P.InstanceListRead;
}

/** Name of the collection of subscriptions: their keys are the addresses of the lists. */
export const BLOCK_LISTS = 'block_lists';

/** `apply`: changes take effect at once. `draft`: an operator applies them. */
export const LIST_POLICIES: readonly string[] = ['apply', 'draft'];

/** Subscriptions to lists of domain blocks. Operators begin and end them as entries. */
export const blockLists: Slice<State, Commands, Events> = {
  decide: {
    noteReading(state, { id, reading }, { nowMs }) {
      if (reading === undefined || state.entries.get(BLOCK_LISTS)?.get(id)?.blockList === undefined)
        return problem('not_found', 'Record not found');
      return { events: [{ type: 'listRead', id, reading, atMs: nowMs }], reply: {} };
    },
  },
  apply: {
    listRead({ entries }, { id, reading, atMs }) {
      const held = entries.get(BLOCK_LISTS);
      const entry = held?.get(id);
      if (entry?.blockList === undefined || reading === undefined) return;
      held?.set(id, { ...entry, updatedAtMs: atMs, blockList: { ...entry.blockList, reading } });
    },
  },
  commands: {
    noteReading: {
      in: codec('murmuration.instance.NoteReading'),
      out: codec('murmuration.instance.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: { listRead: { codec: codec('murmuration.instance.ListRead'), invalidates: true } },
};
