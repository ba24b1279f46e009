import type { PushMessage } from '../../transport/push-sender.js';

const HOUR_MS = 3_600_000;

/** The delivery of one type of notification. */
export interface PushRule {
  /** Urgency of RFC 8030 §5.3: a device that saves power receives `high` at once and may leave `low` for later. */
  readonly urgency: PushMessage['urgency'];
  /**
   * Time after the notification for which the push is worth showing. The push service gets the rest of it as TTL. We
   * try until then, for a day at most.
   */
  readonly worthMs: number;
}

/** Time for which a push is tried. Push services that are down for longer than a day are rare. */
export const PUSH_TRIED_MS_MAX = 24 * HOUR_MS;

/** Somebody speaks to the owner, or waits for a moderator. TTL: Mastodon's, 48 h, so that it survives a weekend day. */
const SPOKEN: PushRule = { urgency: 'high', worthMs: 48 * HOUR_MS };
/** Something new that the owner has asked for. A day later the timeline shows it. */
const NEWS: PushRule = { urgency: 'normal', worthMs: 24 * HOUR_MS };
/** An echo of something that the owner knows. It should not wake a device, and is stale after half a day. */
const ECHO: PushRule = { urgency: 'low', worthMs: 12 * HOUR_MS };

/** The table of rules by type of notification. */
const RULES: Readonly<Record<string, PushRule>> = {
  mention: SPOKEN,
  'admin.report': SPOKEN,
  follow_request: NEWS,
  follow: NEWS,
  status: NEWS,
  poll: NEWS,
  quote: NEWS,
  'admin.sign_up': NEWS,
  favourite: ECHO,
  reblog: ECHO,
  update: ECHO,
  quoted_update: ECHO,
  // The owner looks at the device: after five minutes they have tried again.
  test: { urgency: 'high', worthMs: HOUR_MS / 12 },
};

export const pushRule = (kind: string): PushRule => (Object.hasOwn(RULES, kind) ? RULES[kind] : undefined) ?? NEWS;
