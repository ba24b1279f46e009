import type { ReadTables } from '../../../store/port.js';
import { conversationsAbove } from '../../conversation/above.js';
import type { ConversationState } from '../../conversation/state.js';
import type { Reaction } from '../../runtime/kind.js';
import { changingCommands } from './changing-commands.js';

/**
 * Wraps a reaction so that its notifications name the conversations above that of their status: a muted conversation
 * includes those that are grafted on it. Without `tables`, none is named.
 */
export function sayingAbove<E>(
  reaction: Reaction<ConversationState, E>,
  tables: Pick<ReadTables, 'get'> | undefined,
): Reaction<ConversationState, E> {
  if (tables === undefined) return reaction;
  return changingCommands(reaction, ({ self, state }, command, input) => {
    const conversation = 'conversationId' in input ? String(input.conversationId) : '';
    if (command !== 'notify' || conversation === '') return input;
    // Nearly all conversations are grafted on none; this one knows, and those of quoted statuses are read.
    if (conversation === self && state.parentElsewhere === undefined) return input;
    return conversationsAbove(tables, conversation).then((ids) =>
      ids.length === 0 ? input : { ...input, above: { ids } },
    );
  });
}
