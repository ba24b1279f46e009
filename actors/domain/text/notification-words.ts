// Words of notifications, which mails and pages share.

/** Titles by type, for types that are newer than clients still in use. */
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
 * Returns the title of a notification; undefined for types that every client knows. `who`: the sender's name in the
 * form of the result, plain text or HTML.
 */
export function notificationTitle(type: string, who: string): string | undefined {
  return Object.hasOwn(titles, type) ? titles[type]?.(who) : undefined;
}

/** Titles of moderators' decisions about an account, by action. */
const decisions: Readonly<Record<string, string>> = {
  none: 'You have received a warning',
  approve: 'Your account has been approved',
  disable: 'Your account has been frozen',
  enable: 'Your account is no longer frozen',
  silence: 'Your account has been limited',
  unsilence: 'Your account is no longer limited',
  sensitive: 'Your media will be marked as sensitive',
  unsensitive: 'Your media will no longer be marked as sensitive',
  suspend: 'Your account has been suspended',
  unsuspend: 'Your account is no longer suspended',
};

/** Returns the title of a decision; undefined for actions of which the account is not notified. */
export const decisionTitle = (action: string): string | undefined => decisions[action];

/** A report as its moderators are notified of it. */
interface Reported {
  readonly id: string;
  readonly category: string;
  readonly target: string;
  readonly statusIds: readonly string[];
  readonly comment: string;
}

/** Returns title and text of the notification of a report. */
export function reportWords({ id, category, target, statusIds, comment }: Reported) {
  return {
    title: `New report #${id} (${category})`,
    text: `Report: ${id}\nCategory: ${category}\nReported account: ${target}\nStatuses: ${statusIds.length}\n\n${comment}\n`,
  };
}
