import { Type } from '@sinclair/typebox';
import { catalogueFor } from '../../../actors/domain/text/catalogue/catalogue.js';
import { escapeHtml } from '../../../actors/domain/text/plain-text.js';
import { entity, nullable, type Shape } from '../../http/entity.js';
import type { SeenNotification } from '../../notifications/seen-notifications.js';

/** The REST API's NotificationFallback: a text in HTML for a notification whose type the client does not support. */
export const NotificationFallback = entity('NotificationFallback', {
  title: Type.String(),
  summary: Type.String(),
  /** Null if the title is enough. */
  details: nullable(Type.String()),
});
export type NotificationFallback = Shape<typeof NotificationFallback>;

/** English, as the other texts of answers: cached pages do not know the viewer's language. */
const texts = catalogueFor('en').notifications;

/**
 * Returns the fallback of a notification; undefined if the client supports the type, or does not list the types that it
 * supports.
 * Source: Mastodon's documentation of `supported_types`.
 */
export function fallbackOf(
  { record, account, subject }: SeenNotification,
  supportedTypes: readonly string[] | undefined,
): NotificationFallback | undefined {
  if (supportedTypes === undefined || supportedTypes.includes(record.type)) return undefined;
  const who = escapeHtml(account.profile?.displayName.trim() || account.username);
  const { titles, unsupported } = texts;
  if (!Object.hasOwn(titles, record.type)) return undefined;
  const title = titles[record.type as keyof typeof titles](who);
  return { title, summary: unsupported, details: detailsOf(subject) };
}

function detailsOf(subject: SeenNotification['subject']): string | null {
  const { collection, moderation_warning: warning, event } = subject ?? {};
  if (collection !== undefined)
    return `<p><a href="${escapeHtml(collection.url)}">${escapeHtml(collection.name)}</a></p>`;
  if (warning?.text) return `<p>${escapeHtml(warning.text)}</p>`;
  return event === undefined ? null : `<p>${escapeHtml(event.target_name)}</p>`;
}
