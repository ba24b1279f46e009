import { escapeHtml } from '../../../actors/domain/text/plain-text.js';
import type { SeenNotification } from './notification.js';

/** The REST API's NotificationFallback: a text in HTML for a notification whose type the client does not support. */
export interface NotificationFallback {
  readonly title: string;
  readonly summary: string;
  /** Null if the title is enough. */
  readonly details: string | null;
}

const SUMMARY = 'This app does not support this kind of notification. A newer version may show more.';

/** Titles of types that are newer than clients still in use; `who` is HTML. */
const titles: Readonly<Record<string, (who: string) => string>> = {
  quote: (who) => `${who} quoted your post`,
  quoted_update: (who) => `${who} edited a post that you quoted`,
  added_to_collection: (who) => `${who} added you to a collection`,
  collection_update: (who) => `${who} changed a collection that you are in`,
  severed_relationships: () => 'Some of your follows or followers were removed',
  moderation_warning: () => 'A moderator sent you a warning',
  'admin.sign_up': (who) => `${who} signed up`,
  'admin.report': (who) => `${who} sent a report`,
};

/**
 * Returns the fallback of a notification; undefined if the client supports the type, or does not list the types that it
 * supports.
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
