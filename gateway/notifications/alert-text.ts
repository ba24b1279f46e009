import { acctOf } from '../../actors/domain/addresses.js';
import type { Catalogue } from '../../actors/domain/text/catalogue/catalogue.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import type { SeenNotification } from './seen-notifications.js';

/** Returns the title of a pushed notification, plain text. */
export function alertTitle({ push, notifications }: Catalogue, { record, account }: SeenNotification, viewer: string) {
  if (record.type === 'poll' && record.from === viewer) return push.ownPoll;
  const titles: Readonly<Record<string, (who: string) => string>> = { ...notifications.titles, ...push.titles };
  const who = account.profile?.displayName.trim() || account.username;
  return (Object.hasOwn(titles, record.type) ? titles[record.type]?.(who) : undefined) ?? who;
}

/**
 * Returns the body of a pushed notification, plain text: the status, the comment of a report, or the sender's address.
 */
export function alertBody(texts: Catalogue, { record, account, status }: SeenNotification): string {
  if (status !== undefined) return statusBody(texts, status);
  if (record.report !== undefined) return record.report.comment;
  return `@${acctOf(account)}`;
}

/** A content warning, or a filter that matches, hides the text, as in a client. */
function statusBody({ push }: Catalogue, { record, original, filtered }: VisibleStatus): string {
  const [match] = filtered ?? [];
  if (match !== undefined) return push.filtered(match.filter.title);
  const { spoilerText, text } = original ?? record;
  return (spoilerText || text).trim();
}
