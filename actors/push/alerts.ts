import type { AccountPushSubscription } from '../../proto/gen/types.js';

/** A notification in the words that its owner reads, and the subscription to which it goes. */
export interface Alert {
  readonly subscription: AccountPushSubscription;
  /** The token to which the subscription belongs; empty if it cannot be derived. */
  readonly accessToken: string;
  /** Language of title and body. */
  readonly locale: string;
  /** Address of a picture. */
  readonly icon: string;
  readonly title: string;
  /** Plain text of any length. */
  readonly body: string;
}

/**
 * `stopped`: the subscription or its token no longer exists, or the owner may not use them now. `hidden`: the owner's
 * list of notifications does not show it, or the subscription's policy excludes its sender.
 */
export type NoAlert = 'stopped' | 'hidden';

/** Decides at each attempt what a push shows. */
export interface Alerts {
  /**
   * @param subscription id of the subscription
   * @throws Unavailable when the owner's actor or the store cannot answer
   */
  of(account: string, subscription: string, notificationId: string, push: AlertedPush): Promise<Alert | NoAlert>;
}

/** A push as its actor knows it. */
export interface AlertedPush {
  /** Type of the notification, or `test`. */
  readonly kind: string;
  readonly atMs: number;
}
