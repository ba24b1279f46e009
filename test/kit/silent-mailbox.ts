import { mailboxKind } from '../../actors/mailbox/kind.js';
import { linkTokens } from './link-tokens.js';

/** Mailboxes for tests that look at no mail. */
export const silentMailbox = () =>
  mailboxKind({ mailer: { send: async () => undefined }, clock: { nowMs: () => 0 }, linkTokens });
