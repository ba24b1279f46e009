import type { Mailer } from '../../transport/mailer.js';
import type { Clock } from '../domain/time.js';
import type { Events, State } from '../mailbox/mailbox.js';
import type { Reaction } from '../runtime/kind.js';

export interface MailboxSurroundings {
  readonly mailer: Mailer;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** For how long a mail is tried. Source: RFC 5321 §4.5.4.1, four to five days. */
export const MAIL_TRIED_MS_MAX = 5 * 86_400_000;

/** Behind the reply, so that a slow mail server holds nobody up. A crash may send a mail twice. */
export function mailboxReactions({ mailer, clock }: MailboxSurroundings): readonly Reaction<State, Events>[] {
  return [
    {
      surface: 'mail',
      beforeReply: false,
      on: {
        async posted({ to, subject, text, atMs }) {
          if (clock.nowMs() - atMs <= MAIL_TRIED_MS_MAX) await mailer.send({ to, subject, text });
        },
      },
    },
  ];
}
