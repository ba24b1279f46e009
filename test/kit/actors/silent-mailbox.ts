import { mailboxKind } from '../../../actors/kinds/mail.js';
import { keyedTokens } from '../keyed-tokens.js';

/** Mailboxes for tests that look at no mail. */
export const silentMailbox = () =>
  mailboxKind({ mailer: { send: async () => undefined }, clock: { nowMs: () => 0 }, keyedTokens });
