import type { Mailer } from '../../transport/mailer.js';
import type { KeyedTokens, TokenPurpose } from '../domain/keyed-tokens.js';
import type { Clock } from '../domain/time.js';
import { type Events, type State, TOKEN_PLACE } from '../mail/mail.js';
import type { Reaction } from '../runtime/kind.js';

export interface MailContext {
  readonly mailer: Mailer;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly keyedTokens: Pick<KeyedTokens, 'make'>;
}

/** Time for which a mail is retried. Source: RFC 5321 §4.5.4.1, four to five days. */
export const MAIL_TRIED_MS_MAX = 5 * 86_400_000;

/** Sends mails after the reply, so that a slow mail server delays nobody. A crash may send a mail twice. */
export function mailboxReactions({ mailer, clock, keyedTokens }: MailContext): readonly Reaction<State, Events>[] {
  return [
    {
      surface: 'mail',
      beforeReply: false,
      on: {
        async posted({ to, subject, text, link, atMs }, { self }) {
          if (clock.nowMs() - atMs > MAIL_TRIED_MS_MAX) return;
          // Only the mail contains the token; the journal contains the nonce.
          const token = link && keyedTokens.make(link.purpose as TokenPurpose, { account: self, nonce: link.nonce });
          await mailer.send({ to, subject, text: token === undefined ? text : text.replace(TOKEN_PLACE, token) });
        },
      },
    },
  ];
}
