/** A mail that asks for one click. */
interface LinkMail {
  readonly subject: string;
  text(domain: string): string;
  readonly button: string;
  /** For people who did not cause the mail. */
  readonly otherwise: string;
}

/** A moderators' decision about an account. */
interface DecisionText {
  readonly subject: string;
  /** The consequence for the owner. */
  readonly text: string;
}

/** Actions of moderators of which the owner is notified. */
export type DecisionAction =
  | 'none'
  | 'delete_statuses'
  | 'mark_statuses_as_sensitive'
  | 'approve'
  | 'reject'
  | 'disable'
  | 'enable'
  | 'silence'
  | 'unsilence'
  | 'sensitive'
  | 'unsensitive'
  | 'suspend'
  | 'unsuspend';

/** Texts of mails. Texts of users are values beside them, never parts of a sentence. */
export interface MailTexts {
  hello(username: string): string;
  /** Says why the recipient gets mail at all. */
  footer(account: string): string;
  readonly unsubscribe: string;
  readonly confirmation: LinkMail;
  readonly reset: LinkMail;
  readonly passwordChanged: LinkMail;
  readonly passkeyAdded: Omit<LinkMail, 'text'> & { readonly text: (domain: string, name: string) => string };
  readonly repeatedSignUp: LinkMail;
  /** Goes to another address that the owner of an account wants. */
  readonly newAddress: LinkMail;
  readonly emailChanged: Omit<LinkMail, 'button'> & { appeal(contact: string): string };
  readonly signIn: LinkMail & {
    readonly time: string;
    readonly address: string;
    readonly browser: string;
    readonly unknownBrowser: string;
  };
  readonly archiveReady: LinkMail & { readonly until: string };
  readonly deleted: { readonly subject: string; text(domain: string): string };
  readonly decisions: Readonly<Record<DecisionAction, DecisionText>>;
  readonly decision: {
    /** Before the words of the moderator. */
    readonly reason: string;
    appeal(contact: string): string;
    readonly signIn: string;
  };
  readonly report: {
    subject(id: string): string;
    text(domain: string): string;
    readonly target: string;
    readonly by: string;
    readonly category: string;
    readonly statuses: string;
    readonly comment: string;
    readonly button: string;
    readonly categories: Readonly<Record<'spam' | 'legal' | 'violation' | 'other', string>>;
  };
}

/** Types of notifications that are newer than clients still in use, so that their titles are sent along. */
export type TitledNotification =
  | 'quote'
  | 'quoted_update'
  | 'added_to_collection'
  | 'collection_update'
  | 'severed_relationships'
  | 'moderation_warning'
  | 'admin.sign_up'
  | 'admin.report';

export interface NotificationTexts {
  /** Titles by type. `who`: the sender's name in the form of the result, plain text or HTML. */
  readonly titles: Readonly<Record<TitledNotification, (who: string) => string>>;
  /** For clients that do not support the type. */
  readonly unsupported: string;
}

/** Types of notifications whose titles only pushes need. Clients have their own words for these types. */
export type PushedNotification =
  | 'mention'
  | 'status'
  | 'reblog'
  | 'follow'
  | 'follow_request'
  | 'favourite'
  | 'poll'
  | 'update';

/** Texts of push messages: plain text. */
export interface PushTexts {
  /** Titles by type. `who`: the sender's name. */
  readonly titles: Readonly<Record<PushedNotification, (who: string) => string>>;
  /** Title of the end of a poll of the recipient. */
  readonly ownPoll: string;
  /** Instead of the text of a status that a filter of the recipient matches. */
  filtered(filter: string): string;
  readonly test: { readonly title: string; text(domain: string): string };
}

/** All texts for people in one language. */
export interface Catalogue {
  /** The language as BCP 47 tag. */
  readonly language: string;
  readonly notifications: NotificationTexts;
  readonly mail: MailTexts;
  readonly push: PushTexts;
}
