import type { AccountEvents, AccountState } from '../account/commands.js';
import type { Reaction } from '../runtime/kind.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Hands mails on; adapters in transport/mail. */
export interface Mailer {
  /** @throws Unavailable when it cannot be handed on now; it is then tried again */
  send(mail: Mail): Promise<void>;
}

/** Behind the reply, so that a slow mail server holds nobody up. A crash may send a mail twice. */
export function accountMail(mailer: Mailer, baseUrl: string): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'mail',
    beforeReply: false,
    on: {
      async registered({ username, email, confirmed, confirmationToken }, { state }) {
        if (confirmed || confirmationToken === undefined || state.owner?.confirmed) return;
        const query = new URLSearchParams({ confirmation_token: confirmationToken });
        await mailer.send({
          to: email,
          subject: 'Confirm your e-mail address',
          text:
            `Hello ${username},\n\nopen this link to confirm your e-mail address and begin to use your account:\n\n` +
            `${baseUrl}/auth/confirmation?${query}\n\nIf you did not sign up, ignore this mail.\n`,
        });
      },
    },
  };
}
