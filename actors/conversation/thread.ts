import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import { indexedTags } from '../domain/text/hashtag.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';
import { dropMarks, firstMarks } from './marks-part.js';
import {
  type ConversationState,
  changed,
  countReplies,
  newEntry,
  notFound,
  parentOf,
  THREAD_STATUSES_MAX,
  type ThreadEntry,
} from './state.js';

export interface Commands {
  add: { in: P.ConversationAdd; out: P.AccountEmpty };
  remove: { in: P.ConversationRemove; out: P.AccountEmpty };
  orphanSome: { in: P.ConversationOrphanSome; out: P.AccountEmpty };
  context: { in: P.ConversationContext; out: P.ConversationThread };
  listOpen: { in: P.ConversationListOpen; out: P.ConversationOpenStatuses };
}
export interface Events {
  added: P.ConversationAdded;
  removed: P.ConversationRemoved;
  someOrphaned: P.ConversationOrphanSome;
}

/** Ancestors in one context, and descendants. Source: Mastodon StatusesController, 4,096. */
export const CONTEXT_MAX = 4_096;

/** Replies whose rows are written before the reply when their parent is deleted. Further rows are written after it. */
export const ORPHANED_AT_ONCE_MAX = 100;

/** The reply tree. */
export const thread: Slice<ConversationState, Commands, Events> = {
  decide: {
    add(state, { status, parentConversationId }) {
      if (status === undefined) return problem('bad_request', 'No status');
      if (state.statuses.has(status.id)) return { events: [], reply: {} };
      if (state.statuses.size >= THREAD_STATUSES_MAX) return problem('limit_reached', 'The conversation is full');
      return { events: [{ type: 'added', status, parentConversationId }], reply: {} };
    },
    remove(state, { statusId, by, discardMedia }, { nowMs }) {
      const entry = state.statuses.get(statusId);
      if (entry?.record.accountId !== by) return notFound();
      const { record } = entry;
      if (record.deleted) return { events: [], reply: {} };
      const { media, quote, mentions } = record;
      const tags = indexedTags(record);
      // Marks that are only in rows are removed first; see `unmarkSome`.
      const marks = entry.spilled ? { unmarked: [], marksLeft: true } : firstMarks(entry);
      const gone = { tags, media, discardMedia, quote, mentions, reblogs: record.reblogs, ...marks };
      return { events: [{ type: 'removed', statusId, by, atMs: nowMs, ...gone }], reply: {} };
    },
    orphanSome(state, some) {
      return state.statuses.get(some.statusId)?.record.deleted === true
        ? { events: [{ type: 'someOrphaned', ...some }], reply: {} }
        : notFound();
    },
    context(state, { statusId }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || entry.record.deleted) return notFound();
      return { events: [], reply: { ancestors: ancestors(state, entry), ...descendants(state, entry) } };
    },
    listOpen: (state, asked) => ({ events: [], reply: openStatuses(state, asked) }),
  },
  apply: {
    added(state, { status, parentConversationId }) {
      if (status === undefined) return;
      if (parentConversationId !== undefined && status.inReplyToId !== undefined) {
        const { id: statusId, inReplyToId: parentId } = status;
        state.parentElsewhere = { statusId, parentId, conversationId: parentConversationId };
      }
      const children = state.orphans?.get(status.id) ?? [];
      state.orphans?.delete(status.id);
      const entry = newEntry(status, children);
      state.statuses.set(status.id, entry);
      for (const child of children) {
        const reply = state.statuses.get(child)?.record;
        if (reply?.deleted === false) countReply(entry, reply, 1);
      }
      for (const graft of state.grafts?.get(status.id) ?? []) if (graft.open) countReplies(entry, 1);
      const parent = parentOf(state, status);
      if (parent?.record.deleted === true) entry.record = changed(entry.record, { parentGone: true });
      if (parent === undefined && status.inReplyToId !== undefined) {
        state.orphans ??= new LazyMap();
        state.orphans.set(status.inReplyToId, [...(state.orphans.get(status.inReplyToId) ?? []), status.id]);
      }
      parent?.children.push(status.id);
      countReply(parent, status, 1);
    },
    removed(state, { statusId, unmarked, marksLeft }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      countReply(parentOf(state, entry.record), entry.record, -1);
      entry.record = tombstone(entry.record);
      entry.markCount = 0;
      dropMarks(entry, unmarked, marksLeft);
      for (const id of entry.children) {
        const reply = state.statuses.get(id);
        if (reply !== undefined) reply.record = changed(reply.record, { parentGone: true });
      }
    },
    someOrphaned() {},
  },
  commands: {
    add: {
      in: codec('murmuration.conversation.Add'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
    remove: {
      in: codec('murmuration.conversation.Remove'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
    orphanSome: {
      in: codec('murmuration.conversation.OrphanSome'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    context: {
      in: codec('murmuration.conversation.Context'),
      out: codec('murmuration.conversation.Thread'),
      repeats: 'query',
      local: true,
    },
    listOpen: {
      in: codec('murmuration.conversation.ListOpen'),
      out: codec('murmuration.conversation.OpenStatuses'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    added: { codec: codec('murmuration.conversation.Added'), invalidates: false },
    removed: { codec: codec('murmuration.conversation.Removed'), invalidates: true, forgets: true },
    someOrphaned: { codec: codec('murmuration.conversation.OrphanSome'), invalidates: false },
  },
};

/** Counts only replies that everybody may see. Source: Mastodon Status#increment_count!. */
function countReply(parent: ThreadEntry | undefined, reply: P.StoreStatusRecord, delta: 1 | -1): void {
  if (parent !== undefined && isOpen(reply)) countReplies(parent, delta);
}

function tombstone(record: P.StoreStatusRecord): P.StoreStatusRecord {
  return changed(record, {
    text: '',
    html: '',
    spoilerText: '',
    mentions: [],
    tags: [],
    poll: undefined,
    appName: undefined,
    appWebsite: undefined,
    media: undefined,
    card: undefined,
    quote: undefined,
    quotes: undefined,
    favourites: 0,
    reblogs: 0,
    deleted: true,
  });
}

/**
 * Returns the ancestors of a status. A deletion divides the thread: a reply to a deleted status has no parent. Source:
 * Mastodon, nullified.
 */
function ancestors(state: Readonly<ConversationState>, from: ThreadEntry): string[] {
  const found: string[] = [];
  for (let entry = parentOf(state, from.record); entry !== undefined; entry = parentOf(state, entry.record)) {
    if (entry.record.deleted || found.length === CONTEXT_MAX) break;
    found.push(entry.record.id);
  }
  return found.reverse();
}

/**
 * Returns the descendants depth first, without recursion, because threads may be thousands deep; and those among them
 * that began conversations of their own.
 */
function descendants(state: Readonly<ConversationState>, from: ThreadEntry): Omit<P.ConversationThread, 'ancestors'> {
  const found: string[] = [];
  const grafts: string[] = [];
  const waiting = repliesTo(state, from).toReversed();
  for (let id = waiting.pop(); id !== undefined && found.length < CONTEXT_MAX; id = waiting.pop()) {
    const entry = state.statuses.get(id);
    if (entry?.record.deleted === true) continue;
    found.push(id);
    if (entry === undefined) grafts.push(id);
    else waiting.push(...repliesTo(state, entry).toReversed());
  }
  return { descendants: found, grafts };
}

/** Returns the replies to a status, those of other conversations last. */
function repliesTo({ grafts }: Readonly<ConversationState>, { record, children }: ThreadEntry): readonly string[] {
  const elsewhere = grafts?.get(record.id);
  return elsewhere === undefined ? children : [...children, ...elsewhere.map(({ replyId }) => replyId)];
}

export const isOpen = ({ visibility }: P.StoreStatusRecord): boolean =>
  visibility === 'public' || visibility === 'unlisted';

/**
 * Returns the answers to a status, or all statuses, that are public or unlisted, with the replies that began conversations
 * of their own: one page by ascending id.
 */
function openStatuses(
  { statuses, grafts }: Readonly<ConversationState>,
  { parentId, after, limit }: P.ConversationListOpen,
): P.ConversationOpenStatuses {
  const among = parentId === '' ? statuses.keys() : (statuses.get(parentId)?.children ?? []);
  const elsewhere = parentId === '' ? [...(grafts?.values() ?? [])].flat() : (grafts?.get(parentId) ?? []);
  const ids: string[] = [];
  for (const id of among) {
    const record = statuses.get(id)?.record;
    if (id > after && record?.deleted === false && isOpen(record)) ids.push(id);
  }
  for (const { replyId, open } of elsewhere) if (open && replyId > after) ids.push(replyId);
  ids.sort();
  const begun = parentId === '' ? elsewhere.slice(0, limit).map(({ replyId }) => replyId) : [];
  return { ids: ids.slice(0, limit), more: ids.length > limit, grafts: begun };
}
