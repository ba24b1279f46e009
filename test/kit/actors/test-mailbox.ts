import { mailKind } from '../../../actors/kinds/mail.js';
import { MailFigures } from '../../../actors/mail/mail-figures.js';
import type { Mailer } from '../../../transport/mailer.js';
import { keyedTokens } from '../keyed-tokens.js';

/** Returns a mailbox kind with a mailer of a test. */
export function testMailbox(
  mailer: Mailer,
  clock: { nowMs(): number },
  more: { figures?: MailFigures; log?: object[] } = {},
) {
  const { figures = new MailFigures(), log = [] } = more;
  const site = { baseUrl: 'https://here.example', domain: 'here.example' };
  const warn = (fields: object, message: string) => void log.push({ ...fields, message });
  return mailKind({ site, mailer, clock, keyedTokens, figures, log: { warn } });
}

/** Returns a mailbox kind for tests that ignore mail. */
export const silentMailbox = () => testMailbox({ send: async () => ({ kind: 'sent' }) }, { nowMs: () => 0 });
