import { type Commands, type Events, outgoingMail, type State } from '../mail/mail.js';
import { type MailContext, mailboxReactions } from '../reactions/mail.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that sends mail to one account and has that account's id. It is separate from the account, so that
 * no other command of the account waits for a mail server.
 */
export function mailKind(around: MailContext): ActorKind<State, Commands, Events> {
  return {
    name: 'mailbox',
    initial: () => ({}),
    ...outgoingMail,
    stateVersion: 1,
    reactions: mailboxReactions(around),
  };
}
