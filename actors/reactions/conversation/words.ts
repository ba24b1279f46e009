import type { ReadTables } from '../../../store/port.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import type { Reaction } from '../../runtime/kind.js';
import { rewordedRows } from '../word-rows.js';

/** Updates the search index after an edit. The author's actor writes the first index rows. */
export function conversationWords(tables: Pick<ReadTables, 'range'>): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'words',
    beforeReply: true,
    on: {
      async edited({ statusId }, { state }, effects) {
        const record = state.statuses.get(statusId)?.record;
        if (record === undefined || record.deleted) return;
        const rows = await rewordedRows(tables, record);
        if (rows.length > 0) await effects.write(rows);
      },
    },
  };
}
