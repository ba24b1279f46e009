import { createHash } from 'node:crypto';
import type { Alert } from './alerts.js';

/** Characters of a topic. Source: RFC 8030 §5.4. */
const TOPIC_CHARS = 32;

/**
 * Returns the topic of a push. All attempts have the same one, so a push service that has stored an earlier attempt
 * replaces it.
 */
export function topicOf(subscription: string, notificationId: string): string {
  return createHash('sha256').update(`${subscription} ${notificationId}`).digest('base64url').slice(0, TOPIC_CHARS);
}

/**
 * Returns the text of a push in the form that Mastodon's clients expect, its body shortened to `bodyChars`. The id is a
 * number, as native clients demand; most ids end in zeros, so JavaScript reads them exactly, too.
 */
export function payloadOf(alert: Alert, notificationId: string, kind: string, bodyChars: number): string {
  const text = JSON.stringify({
    access_token: alert.accessToken,
    preferred_locale: alert.locale,
    notification_type: kind,
    icon: alert.icon,
    title: shortened(alert.title, TITLE_CHARS_MAX),
    body: shortened(alert.body, bodyChars),
  });
  return `${text.slice(0, -1)},"notification_id":${BigInt(notificationId)}}`;
}

/** Names may be long; a lock screen shows one line. */
const TITLE_CHARS_MAX = 100;

/** Cuts a text between two characters; one that was cut ends with an ellipsis. */
function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  if (charsMax === 0) return '';
  const cut = text.slice(0, charsMax - 1);
  // A high surrogate at the end has lost its other half.
  const whole = /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
  return `${whole.trimEnd()}…`;
}
