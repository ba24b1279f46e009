import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { compareIds, idMs } from '../domain/ids.js';
import { problem } from '../domain/problem.js';
import { isMuted } from '../domain/visibility.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap, LazySet } from '../runtime/state/lazy-collections.js';
import type { RelationState } from './relations.js';

export interface Commands {
  notificationPolicy: { in: P.AccountEmpty; out: P.AccountNotificationPolicyNow };
  setNotificationPolicy: { in: P.AccountSetNotificationPolicy; out: P.AccountNotificationPolicyNow };
  notificationRequests: { in: P.AccountEdgeBounds; out: P.AccountNotificationRequestPage };
  notificationRequest: { in: P.AccountNotificationRequestIds; out: P.AccountNotificationRequest };
  acceptNotificationRequests: { in: P.AccountNotificationRequestIds; out: P.AccountEmpty };
  dismissNotificationRequests: { in: P.AccountNotificationRequestIds; out: P.AccountEmpty };
}
export interface Events {
  notificationPolicySet: P.AccountNotificationPolicySet;
  notificationRequestsAccepted: P.AccountNotificationRequestsAccepted;
  notificationRequestsDismissed: P.AccountNotificationRequestsDismissed;
}
export interface PolicyState extends RelationState {
  policy: P.AccountNotificationPolicy;
  /** Requests by the account whose notifications wait for a decision, oldest first. At most REQUESTS_MAX. */
  readonly waiting: LazyMap<string, P.AccountNotificationRequest>;
  /** Accounts whose notifications the policy never filters. At most PERMITTED_MAX. */
  readonly permitted: LazySet<string>;
}

/**
 * Bounds one activation's memory (some 200 bytes each). The oldest request is dropped, and its notifications stay
 * filtered.
 */
export const REQUESTS_MAX = 1_000;
/** Bounds one activation's memory; the oldest is dropped. */
export const PERMITTED_MAX = 10_000;
/** Age below which an account counts as new. Source: Mastodon NotifyService, 30 days. */
export const NEW_ACCOUNT_MS = 30 * 86_400_000;
/** The ways in which a policy treats a kind of notification. */
export const RECEPTIONS = ['accept', 'filter', 'drop'] as const;
export type Reception = (typeof RECEPTIONS)[number];

/** Source: Mastodon NotificationPolicy. */
export const POLICY_AT_FIRST: P.AccountNotificationPolicy = {
  notFollowing: 'accept',
  notFollowers: 'accept',
  newAccounts: 'accept',
  privateMentions: 'filter',
  limitedAccounts: 'filter',
};

/** Notifications that no other user can send in large numbers. Source: Mastodon Notification::PROPERTIES. */
const NEVER_FILTERED = new Set([
  'poll',
  'update',
  'quoted_update',
  'admin.sign_up',
  'admin.report',
  'moderation_warning',
  'severed_relationships',
]);

/** Notifications whose status a request shows as its last. */
const SPOKEN = new Set(['mention', 'status', 'quote']);

/** The owner's policy for notifications, and the requests that wait for the owner's decision. */
export const notificationPolicy: Slice<PolicyState, Commands, Events> = {
  decide: {
    notificationPolicy: (state, _, { nowMs }) => ({ events: [], reply: now(state, state.policy, nowMs) }),
    setNotificationPolicy(state, change, { nowMs }) {
      const next = { ...state.policy };
      for (const name of Object.keys(next) as (keyof typeof next)[]) {
        const wanted = change[name] ?? next[name];
        if (!RECEPTIONS.some((known) => known === wanted))
          return problem('invalid', 'Validation failed: no such policy');
        next[name] = wanted;
      }
      const isSame = JSON.stringify(next) === JSON.stringify(state.policy);
      return {
        events: isSame ? [] : [{ type: 'notificationPolicySet', policy: next }],
        reply: now(state, next, nowMs),
      };
    },
    notificationRequests(state, bounds) {
      const requests: { readonly request: P.AccountNotificationRequest; readonly edgeId: string }[] = [];
      for (const request of state.waiting.values()) requests.push({ request, edgeId: request.id });
      const { edges, more } = edgePage(requests, bounds);
      return { events: [], reply: { requests: edges.map(({ request }) => request), more } };
    },
    notificationRequest(state, { ids }) {
      const [request] = named(state, ids);
      return request === undefined ? missing() : { events: [], reply: request };
    },
    acceptNotificationRequests(state, { ids }) {
      const settled = named(state, ids).map(settledOf);
      return { events: settled.length > 0 ? [{ type: 'notificationRequestsAccepted', settled }] : [], reply: {} };
    },
    dismissNotificationRequests(state, { ids }) {
      const settled = named(state, ids).map(settledOf);
      return { events: settled.length > 0 ? [{ type: 'notificationRequestsDismissed', settled }] : [], reply: {} };
    },
  },
  apply: {
    notificationPolicySet(state, { policy }) {
      state.policy = policy ?? POLICY_AT_FIRST;
    },
    notificationRequestsAccepted(state, { settled }) {
      for (const { from } of settled) {
        state.waiting.delete(from);
        state.permitted.add(from);
        const oldest = state.permitted.values().next();
        if (state.permitted.size > PERMITTED_MAX && !oldest.done) state.permitted.delete(oldest.value);
      }
    },
    notificationRequestsDismissed(state, { settled }) {
      for (const { from } of settled) state.waiting.delete(from);
    },
  },
  commands: {
    notificationPolicy: {
      in: codec('murmuration.account.Empty'),
      out: codec('murmuration.account.NotificationPolicyNow'),
      repeats: 'query',
      local: true,
    },
    setNotificationPolicy: {
      in: codec('murmuration.account.SetNotificationPolicy'),
      out: codec('murmuration.account.NotificationPolicyNow'),
      repeats: 'idempotent',
      local: true,
    },
    notificationRequests: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.NotificationRequestPage'),
      repeats: 'query',
      local: true,
    },
    notificationRequest: {
      in: codec('murmuration.account.NotificationRequestIds'),
      out: codec('murmuration.account.NotificationRequest'),
      repeats: 'query',
      local: true,
    },
    acceptNotificationRequests: {
      in: codec('murmuration.account.NotificationRequestIds'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    dismissNotificationRequests: {
      in: codec('murmuration.account.NotificationRequestIds'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    notificationPolicySet: { codec: codec('murmuration.account.NotificationPolicySet'), invalidates: false },
    notificationRequestsAccepted: {
      codec: codec('murmuration.account.NotificationRequestsAccepted'),
      invalidates: false,
    },
    notificationRequestsDismissed: {
      codec: codec('murmuration.account.NotificationRequestsDismissed'),
      invalidates: false,
    },
  },
};

type Notice = Pick<P.AccountNotify, 'type' | 'from' | 'direct' | 'answers' | 'limited'>;

/** Returns the policy's decision about a notification. Source: Mastodon NotifyService::FilterCondition. */
export function reception(state: Readonly<PolicyState>, notice: Notice, nowMs: number): Reception {
  const { type, from } = notice;
  const { policy } = state;
  if (NEVER_FILTERED.has(type) || state.permitted.has(from)) return 'accept';
  const isFollowed = state.following.get(from)?.pending === false;
  const ways: string[] = [];
  // A follow makes its sender a follower, although the state does not contain the follow yet.
  const mayBeStranger = policy.notFollowers !== 'accept' && type !== 'follow';
  if (mayBeStranger && isNoFollower(state, from)) ways.push(policy.notFollowers);
  if (!isFollowed) {
    ways.push(policy.notFollowing);
    if (policy.newAccounts !== 'accept' && nowMs - idMs(from) < NEW_ACCOUNT_MS) ways.push(policy.newAccounts);
    if (notice.limited === true) ways.push(policy.limitedAccounts);
    if (notice.direct === true && notice.answers !== true) ways.push(policy.privateMentions);
  }
  return ways.includes('drop') ? 'drop' : ways.includes('filter') ? 'filter' : 'accept';
}

/** Adds a filtered notification to the request of its account. */
export function withRequest(state: PolicyState, { id, kind, from, statusId, atMs }: P.AccountNotified): void {
  const known = state.waiting.get(from);
  state.waiting.set(from, {
    id: known?.id ?? id,
    from,
    count: (known?.count ?? 0) + 1,
    lastStatusId: SPOKEN.has(kind) ? statusId : known?.lastStatusId,
    createdAtMs: known?.createdAtMs ?? atMs,
    updatedAtMs: atMs,
  });
  const oldest = state.waiting.keys().next();
  if (state.waiting.size > REQUESTS_MAX && !oldest.done) state.waiting.delete(oldest.value);
}

/**
 * Removes a retracted or dismissed notification from its request. Notifications of an earlier, settled request are not
 * counted.
 */
export function withoutOne(state: PolicyState, id: string, from: string): void {
  const known = state.waiting.get(from);
  if (known === undefined || compareIds(id, known.id) < 0) return;
  if (known.count > 1) state.waiting.set(from, { ...known, count: known.count - 1 });
  else state.waiting.delete(from);
}

/** True when the account is neither blocked, in either direction, nor muted with its notifications. */
export function isWelcome(state: Readonly<PolicyState>, from: string, nowMs: number): boolean {
  if (state.blocking.has(from) || state.blockedBy.has(from)) return false;
  const mute = state.muting.get(from);
  return mute?.notifications !== true || !isMuted(mute.untilMs, nowMs);
}

/**
 * True when the account is certainly no follower. The state holds only the latest followers, so others may be followers
 * too.
 */
function isNoFollower(state: Readonly<RelationState>, account: string): boolean {
  return !state.recentFollowers.has(account) && state.followers <= state.recentFollowers.size;
}

/** Counts the listed requests. Requests of accounts that the owner has muted or blocked since are hidden. */
function now(
  state: Readonly<PolicyState>,
  policy: P.AccountNotificationPolicy,
  nowMs: number,
): P.AccountNotificationPolicyNow {
  let [requests, notifications] = [0, 0];
  for (const { from, count } of state.waiting.values()) {
    if (!isWelcome(state, from, nowMs)) continue;
    requests += 1;
    notifications += count;
  }
  return { policy, requests, notifications };
}

/** Returns the existing requests among these ids, each once. */
function named(state: Readonly<PolicyState>, ids: readonly string[]): P.AccountNotificationRequest[] {
  const wanted = new Set(ids);
  return [...state.waiting.values()].filter(({ id }) => wanted.has(id));
}

const settledOf = ({ from, id }: P.AccountNotificationRequest): P.AccountSettledRequest => ({ from, sinceId: id });
const missing = () => problem('not_found', 'Record not found');
