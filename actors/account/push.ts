import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { isThere, type State as NoticeState } from './notify.js';
import { isShutOut, type State as SessionState } from './tokens.js';

export interface Commands {
  pushSubscription: { in: P.AccountPushOf; out: P.AccountPushSubscription };
  subscribePush: { in: P.AccountSubscribePush; out: P.AccountPushSubscription };
  changePush: { in: P.AccountChangePush; out: P.AccountPushSubscription };
  unsubscribePush: { in: P.AccountPushOf; out: P.AccountEmpty };
  /** Returns the subscription if it may be used now. Refused: it does not exist, or its owner is shut out. */
  pushTarget: { in: P.AccountPushTargetOf; out: P.AccountPushTarget };
  pushGone: { in: P.AccountPushGone; out: P.AccountEmpty };
  testPush: { in: P.AccountPushOf; out: P.AccountPushGone };
}
export interface Events {
  pushSubscribed: P.AccountPushSubscription;
  pushUnsubscribed: P.AccountPushOf;
  pushTested: P.AccountPushTested;
}
export interface State
  extends SessionState,
    Pick<NoticeState, 'lastNotificationId' | 'clearedUpToId' | 'recentDismissals'> {
  /** Subscriptions by the token's SHA-256, in the order of their last change. At most one for each token. */
  readonly pushes: LazyMap<string, P.AccountPushSubscription>;
}

/**
 * Notification types that a client can subscribe to. Source: Mastodon Notification::TYPES and Web::PushSubscription.
 */
export const PUSH_ALERTS = [
  'mention',
  'status',
  'reblog',
  'follow',
  'follow_request',
  'favourite',
  'poll',
  'update',
  'quote',
  'quoted_update',
  'admin.sign_up',
  'admin.report',
] as const;
/** Senders whose notifications are pushed. */
export const PUSH_POLICIES = ['all', 'followed', 'follower', 'none'] as const;

/**
 * Bounds the requests that one notification causes: more than anyone's devices. The subscription that was unchanged for
 * longest goes: the person with a new device expects alerts there, and cannot find those of forgotten applications.
 */
export const PUSHES_MAX = 40;

const subscription = codec('murmuration.account.PushSubscription');

/** The push subscriptions of the owner's clients, one for each token. */
export const push: Slice<State, Commands, Events> = {
  decide: {
    pushSubscription({ pushes }, { tokenHash }) {
      const known = pushes.get(tokenHash);
      return known === undefined ? nothing() : { events: [], reply: known };
    },
    subscribePush({ tokens, pushes }, command, { newId }) {
      if (!tokens.has(command.tokenHash)) return nothing();
      const made = { ...command, id: newId() };
      const others = [...pushes.keys()].filter((tokenHash) => tokenHash !== command.tokenHash);
      const excess = others.slice(0, Math.max(0, others.length + 1 - PUSHES_MAX));
      const ended = excess.map((tokenHash) => ({ type: 'pushUnsubscribed' as const, tokenHash }));
      return { events: [...ended, { type: 'pushSubscribed', ...made }], reply: made };
    },
    changePush({ pushes }, { tokenHash, alerts, withAlerts, policy }) {
      const known = pushes.get(tokenHash);
      if (known === undefined) return nothing();
      const next = { ...known, alerts: withAlerts ? alerts : known.alerts, policy: policy || known.policy };
      return { events: isSame(known, next) ? [] : [{ type: 'pushSubscribed', ...next }], reply: next };
    },
    unsubscribePush({ pushes }, { tokenHash }) {
      return { events: pushes.has(tokenHash) ? [{ type: 'pushUnsubscribed', tokenHash }] : [], reply: {} };
    },
    pushTarget(state, { id, notificationId }) {
      const subscription = subscriptionOf(state, id);
      if (subscription === undefined) return nothing();
      if (isShutOut(state)) return problem('forbidden', 'Your login is currently disabled');
      const current = isThere(state, notificationId);
      return { events: [], reply: { subscription, locale: state.owner?.locale ?? '', current } };
    },
    pushGone(state, { id }) {
      const known = subscriptionOf(state, id);
      return { events: known ? [{ type: 'pushUnsubscribed', tokenHash: known.tokenHash }] : [], reply: {} };
    },
    testPush({ pushes }, { tokenHash }, { newId, nowMs }) {
      const known = pushes.get(tokenHash);
      if (known === undefined) return nothing();
      const id = newId();
      return { events: [{ type: 'pushTested', id, subscriptionId: known.id, atMs: nowMs }], reply: { id } };
    },
  },
  apply: {
    pushSubscribed({ pushes, tokens }, event) {
      // Moves it to the end: subscriptions are in the order of their last change.
      pushes.delete(event.tokenHash);
      pushes.set(event.tokenHash, subscriptionIn(event));
      // Deletes the subscriptions of tokens that no longer exist.
      for (const hash of pushes.keys()) if (!tokens.has(hash)) pushes.delete(hash);
    },
    pushUnsubscribed: ({ pushes }, { tokenHash }) => void pushes.delete(tokenHash),
    pushTested: () => undefined,
  },
  commands: {
    pushSubscription: { in: codec('murmuration.account.PushOf'), out: subscription, repeats: 'query', local: true },
    subscribePush: {
      in: codec('murmuration.account.SubscribePush'),
      out: subscription,
      repeats: 'idempotent',
      local: true,
    },
    changePush: { in: codec('murmuration.account.ChangePush'), out: subscription, repeats: 'idempotent', local: true },
    unsubscribePush: {
      in: codec('murmuration.account.PushOf'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    // Not a query: its reply waits for the rows of earlier notifications.
    pushTarget: {
      in: codec('murmuration.account.PushTargetOf'),
      out: codec('murmuration.account.PushTarget'),
      repeats: 'idempotent',
      local: true,
    },
    pushGone: {
      in: codec('murmuration.account.PushGone'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    testPush: {
      in: codec('murmuration.account.PushOf'),
      out: codec('murmuration.account.PushGone'),
      repeats: 'keyed',
      local: true,
    },
  },
  events: {
    pushSubscribed: { codec: subscription, invalidates: false },
    pushUnsubscribed: { codec: codec('murmuration.account.PushOf'), invalidates: false },
    pushTested: { codec: codec('murmuration.account.PushTested'), invalidates: false },
  },
};

/** Returns the fields of an event alone, so that a replay yields the same state. */
function subscriptionIn(event: P.AccountPushSubscription): P.AccountPushSubscription {
  const { tokenHash, id, endpoint, p256dh, auth, standard, alerts, policy, tokenNonce } = event;
  return { tokenHash, id, endpoint, p256dh, auth, standard, alerts: [...alerts], policy, tokenNonce };
}

function subscriptionOf({ pushes }: Readonly<State>, id: string): P.AccountPushSubscription | undefined {
  for (const known of pushes.values()) if (known.id === id) return known;
  return undefined;
}

const nothing = () => problem('not_found', 'Record not found');

const isSame = (one: P.AccountPushSubscription, other: P.AccountPushSubscription) =>
  one.policy === other.policy && one.alerts.join() === other.alerts.join();
