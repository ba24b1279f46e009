import { type Commands, type Events, mailbox, type State } from '../mail/mail.js';
import { type MailboxSurroundings, mailboxReactions } from '../reactions/mail.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that sends mail to one account and has that account's id. It is separate from the account, so that
 * no other command of the account waits for a mail server.
 */
export function mailboxKind(around: MailboxSurroundings): ActorKind<State, Commands, Events> {
  return {
    name: 'mailbox',
    initial: () => ({}),
    ...mailbox,
    stateVersion: 1,
    reactions: mailboxReactions(around),
  };
}
