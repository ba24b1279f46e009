import { GRAFTS_FOLLOWED_MAX } from '../../actors/conversation/graft.js';
import { CONTEXT_MAX } from '../../actors/conversation/thread.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { KnownStatus, RemoteNotes } from '../../actors/federation/remote/port.js';
import type { ConversationOpenStatuses, ConversationThread, StoreStatusRecord } from '../../proto/gen/types.js';
import { statuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { answered } from './visible.js';

/** Statuses of other conversations above a status that one answer shows. Source: Mastodon, ancestors of a context. */
export const GRAFTED_MAX = 100;

/** The dependencies of grafts. */
interface GraftServices extends Pick<Services, 'tables' | 'askConversation'> {
  readonly federation: { readonly notes: Pick<RemoteNotes, 'known'> };
}

/**
 * Returns a thread with the statuses above and below it that other conversations have: a reply begins a conversation if
 * the status that it answers arrives later, or if the thread of that status is full. Statuses may answer each other in a
 * circle across conversations; each has one place. Nothing is fetched, and the caller judges each status. @throws
 * Unavailable
 */
export async function withGrafts(
  services: GraftServices,
  root: StoreStatusRecord,
  thread: ConversationThread,
): Promise<ConversationThread> {
  const followed = new Set([root.conversationId]);
  const above = await statusesAbove(services, root, thread, followed);
  const ancestors = above.length === 0 ? thread.ancestors : [...above, ...thread.ancestors];
  if (thread.grafts.length === 0) return { ...thread, ancestors };
  const shown = new Set([...ancestors, root.id]);
  return { ...thread, ancestors, descendants: await statusesBelow(services, thread, followed, shown) };
}

/**
 * Returns one page of the statuses of a whole conversation that everybody may see, by ascending id, with those of
 * conversations that replies in it began. @throws Unavailable
 */
export async function openWithGrafts(
  { askConversation }: Pick<GraftServices, 'askConversation'>,
  conversationId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Pick<ConversationOpenStatuses, 'ids' | 'more'>> {
  const found = new Set<string>();
  const followed = new Set<string>();
  const waiting = [conversationId];
  let isMore = false;
  for (let id = waiting.shift(); id !== undefined && followed.size <= GRAFTS_FOLLOWED_MAX; id = waiting.shift()) {
    if (followed.has(id)) continue;
    followed.add(id);
    const open = answered(await askConversation(id, 'listOpen', { parentId: '', after, limit }));
    for (const status of open.ids) found.add(status);
    isMore ||= open.more;
    waiting.push(...open.grafts);
  }
  const ids = [...found].sort();
  return { ids: ids.slice(0, limit), more: isMore || ids.length > limit };
}

/** Returns the statuses above a thread, from the root down. Adds their conversations to `followed`. */
async function statusesAbove(
  services: GraftServices,
  root: StoreStatusRecord,
  thread: ConversationThread,
  followed: Set<string>,
): Promise<readonly string[]> {
  let above: string[] = [];
  let first: StoreStatusRecord | undefined = await firstOf(services, thread, root);
  while (followed.size <= GRAFTS_FOLLOWED_MAX && above.length < GRAFTED_MAX) {
    const parent = await parentElsewhere(services, first);
    if (parent === undefined || followed.has(parent.conversationId)) break;
    followed.add(parent.conversationId);
    const { id: statusId, conversationId } = parent;
    const grafted = await services.askConversation(conversationId, 'context', { statusId });
    if (isProblem(grafted)) break;
    above = [...grafted.ancestors, statusId, ...above];
    first = await services.tables.get(statuses, { status: above[0] ?? statusId });
  }
  return above.slice(-GRAFTED_MAX);
}

/** Returns the first status of a thread. */
async function firstOf({ tables }: GraftServices, { ancestors }: ConversationThread, root: StoreStatusRecord) {
  const [id] = ancestors;
  return id === undefined ? root : tables.get(statuses, { status: id });
}

/**
 * Returns the parent of a status that has none in its own conversation. The conversation does not know the parent if it
 * has too many grafts already, or for replies of earlier versions of the program; then its address leads to it.
 */
async function parentElsewhere(
  { federation, tables }: GraftServices,
  status: StoreStatusRecord | undefined,
): Promise<KnownStatus | undefined> {
  if (status === undefined || status.parentGone === true) return undefined;
  const { inReplyToId, remote } = status;
  if (inReplyToId === undefined) return remote?.inReplyToUri ? federation.notes.known(remote.inReplyToUri) : undefined;
  const parent = await tables.get(statuses, { status: inReplyToId });
  return parent?.deleted === false ? parent : undefined;
}

/**
 * Returns the descendants in a thread, with those in other conversations; those further from the thread are left out
 * first. @param shown statuses that have their place already; the result is added
 */
async function statusesBelow(
  services: GraftServices,
  thread: ConversationThread,
  followed: Set<string>,
  shown: Set<string>,
): Promise<readonly string[]> {
  const fresh = (ids: readonly string[]) => ids.filter((id) => shown.size < shown.add(id).size);
  const below = fresh(thread.descendants);
  const waiting = [...thread.grafts];
  let left = GRAFTS_FOLLOWED_MAX;
  for (let id = waiting.shift(); id !== undefined && left > 0 && below.length < CONTEXT_MAX; id = waiting.shift()) {
    const place = below.indexOf(id);
    // A reply that begins a conversation has its id.
    if (place < 0 || followed.has(id)) continue;
    followed.add(id);
    left -= 1;
    const grafted = await services.askConversation(id, 'context', { statusId: id });
    if (isProblem(grafted)) continue;
    below.splice(place + 1, 0, ...fresh(grafted.descendants).slice(0, CONTEXT_MAX - below.length));
    waiting.push(...grafted.grafts);
  }
  return below;
}
