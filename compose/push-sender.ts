import { knownVapidKeys } from '../actors/instance/keys.js';
import type { InstanceEntries } from '../gateway/settings/entries.js';
import { type WebPushOptions, WebPushSender } from '../transport/push/web-push-sender.js';
import type { NodeBase } from './base.js';

/** Opens the sender of push messages, which reads its keys and the operator's address when it first signs. */
export function openPushSender(
  { settings, clock, logger }: NodeBase,
  {
    guard,
    userAgent,
    resolve,
    entries,
  }: Pick<WebPushOptions, 'guard' | 'userAgent' | 'resolve'> & { readonly entries: InstanceEntries },
): WebPushSender {
  return new WebPushSender({
    ...{ guard, userAgent, resolve, clock, log: logger.child({ part: 'push' }) },
    keys: () => knownVapidKeys({ entries }),
    async subject() {
      const email = (await entries.setting('contact_email'))?.text?.text ?? '';
      if (/^[^\s@]+@[^\s@]+$/.test(email)) return `mailto:${encodeURI(email)}`;
      // Push services take only these two schemes (RFC 8292 §2.1).
      if (settings.BASE_URL.startsWith('https:')) return settings.BASE_URL;
      return `mailto:no-reply@${settings.DOMAIN.replace(/:\d+$/, '')}`;
    },
  });
}
