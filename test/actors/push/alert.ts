import type { Alert } from '../../../actors/push/alerts.js';

/** Returns an alert with some of its texts. */
export function alertOf(change: Partial<Alert> = {}): Alert {
  const keys = { p256dh: 'p', auth: 'a', standard: true };
  return {
    subscription: { tokenHash: 'h', id: '1', endpoint: 'https://push.example/1', ...keys, alerts: [], policy: 'all' },
    accessToken: 'token',
    locale: 'en',
    icon: 'https://here.example/avatar.png',
    title: 'title',
    body: 'body',
    ...change,
  };
}
