import type { ReadTables } from '../../store/port.js';
import { statuses } from '../../store/tables.js';
import { GRAFTS_FOLLOWED_MAX } from './graft.js';

/**
 * Returns the conversations that a conversation is grafted on, nearest first. A deleted status still joins them, so that
 * a conversation that is muted stays so. @throws Unavailable
 */
export async function conversationsAbove(tables: Pick<ReadTables, 'get'>, conversation: string): Promise<string[]> {
  const above = new Set([conversation]);
  for (let at = conversation; above.size <= GRAFTS_FOLLOWED_MAX; ) {
    // The first status of a conversation has its id.
    const first = await tables.get(statuses, { status: at });
    if (first?.inReplyToId === undefined) break;
    const parent = await tables.get(statuses, { status: first.inReplyToId });
    if (parent === undefined || above.has(parent.conversationId)) break;
    at = parent.conversationId;
    above.add(at);
  }
  return [...above].slice(1);
}
