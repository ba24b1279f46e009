/** One mail. `text` and `html` have the same content. */
export interface Mail {
  /** `local@domain`, without brackets. Equal for each attempt, so that receivers recognise repeats. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Time of its cause, ms. */
  readonly atMs: number;
  /** Address that ends such mails by a POST (RFC 8058). Absent for mails that nobody can end. */
  readonly unsubscribeUrl?: string;
}

/**
 * Reasons for which a mail waits. `unreachable`: no connection, no greeting, or TLS failed. `auth`: the server refuses
 * the credentials. `sender`: it refuses the sender. `deferred`: it refuses this recipient or mail for now (4xx). `busy`:
 * this node sends as many mails as it may.
 */
export type MailDelay = 'unreachable' | 'auth' | 'sender' | 'deferred' | 'busy';

/** Outcome of one attempt. `rejected`: the server refuses the recipient or the mail for good (5xx). */
export type MailOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'later'; readonly delay: MailDelay; readonly reason: string };

/** A sender of mails. */
export interface Mailer {
  /** Hands a mail over to the mail server. Never throws. */
  send(mail: Mail): Promise<MailOutcome>;
}
