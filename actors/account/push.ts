import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { State as SessionState } from './tokens.js';

export interface Commands {
  pushSubscription: { in: P.AccountPushOf; out: P.AccountPushSubscription };
  subscribePush: { in: P.AccountSubscribePush; out: P.AccountPushSubscription };
  changePush: { in: P.AccountChangePush; out: P.AccountPushSubscription };
  unsubscribePush: { in: P.AccountPushOf; out: P.AccountEmpty };
}
export interface Events {
  pushSubscribed: P.AccountPushSubscription;
  pushUnsubscribed: P.AccountPushOf;
}
export interface State extends SessionState {
  /** Subscriptions by the token's SHA-256, in the order of their last change. At most one for each token. */
  readonly pushes: Map<string, P.AccountPushSubscription>;
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
  },
  apply: {
    pushSubscribed({ pushes, tokens }, event) {
      // Moves it to the end: subscriptions are in the order of their last change.
      pushes.delete(event.tokenHash);
      pushes.set(event.tokenHash, event);
      // Deletes the subscriptions of tokens that no longer exist.
      for (const hash of pushes.keys()) if (!tokens.has(hash)) pushes.delete(hash);
    },
    pushUnsubscribed: ({ pushes }, { tokenHash }) => void pushes.delete(tokenHash),
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
  },
  events: {
    pushSubscribed: { codec: subscription, invalidates: false },
    pushUnsubscribed: { codec: codec('murmuration.account.PushOf'), invalidates: false },
  },
};

const nothing = () => problem('not_found', 'Record not found');

const isSame = (one: P.AccountPushSubscription, other: P.AccountPushSubscription) =>
  one.policy === other.policy && one.alerts.join() === other.alerts.join();
