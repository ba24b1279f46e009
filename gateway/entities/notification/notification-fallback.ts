import { escapeHtml } from '../../../actors/domain/text/plain-text.js';
import type { SeenNotification } from './notification.js';

/** The REST API's NotificationFallback: what a client shows of a notification whose type it does not know. HTML. */
export interface NotificationFallback {
  readonly title: string;
  readonly summary: string;
  /** Null where the title says all. */
  readonly details: string | null;
}

const SUMMARY = 'This app does not know notifications of this kind yet; a newer one shows more of them.';

/** Of types that came after clients were written which are still in use; `who` is HTML. */
const titles: Readonly<Record<string, (who: string) => string>> = {
  quote: (who) => `${who} quoted your post`,
  quoted_update: (who) => `${who} edited a post that you quoted`,
  added_to_collection: (who) => `${who} added you to a collection`,
  collection_update: (who) => `${who} changed a collection that you are in`,
  severed_relationships: () => 'You lost some of your followers or of those whom you follow',
  moderation_warning: () => 'A moderator sent you a warning',
  'admin.sign_up': (who) => `${who} signed up`,
  'admin.report': (who) => `${who} sent a report`,
};

/**
 * Undefined where the client knows the type, or does not say which it knows.
 * Source: Mastodon's documentation of `supported_types`.
 */
export function fallbackOf(
  { record, account, subject }: SeenNotification,
  supportedTypes: readonly string[] | undefined,
): NotificationFallback | undefined {
  const title = titles[record.type];
  if (supportedTypes === undefined || title === undefined || supportedTypes.includes(record.type)) return undefined;
  const who = escapeHtml(account.profile?.displayName.trim() || account.username);
  return { title: title(who), summary: SUMMARY, details: detailsOf(subject) };
}

function detailsOf(subject: SeenNotification['subject']): string | null {
  const { collection, moderation_warning: warning, event } = subject ?? {};
  if (collection !== undefined)
    return `<p><a href="${escapeHtml(collection.url)}">${escapeHtml(collection.name)}</a></p>`;
  if (warning?.text) return `<p>${escapeHtml(warning.text)}</p>`;
  return event === undefined ? null : `<p>${escapeHtml(event.target_name)}</p>`;
}
