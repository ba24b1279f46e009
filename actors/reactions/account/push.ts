import type { AccountPushSubscription, PushEnqueue } from '../../../proto/gen/types.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Effects, Reaction } from '../../runtime/kind.js';

/** Hands a notification to the actors of the subscriptions that want its type. The commands leave at once, in order. */
async function enqueue(
  effects: Effects,
  subscriptions: readonly AccountPushSubscription[],
  push: PushEnqueue,
): Promise<void> {
  await Promise.all(subscriptions.map(({ id }) => effects.tell('push', id, 'enqueue', push)));
}

/** Pushes of notifications. Each attempt decides again if the owner may still see the notification. */
export const accountPushes: Reaction<AccountState, AccountEvents> = {
  surface: 'push',
  beforeReply: false,
  on: {
    notified({ id, kind, atMs, filtered }, { self, state }, effects) {
      // A filtered notification appears only in lists.
      if (filtered === true || state.pushes.size === 0) return undefined;
      const wanting = [...state.pushes.values()].filter(
        ({ alerts, policy }) => policy !== 'none' && alerts.includes(kind),
      );
      return wanting.length === 0
        ? undefined
        : enqueue(effects, wanting, { account: self, notificationId: id, kind, atMs });
    },
    pushTested({ id, subscriptionId, atMs }, { self, state }, effects) {
      const tested = [...state.pushes.values()].filter((one) => one.id === subscriptionId);
      return enqueue(effects, tested, { account: self, notificationId: id, kind: 'test', atMs });
    },
  },
};
