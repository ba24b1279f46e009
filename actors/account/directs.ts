import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { isWelcome, type PolicyState, reception } from './notification-policy.js';

export interface Commands {
  hearDirect: { in: P.AccountHearDirect; out: P.AccountEmpty };
  directs: { in: P.AccountEdgeBounds; out: P.AccountDirects };
  readDirect: { in: P.AccountDirectId; out: P.AccountDirect };
  unreadDirect: { in: P.AccountDirectId; out: P.AccountDirect };
  deleteDirect: { in: P.AccountDirectId; out: P.AccountEmpty };
}
export interface Events {
  directHeard: P.AccountDirectHeard;
  directRead: P.AccountDirectRead;
  directUnread: P.AccountDirectRead;
  directDeleted: P.AccountDirectDeleted;
}
export interface State extends PolicyState {
  /** Direct conversations by thread and participants, in the order of the latest status. At most DIRECTS_MAX. */
  readonly directs: LazyMap<string, P.AccountDirect>;
}

/** Bounds one activation's memory to some megabytes. The conversation with the oldest latest status is dropped. */
export const DIRECTS_MAX = 2_000;
/** Latest statuses stored for one conversation. If the last is deleted, the one before is shown. */
export const DIRECT_STATUSES_MAX = 20;
/** Participants stored for one conversation. A status mentions fewer. */
export const DIRECT_ACCOUNTS_MAX = 100;

/** Direct conversations: the direct statuses of one thread among the owner and the same other accounts. */
export const directs: Slice<State, Commands, Events> = {
  decide: {
    hearDirect(state, { conversationId, statusId, from, accounts, answers, limited }, { self, nowMs, newId }) {
      const isOwn = from === self;
      const way = isOwn ? 'accept' : reception(state, { type: 'mention', from, direct: true, answers, limited }, nowMs);
      if (way === 'drop' || !(isOwn || isWelcome(state, from, nowMs))) return { events: [], reply: {} };
      const others = accounts.filter((account) => account !== self).slice(0, DIRECT_ACCOUNTS_MAX);
      const known = state.directs.get(keyOf(conversationId, others));
      if (known?.statusIds.includes(statusId)) return { events: [], reply: {} };
      const hidden = way === 'filter' && (known === undefined || known.hiddenFrom !== undefined);
      const event = { id: known?.id ?? newId(), conversationId, statusId, from, accounts: others, hidden };
      return { events: [{ type: 'directHeard', ...event, unread: !isOwn }], reply: {} };
    },
    directs(state, bounds) {
      const edges: Edge[] = [];
      for (const direct of state.directs.values()) {
        const edgeId = direct.statusIds[direct.statusIds.length - 1];
        if (edgeId !== undefined && !isHidden(state, direct)) add(edges, { edgeId, direct });
      }
      const page = edgePage(edges, bounds);
      return { events: [], reply: { directs: page.edges.map(({ direct }) => direct), more: page.more } };
    },
    readDirect(state, { id }) {
      const found = named(state, id);
      if (found === undefined) return missing();
      const reply = { ...found, unread: false };
      return { events: found.unread ? [{ type: 'directRead', id }] : [], reply };
    },
    unreadDirect(state, { id }) {
      const found = named(state, id);
      if (found === undefined) return missing();
      const reply = { ...found, unread: true };
      return { events: found.unread ? [] : [{ type: 'directUnread', id }], reply };
    },
    deleteDirect(state, { id }) {
      return named(state, id) === undefined ? missing() : { events: [{ type: 'directDeleted', id }], reply: {} };
    },
  },
  apply: {
    directHeard(state, { id, conversationId, statusId, from, accounts, unread, hidden }) {
      const key = keyOf(conversationId, accounts);
      const statusIds = [...(state.directs.get(key)?.statusIds ?? []), statusId].sort().slice(-DIRECT_STATUSES_MAX);
      state.directs.delete(key);
      state.directs.set(key, {
        id,
        conversationId,
        accounts,
        statusIds,
        unread,
        hiddenFrom: hidden ? from : undefined,
      });
      const oldest = state.directs.keys().next();
      if (state.directs.size > DIRECTS_MAX && !oldest.done) state.directs.delete(oldest.value);
    },
    directRead: (state, { id }) => marked(state, id, false),
    directUnread: (state, { id }) => marked(state, id, true),
    directDeleted(state, { id }) {
      for (const [key, direct] of state.directs) if (direct.id === id) state.directs.delete(key);
    },
  },
  commands: {
    hearDirect: {
      in: codec('murmuration.account.HearDirect'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'ignores',
    },
    directs: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.Directs'),
      repeats: 'query',
      local: true,
    },
    readDirect: {
      in: codec('murmuration.account.DirectId'),
      out: codec('murmuration.account.Direct'),
      repeats: 'idempotent',
      local: true,
    },
    unreadDirect: {
      in: codec('murmuration.account.DirectId'),
      out: codec('murmuration.account.Direct'),
      repeats: 'idempotent',
      local: true,
    },
    deleteDirect: {
      in: codec('murmuration.account.DirectId'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
    },
  },
  events: {
    directHeard: { codec: codec('murmuration.account.DirectHeard'), invalidates: false },
    directRead: { codec: codec('murmuration.account.DirectRead'), invalidates: false },
    directUnread: { codec: codec('murmuration.account.DirectRead'), invalidates: false },
    directDeleted: { codec: codec('murmuration.account.DirectDeleted'), invalidates: false },
  },
};

interface Edge {
  readonly edgeId: string;
  readonly direct: P.AccountDirect;
}

/** Inserts the edge in the order of the latest status. Statuses mostly arrive in that order, so the search is rare. */
function add(edges: Edge[], edge: Edge): void {
  const last = edges[edges.length - 1];
  if (last === undefined || last.edgeId <= edge.edgeId) {
    edges.push(edge);
    return;
  }
  let [low, high] = [0, edges.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] as Edge).edgeId <= edge.edgeId) low = middle + 1;
    else high = middle;
  }
  edges.splice(low, 0, edge);
}

function marked(state: State, id: string, unread: boolean): void {
  for (const [key, direct] of state.directs) if (direct.id === id) state.directs.set(key, { ...direct, unread });
}

/**
 * True while a stranger's conversation waits with their notifications, until the owner accepts, follows or answers
 * them.
 */
function isHidden(state: Readonly<PolicyState>, { hiddenFrom }: P.AccountDirect): boolean {
  if (hiddenFrom === undefined || state.permitted.has(hiddenFrom)) return false;
  return state.following.get(hiddenFrom)?.pending !== false;
}

function named(state: Readonly<State>, id: string): P.AccountDirect | undefined {
  for (const direct of state.directs.values())
    if (direct.id === id) return isHidden(state, direct) ? undefined : direct;
  return undefined;
}

const keyOf = (conversationId: string, accounts: readonly string[]) =>
  `${conversationId} ${accounts.toSorted().join(',')}`;
const missing = () => problem('not_found', 'Record not found');
