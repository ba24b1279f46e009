/** One mail. `text` is always present; `html` has the same content. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** A sender of mails. */
export interface Mailer {
  /**
   * Sends a mail. Also resolves when the server rejects it permanently: an unknown mailbox, an unwanted mail.
   * @throws Unavailable when the mail could not be handed over; retry it
   */
  send(mail: Mail): Promise<void>;
}
