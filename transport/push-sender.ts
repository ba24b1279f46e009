/** One message to one push subscription (RFC 8030, 8188, 8291, 8292). */
export interface PushMessage {
  readonly endpoint: string;
  /** Public key of the subscriber, and the secret, base64url. */
  readonly p256dh: string;
  readonly auth: string;
  /** aes128gcm (RFC 8188) or aesgcm (older draft), as the subscription's `standard` asks. */
  readonly encoding: 'aes128gcm' | 'aesgcm';
  /** JSON text, encrypted by the sender. At most PUSH_PAYLOAD_BYTES_MAX bytes of UTF-8. */
  readonly payload: string;
  readonly ttlSeconds: number;
  readonly urgency: 'very-low' | 'low' | 'normal' | 'high';
  /** At most 32 base64url characters: a push service keeps one message per topic. */
  readonly topic: string;
}

/**
 * Answer of a push service. `gone`: the subscription has ended. `refused`: the service does not take messages for this
 * subscription, and repeating will not help; a service answers so when a subscription was made for another key, and
 * Mastodon then deletes the subscription. `later`: retry, at the earliest after `afterMs` if it says so.
 */
export type PushOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'refused'; readonly status: number }
  | {
      readonly kind: 'later';
      readonly reason: 'busy' | 'failed' | 'unreachable' | 'timeout' | 'blocked';
      readonly afterMs?: number;
    };

export interface PushSender {
  /**
   * Never throws. The endpoint's address is checked at each connection. The number of concurrent requests is bounded,
   * in all and for each push service: a message may wait for others to the same service.
   */
  send(message: PushMessage): Promise<PushOutcome>;
}

/**
 * Longest payload: every push service takes 4,096 encrypted bytes (RFC 8030 §7.2), of which the header takes 86, the
 * padding delimiter 1 and the tag 16.
 */
export const PUSH_PAYLOAD_BYTES_MAX = 3_993;
