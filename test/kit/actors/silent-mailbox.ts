import { mailKind } from '../../../actors/kinds/mail.js';
import { keyedTokens } from '../keyed-tokens.js';

/** Returns a mailbox kind for tests that ignore mail. */
export const silentMailbox = () =>
  mailKind({ mailer: { send: async () => undefined }, clock: { nowMs: () => 0 }, keyedTokens });
