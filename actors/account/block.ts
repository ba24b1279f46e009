import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { makeId } from '../domain/ids.js';
import { problem } from '../domain/problem.js';
import type { Ctx, Recorded, Slice } from '../runtime/slice.js';
import { type Events as CollectionEvents, type State as CollectionState, uncollected } from './collections.js';
import { type Events as EndorseEvents, unendorsement } from './endorse.js';
import { type Events as FeatureEvents, type State as FeatureState, unfeatured } from './featured-elsewhere.js';
import type { Events as FollowEvents } from './follow.js';
import { answered, type Events as FollowerEvents } from './followers.js';
import type { Events as NoticeEvents, State as NoticesState } from './notify.js';
import { relationTo } from './relations.js';

export interface Commands {
  block: { in: P.AccountBlock; out: P.AccountRelation };
  unblock: { in: P.AccountUnblock; out: P.AccountRelation };
  receiveBlock: { in: P.AccountReceiveBlock; out: P.AccountEmpty };
  blocks: { in: P.AccountEdgeBounds; out: P.AccountEdgePage };
}
export interface Events {
  blocked: P.AccountBlocked;
  unblocked: P.AccountUnblocked;
  blockReceived: P.AccountBlockReceived;
}
/**
 * Events that a block records. It ends follows, which follow.ts and followers.ts apply, and removes each account from
 * the other's collections, of other servers too.
 */
type More = Pick<FollowEvents, 'unfollowed'> &
  Pick<EndorseEvents, 'unendorsed'> &
  Pick<FollowerEvents, 'followRequestRemoved'> &
  Pick<NoticeEvents, 'notificationDismissed' | 'noticeRetracted'> &
  Pick<CollectionEvents, 'collectionItemsRemoved'> &
  Pick<FeatureEvents, 'featureRevoked'>;
type State = NoticesState & CollectionState & FeatureState;

/** Bounds one activation's memory. Imported block lists of this size exist. */
export const BLOCKS_MAX = 20_000;
/**
 * Bounds what others can add to one activation, and the size of its relations as a message (packed-relations.ts): 8
 * bytes each. Above it only the blocker's side stores the block.
 */
export const BLOCKED_BY_MAX = 50_000;

/** Blocks. Both sides store a block, and neither follows the other any more. */
export const block: Slice<State, Commands, Events, More> = {
  decide: {
    block(state, { target }, about) {
      const { self, nowMs, newId } = about;
      if (target === self) return problem('forbidden', 'This action is not allowed');
      const none = {
        following: false,
        requested: false,
        reblogs: false,
        notify: false,
        requestedBy: false,
        endorsed: false,
      };
      // Undefined, because the follow of the other side ends only in the effects.
      const reply = { ...relationTo(state, target, nowMs), ...none, blocking: true, followedBy: undefined };
      if (state.blocking.has(target)) return { events: [], reply };
      if (state.blocking.size >= BLOCKS_MAX)
        return problem('limit_reached', `Validation failed: You cannot block more than ${BLOCKS_MAX} people`);
      return {
        events: [{ type: 'blocked', target, atMs: nowMs, edgeId: newId() }, ...partings(state, target, about)],
        reply,
      };
    },
    unblock(state, { target }, { nowMs }) {
      const reply = { ...relationTo(state, target, nowMs), blocking: false };
      const edgeId = state.blocking.get(target);
      return { events: edgeId === undefined ? [] : [{ type: 'unblocked', target, edgeId }], reply };
    },
    receiveBlock(state, { from, on, edgeId }, about) {
      if (state.blockedBy.has(from) === on) return { events: [], reply: {} };
      if (on && state.blockedBy.size >= BLOCKED_BY_MAX) return { events: partings(state, from, about), reply: {} };
      return {
        events: [
          { type: 'blockReceived', from, on, atMs: about.nowMs, edgeId },
          ...(on ? partings(state, from, about) : []),
        ],
        reply: {},
      };
    },
    blocks(state, bounds) {
      const edges = Array.from(state.blocking, ([account, edgeId]) => ({ account, edgeId, untilMs: 0 }));
      return { events: [], reply: edgePage(edges, bounds) };
    },
  },
  apply: {
    // Entries from before there were lists of blocks have no id of their own.
    blocked: (state, { target, edgeId, atMs }) => void state.blocking.set(target, edgeId || makeId(atMs, 0, 0)),
    unblocked: (state, { target }) => void state.blocking.delete(target),
    blockReceived: (state, { from, on }) => void (on ? state.blockedBy.add(from) : state.blockedBy.delete(from)),
  },
  commands: {
    block: {
      in: codec('murmuration.account.Block'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    unblock: {
      in: codec('murmuration.account.Unblock'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    receiveBlock: {
      in: codec('murmuration.account.ReceiveBlock'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    blocks: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.EdgePage'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    blocked: { codec: codec('murmuration.account.Blocked'), invalidates: true, changesRelations: true },
    unblocked: { codec: codec('murmuration.account.Unblocked'), invalidates: false, changesRelations: true },
    blockReceived: { codec: codec('murmuration.account.BlockReceived'), invalidates: true, changesRelations: true },
  },
};

/**
 * Returns the events that end the relations on this side. The other side ends its own, and each follower notifies the
 * followed account.
 */
function partings(state: Readonly<State>, other: string, about: Pick<Ctx, 'nowMs'>): Recorded<Events & More>[] {
  const events: Recorded<Events & More>[] = [
    ...uncollected(state, other, about),
    ...unfeatured(state, other),
    ...unendorsement(state, other),
  ];
  const edge = state.following.get(other);
  if (edge !== undefined)
    events.push({ type: 'unfollowed', target: other, edgeId: edge.edgeId, wasPending: edge.pending });
  const request = state.requests.get(other);
  if (request !== undefined)
    events.push(
      { type: 'followRequestRemoved', follower: other, edgeId: request.edgeId, rejected: true },
      ...answered(state, other),
    );
  return events;
}
