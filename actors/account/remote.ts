import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { knownUris } from '../../store/federation-tables.js';
import { problem } from '../domain/problem.js';
import { uriKey } from '../domain/text/uri-key.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { type State as CollectionsState, deletion } from './collections.js';
import type { State as MovesState } from './moves.js';
import type { State as PostState } from './post.js';
import { type Ended, ended, type State as PurgeState } from './purge.js';
import type { State as RegisterState } from './register.js';
import { knownAt } from './remote-collections.js';
import type { OriginState } from './standing.js';

export interface Commands {
  describe: { in: P.RemoteDescribe; out: P.AccountEmpty };
  receive: { in: P.RemoteReceive; out: P.RemoteReception };
  reviseReceived: { in: P.RemoteReviseReceived; out: P.AccountEmpty };
  forgetReceived: { in: P.RemoteForgetReceived; out: P.AccountEmpty };
  vanish: { in: P.AccountEmpty; out: P.AccountEmpty };
}
export interface Events {
  described: P.RemoteDescribed;
  received: P.RemoteReceived;
  receivedRevised: P.RemoteReceivedRevised;
  receivedForgotten: P.RemoteReceivedForgotten;
}
export type State = MovesState &
  Pick<CollectionsState, 'collections'> &
  OriginState &
  RegisterState &
  PostState &
  PurgeState &
  ReceivedState;
interface ReceivedState {
  /**
   * The latest statuses by address, oldest first, at most RECEIVED_REMEMBERED_MAX. One with an empty id was deleted
   * before it was received. Others are found by their row.
   */
  readonly received: LazyMap<string, Received>;
}
interface Received {
  readonly id: string;
  readonly conversationId: string;
}

/** Bounds one activation's memory. Rows of the others are written long since. */
export const RECEIVED_REMEMBERED_MAX = 200;

/** An account of another server: what its server says about it, and its statuses that are stored here. */
export const remote: Slice<State, Commands, Events, Ended> = {
  decide: {
    describe({ owner, origin, moderation }, { actor, ...names }, { nowMs }) {
      if (actor === undefined || owner !== undefined) return notRemote();
      if (origin !== undefined && origin.actor.uri !== actor.uri)
        return problem('conflict', 'The account has another address');
      if (moderation.deleted || (origin?.actor.fetchedAtMs ?? 0) >= actor.fetchedAtMs) return { events: [], reply: {} };
      const { username, domain } = origin ?? names;
      const described = { username, domain, profile: names.profile, actor, atMs: nowMs };
      return { events: [{ type: 'described', ...described }], reply: {} };
    },
    receive(state, { status }, { self, nowMs, newId, newActorId, row }) {
      const uri = status?.origin?.uri;
      if (status === undefined || uri === undefined) return problem('bad_request', 'No status');
      const known = state.received.get(uri) ?? (row as Received | null | undefined);
      if (known) {
        const { id, conversationId } = known;
        return { events: [], reply: { outcome: id === '' ? 'deleted' : 'known', id, conversationId } };
      }
      const id = status.conversationId ? newId() : newActorId();
      const conversationId = status.conversationId || id;
      const media = status.media && { media: status.media.media.map((file) => ({ ...file, id: newId() })) };
      const stored = { ...status, id, accountId: self, conversationId, ...(media && { media }) };
      return {
        events: [{ type: 'received', status: stored, atMs: nowMs }],
        reply: { outcome: 'received', id, conversationId },
      };
    },
    reviseReceived(state, { uri, status }, { nowMs, newId, row }) {
      const known = state.received.get(uri) ?? (row as Received | null | undefined);
      if (!known || known.id === '' || status === undefined) return { events: [], reply: {} };
      const { id, conversationId } = known;
      const media = status.media && { media: status.media.media.map((file) => ({ ...file, id: newId() })) };
      const revised = { ...status, ...(media && { media }) };
      return { events: [{ type: 'receivedRevised', id, conversationId, status: revised, atMs: nowMs }], reply: {} };
    },
    forgetReceived(state, { uri }, { nowMs, row }) {
      const known = state.received.get(uri) ?? (row as Received | null | undefined) ?? NEVER_RECEIVED;
      const { id, conversationId } = known;
      const [collection, its] = knownAt(state, uri);
      const ended = collection === undefined || its === undefined ? [] : [deletion(collection, its)];
      return { events: [{ type: 'receivedForgotten', uri, id, conversationId, atMs: nowMs }, ...ended], reply: {} };
    },
    vanish(state, _command, { nowMs }) {
      return { events: state.moderation.deleted ? [] : ended(state, nowMs), reply: {} };
    },
  },
  apply: {
    described(state, { username, domain, profile, actor, atMs }) {
      if (actor === undefined) return;
      const hadMoved = (state.origin?.actor.movedTo ?? '') !== '';
      state.origin = { username, domain, knownSinceMs: state.origin?.knownSinceMs ?? atMs, actor };
      if (profile !== undefined) state.profile = profile;
      // The account is used again, if its server had said before that it moved.
      if (hadMoved && actor.movedTo === '') state.moves = { ...state.moves, movedTo: undefined };
    },
    received(state, { status, atMs }) {
      if (status?.origin === undefined) return;
      state.statuses += 1;
      if (status.visibility === 'direct') state.directStatuses += 1;
      else state.lastStatusAtMs = Math.max(state.lastStatusAtMs, Math.min(status.createdAtMs, atMs));
      remember(state, status.origin.uri, status);
    },
    receivedRevised() {},
    receivedForgotten: (state, { uri }) => remember(state, uri, NEVER_RECEIVED),
  },
  commands: {
    describe: {
      in: codec('murmuration.remote.Describe'),
      out: empty(),
      repeats: 'idempotent',
      local: false,
      unregistered: true,
    },
    receive: {
      in: codec('murmuration.remote.Receive'),
      out: codec('murmuration.remote.Reception'),
      repeats: 'idempotent',
      local: false,
      reads: (state, { status }) => rowOf(state, status?.origin?.uri),
      remote: 'only',
    },
    reviseReceived: {
      in: codec('murmuration.remote.ReviseReceived'),
      out: empty(),
      repeats: 'idempotent',
      local: false,
      reads: (state, { uri }) => rowOf(state, uri),
      remote: 'only',
    },
    forgetReceived: {
      in: codec('murmuration.remote.ForgetReceived'),
      out: empty(),
      repeats: 'idempotent',
      local: false,
      reads: (state, { uri }) => rowOf(state, uri),
      remote: 'only',
    },
    vanish: { in: empty(), out: empty(), repeats: 'idempotent', local: false, remote: 'only' },
  },
  events: {
    described: { codec: codec('murmuration.remote.Described'), invalidates: true },
    received: {
      codec: codec('murmuration.remote.Received'),
      invalidates: false,
      overlaps: (_event, state) => state.subscribers.size === 0,
    },
    receivedRevised: { codec: codec('murmuration.remote.ReceivedRevised'), invalidates: false },
    receivedForgotten: { codec: codec('murmuration.remote.ReceivedForgotten'), invalidates: false, forgets: true },
  },
};

const NEVER_RECEIVED: Received = { id: '', conversationId: '' };

function empty() {
  return codec('murmuration.account.Empty');
}

const notRemote = () => problem('conflict', 'This account is registered here');

function rowOf({ received }: Readonly<State>, uri: string | undefined) {
  if (uri === undefined || received.has(uri)) return undefined;
  return { table: knownUris, key: { uri: uriKey(uri) } };
}

function remember(state: State, uri: string, { id, conversationId }: Received): void {
  state.received.delete(uri);
  state.received.set(uri, { id, conversationId });
  const oldest = state.received.keys().next();
  if (state.received.size > RECEIVED_REMEMBERED_MAX && !oldest.done) state.received.delete(oldest.value);
}
