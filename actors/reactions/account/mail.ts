import type { MailPost } from '../../../proto/gen/types.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { TokenPurpose } from '../../domain/keyed-tokens.js';
import { decisionTitle, reportWords } from '../../domain/text/notification-words.js';
import { TOKEN_PLACE } from '../../mail/mail.js';
import type { Effects, Reaction } from '../../runtime/kind.js';

/** Sends a mail, unless the account is deleted and has no address. */
async function post(effects: Effects, account: string, mail: MailPost): Promise<void> {
  if (mail.to !== '') await effects.tell('mailbox', account, 'post', mail);
}

/** Mails to the account's owner. The mail actor with the same id sends them. */
export function accountMail(baseUrl: string): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'mail',
    beforeReply: false,
    on: {
      async registered({ username, email, confirmed, confirmationNonce }, { self, state }, effects) {
        if (confirmed || confirmationNonce === undefined || state.owner?.confirmed !== false) return;
        await post(effects, self, confirmationMail(baseUrl, username, email, confirmationNonce));
      },
      async confirmationResent({ email, nonce }, { self, state }, effects) {
        const { owner } = state;
        // Another address may have been set since.
        if (owner === undefined || owner.confirmed || owner.email !== email) return;
        await post(effects, self, confirmationMail(baseUrl, owner.username, email, nonce));
      },
      async resetAsked({ nonce, atMs }, { self, state }, effects) {
        const { owner, passwordReset } = state;
        if (owner === undefined || passwordReset?.askedAtMs !== atMs) return;
        await post(effects, self, {
          to: owner.email,
          subject: 'A new password',
          text:
            `Hello ${owner.username},\n\nopen this link to choose a new password:\n\n` +
            `${baseUrl}/auth/password/edit?reset_password_token=${TOKEN_PLACE}\n\nIf you did not ask for it, ignore this mail: nothing changes.\n`,
          link: link('reset', nonce),
        });
      },
      async passwordChanged(_event, { self, state }, effects) {
        const { owner } = state;
        if (owner === undefined || !owner.confirmed) return;
        await post(effects, self, {
          to: owner.email,
          subject: 'Your password was changed',
          text:
            `Hello ${owner.username},\n\nyour password on ${baseUrl} was changed, and every device was signed out.\n\n` +
            `If that was not you, ask for a new one: ${baseUrl}/auth/password/new\n`,
        });
      },
      /** Accounts that handle reports get a mail for each. The notification is sent once, so the mail is, too. */
      async notified({ kind, report }, { self, state }, effects) {
        if (kind !== 'admin.report' || report === undefined || state.owner === undefined) return;
        const { title, text } = reportWords(report);
        await post(effects, self, {
          to: state.owner.email,
          subject: title,
          text: `Hello ${state.owner.username},\n\nsomebody has reported an account on ${baseUrl}.\n\n${text}`,
        });
      },
      async moderated({ action, mail, text }, { self, state }, effects) {
        const { owner } = state;
        if (owner === undefined || !mail) return;
        const title = decisionTitle(action);
        if (title === undefined) return;
        await post(effects, self, {
          to: owner.email,
          subject: title,
          text: `Hello ${owner.username},\n\n${title} (${baseUrl}).\n${text === '' ? '' : `\n${text}\n`}`,
        });
      },
    },
  };
}

function confirmationMail(baseUrl: string, username: string, email: string, nonce: string): MailPost {
  return {
    to: email,
    subject: 'Confirm your e-mail address',
    text:
      `Hello ${username},\n\nopen this link to confirm your e-mail address and begin to use your account:\n\n` +
      `${baseUrl}/auth/confirmation?confirmation_token=${TOKEN_PLACE}\n\nIf you did not sign up, ignore this mail.\n`,
    link: link('confirmation', nonce),
  };
}

const link = (purpose: TokenPurpose, nonce: string) => ({ purpose, nonce });
