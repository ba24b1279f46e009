/** One mail. `text` is always there; `html` says the same. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Sends mail. */
export interface Mailer {
  /**
   * Resolves as well when the server will never take it: a mailbox that is not there, a mail that it does not want.
   * @throws Unavailable when it could not be handed over; it may be tried again
   */
  send(mail: Mail): Promise<void>;
}
