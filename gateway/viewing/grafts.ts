import { isProblem } from '../../actors/domain/problem.js';
import type { RemoteNotes } from '../../actors/federation/remote/port.js';
import type { ConversationThread, StoreStatusRecord } from '../../proto/gen/types.js';
import { statuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';

/** Other conversations above a status that one answer shows. */
export const GRAFTS_MAX = 8;
/** Statuses of other conversations above a status that one answer shows. Source: Mastodon, ancestors of a context. */
export const GRAFTED_MAX = 100;

/** The dependencies of grafts. */
interface GraftServices extends Pick<Services, 'tables' | 'askConversation'> {
  readonly federation: { readonly notes: Pick<RemoteNotes, 'known'> };
}

/**
 * Returns a thread with the statuses above it that other conversations have: a status of another server begins a
 * conversation if its parent is not known, and the parent may arrive later. Nothing is fetched. @throws Unavailable
 */
export async function withGrafts(
  services: GraftServices,
  root: StoreStatusRecord,
  thread: ConversationThread,
): Promise<ConversationThread> {
  let above: string[] = [];
  let first: StoreStatusRecord | undefined = await firstOf(services, thread, root);
  const followed = new Set([root.conversationId]);
  while (followed.size <= GRAFTS_MAX && above.length < GRAFTED_MAX) {
    const parent = await parentElsewhere(services, first);
    if (parent === undefined || followed.has(parent.conversationId)) break;
    followed.add(parent.conversationId);
    const { id: statusId, conversationId } = parent;
    const grafted = await services.askConversation(conversationId, 'context', { statusId });
    if (isProblem(grafted)) break;
    above = [...grafted.ancestors, statusId, ...above];
    first = await services.tables.get(statuses, { status: above[0] ?? statusId });
  }
  return above.length === 0 ? thread : { ...thread, ancestors: [...above.slice(-GRAFTED_MAX), ...thread.ancestors] };
}

/** Returns the first status of a thread. */
async function firstOf({ tables }: GraftServices, { ancestors }: ConversationThread, root: StoreStatusRecord) {
  const [id] = ancestors;
  return id === undefined ? root : tables.get(statuses, { status: id });
}

/** Returns the known parent of a status that has none in its own conversation. */
async function parentElsewhere({ federation }: GraftServices, status: StoreStatusRecord | undefined) {
  if (status?.inReplyToId !== undefined || !status?.remote?.inReplyToUri) return undefined;
  return federation.notes.known(status.remote.inReplyToUri);
}
