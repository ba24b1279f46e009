import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { idMs } from '../domain/ids.js';
import { problem } from '../domain/problem.js';
import type { Decision, Slice } from '../runtime/slice.js';
import { type Events as NoticeEvents, type State as NoticeState, noticed, retracted } from './notify.js';
import type { State as ProfileState } from './profile.js';
import type { RelationState } from './relations.js';
import type { OriginState } from './standing.js';
import type { State as SubscriberState } from './subscribers.js';

export interface Commands {
  addFollower: { in: P.AccountAddFollower; out: P.AccountFollowerAnswer };
  removeFollower: { in: P.AccountRemoveFollower; out: P.AccountEmpty };
  authorizeFollow: { in: P.AccountAuthorizeFollow; out: P.AccountEmpty };
  dropFollower: { in: P.AccountDropFollower; out: P.AccountEmpty };
  rejectFollow: { in: P.AccountRejectFollow; out: P.AccountEmpty };
  /** Ends a follow that only the server of this remote account knows. */
  disownFollow: { in: P.AccountDisownFollow; out: P.AccountEmpty };
  followRequests: { in: P.AccountEmpty; out: P.AccountFollowRequests };
}
export interface Events {
  followerAdded: P.AccountFollowerAdded;
  followRequested: P.AccountFollowRequested;
  followerRefused: P.AccountFollowerRefused;
  followerRemoved: P.AccountFollowerRemoved;
  followRequestRemoved: P.AccountFollowRequestRemoved;
  followDisowned: P.AccountFollowDisowned;
}
export interface State extends RelationState, ProfileState, SubscriberState, NoticeState, OriginState {}

type NoticeTold = Pick<NoticeEvents, 'notified' | 'notificationDismissed' | 'noticeRetracted'>;

/** Bounds one activation's memory. Requests above it are rejected. */
export const FOLLOW_REQUESTS_MAX = 10_000;
/**
 * Followers stored by id: bounds one activation's memory (some 100 bytes each). Repeated commands are recognised among
 * these; for others the runtime's deduplication must suffice.
 */
export const FOLLOWERS_REMEMBERED_MAX = 10_000;

/** The target's side of a follow. It decides whether the follow is accepted. */
export const followers: Slice<State, Commands, Events, NoticeTold> = {
  decide: {
    addFollower(state, { follower, edgeId, believedPending, limited, remote }, about) {
      const { nowMs } = about;
      const edge = { follower, edgeId, atMs: nowMs, remote };
      const isAsked = asksFirst(state);
      if (state.recentFollowers.get(follower) === edgeId) return { events: [], reply: { answer: 'accepted' } };
      if (state.requests.get(follower)?.edgeId === edgeId) return { events: [], reply: { answer: 'pending' } };
      const isFull = isAsked && state.requests.size >= FOLLOW_REQUESTS_MAX;
      if (state.blocking.has(follower) || state.blockedBy.has(follower) || isFull)
        return { events: [{ type: 'followerRefused', follower, edgeId, remote }], reply: { answer: 'rejected' } };
      if (isAsked)
        return {
          events: [
            { type: 'followRequested', ...edge, answer: !believedPending },
            ...noticed(state, { type: 'follow_request', from: follower, limited }, about),
          ],
          reply: { answer: 'pending' },
        };
      return {
        events: [
          { type: 'followerAdded', ...edge, wasRequested: false, answer: believedPending },
          ...noticed(state, { type: 'follow', from: follower, limited }, about),
        ],
        reply: { answer: 'accepted' },
      };
    },
    removeFollower: (state, command) => parted(state, command, false),
    dropFollower: (state, command) => parted(state, command, true),
    authorizeFollow(state, { follower, edgeId }, about) {
      const request = state.requests.get(follower);
      if (request !== undefined && isMeant(request, edgeId)) {
        const event = { follower, edgeId: request.edgeId, atMs: about.nowMs, wasRequested: true, answer: true };
        // Notifies the owner of followers accepted one by one, but not of those accepted together when an account
        // opens.
        const told = state.profile.locked ? noticed(state, { type: 'follow', from: follower }, about) : [];
        return { events: [{ type: 'followerAdded', ...event }, ...answered(state, follower), ...told], reply: {} };
      }
      return state.recentFollowers.has(follower) ? { events: [], reply: {} } : problem('not_found', 'Record not found');
    },
    rejectFollow(state, { follower, edgeId }) {
      const request = state.requests.get(follower);
      if (request === undefined || !isMeant(request, edgeId)) return { events: [], reply: {} };
      const event = { type: 'followRequestRemoved' as const, follower, edgeId: request.edgeId, rejected: true };
      return { events: [event, ...answered(state, follower)], reply: {} };
    },
    disownFollow(state, { follower }) {
      const isForgotten = state.followers > state.recentFollowers.size;
      const isKnown = state.requests.has(follower) || state.recentFollowers.has(follower);
      return { events: isKnown || isForgotten ? [] : [{ type: 'followDisowned', follower }], reply: {} };
    },
    followRequests(state) {
      const requests = Array.from(state.requests, ([follower, request]) => ({ follower, ...request, answer: false }));
      return { events: [], reply: { requests } };
    },
  },
  apply: {
    followerAdded(state, { follower, edgeId, remote }) {
      if (remote !== undefined) state.isFollowedElsewhere = true;
      state.requests.delete(follower);
      if (!state.recentFollowers.delete(follower)) state.followers += 1;
      state.recentFollowers.set(follower, edgeId);
      const oldest = state.recentFollowers.keys().next();
      if (state.recentFollowers.size > FOLLOWERS_REMEMBERED_MAX && !oldest.done)
        state.recentFollowers.delete(oldest.value);
    },
    followRequested(state, { follower, edgeId, atMs, remote }) {
      if (remote !== undefined) state.isFollowedElsewhere = true;
      state.requests.set(follower, { edgeId, atMs });
    },
    followerRefused() {},
    followerRemoved(state, { follower }) {
      state.recentFollowers.delete(follower);
      state.subscribers.delete(follower);
      state.followers -= 1;
    },
    followRequestRemoved: (state, { follower }) => void state.requests.delete(follower),
    followDisowned() {},
  },
  commands: {
    addFollower: {
      in: codec('murmuration.account.AddFollower'),
      out: codec('murmuration.account.FollowerAnswer'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    removeFollower: {
      in: codec('murmuration.account.RemoveFollower'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    authorizeFollow: {
      in: codec('murmuration.account.AuthorizeFollow'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    dropFollower: {
      in: codec('murmuration.account.DropFollower'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    rejectFollow: {
      in: codec('murmuration.account.RejectFollow'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    disownFollow: {
      in: codec('murmuration.account.DisownFollow'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'only',
    },
    followRequests: {
      in: codec('murmuration.account.Empty'),
      out: codec('murmuration.account.FollowRequests'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    followerAdded: {
      codec: codec('murmuration.account.FollowerAdded'),
      invalidates: false,
      overlaps: ({ answer }) => !answer,
    },
    followRequested: { codec: codec('murmuration.account.FollowRequested'), invalidates: false },
    followerRefused: { codec: codec('murmuration.account.FollowerRefused'), invalidates: false },
    followerRemoved: { codec: codec('murmuration.account.FollowerRemoved'), invalidates: false },
    followRequestRemoved: { codec: codec('murmuration.account.FollowRequestRemoved'), invalidates: false },
    followDisowned: { codec: codec('murmuration.account.FollowDisowned'), invalidates: false },
  },
};

/**
 * Returns true if a follow waits for an answer: by the owner of a locked account, or by the server of a remote one,
 * whatever the account states about itself.
 */
const asksFirst = ({ profile, origin }: Readonly<State>) => profile.locked || origin !== undefined;

/** Returns true if an answer is one to this request. `edgeId`: of the request that the answer names, if it names one. */
const isMeant = (request: { readonly edgeId: string }, edgeId: string | undefined): boolean =>
  edgeId === undefined || edgeId === request.edgeId;

/** Ends a follow or a follow request. `rejected`: the followed account ended it, so the follower must be notified. */
function parted(
  state: Readonly<State>,
  { follower, edgeId }: P.AccountRemoveFollower,
  rejected: boolean,
): Decision<Events & NoticeTold, P.AccountEmpty> {
  if (state.requests.get(follower)?.edgeId === edgeId)
    return {
      events: [{ type: 'followRequestRemoved', follower, edgeId, rejected }, ...answered(state, follower)],
      reply: {},
    };
  const known = state.recentFollowers.get(follower);
  const isForgotten = known === undefined && state.followers > state.recentFollowers.size;
  if (known !== edgeId && !isForgotten) return { events: [], reply: {} };
  const told = retracted(state, { type: 'follow', from: follower, sinceMs: idMs(edgeId) });
  return { events: [{ type: 'followerRemoved', follower, edgeId, rejected }, ...told], reply: {} };
}

/** Returns the events that remove the notification of a follow request that was answered or withdrawn. */
export const answered = (state: Readonly<NoticeState & RelationState>, follower: string) =>
  retracted(state, { type: 'follow_request', from: follower, sinceMs: state.requests.get(follower)?.atMs ?? 0 });
