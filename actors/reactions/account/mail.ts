import type { MailPost } from '../../../proto/gen/types.js';
import type { Owner } from '../../account/register.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { TokenPurpose } from '../../domain/keyed-tokens.js';
import { catalogueFor } from '../../domain/text/catalogue/catalogue.js';
import type { MailTexts } from '../../domain/text/catalogue/texts.js';
import { TOKEN_PLACE } from '../../mail/mail.js';
import type { Effects, Reaction } from '../../runtime/kind.js';

/** Sends a mail, unless the account is deleted and has no address. */
async function post(effects: Effects, account: string, mail: MailPost): Promise<void> {
  if (mail.to !== '') await effects.tell('mailbox', account, 'post', mail);
}

/** Mails to the account's owner, in the owner's language. The mail actor with the same id sends them. */
export function accountMail(baseUrl: string): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'mail',
    beforeReply: false,
    on: {
      async registered({ confirmed, confirmationNonce }, { self, state: { owner } }, effects) {
        if (confirmed || confirmationNonce === undefined || owner?.confirmed !== false) return;
        await post(effects, self, confirmationMail(baseUrl, owner, confirmationNonce));
      },
      async confirmationResent({ email, nonce }, { self, state: { owner } }, effects) {
        // Another address may have been set since.
        if (owner === undefined || owner.confirmed || owner.email !== email) return;
        await post(effects, self, confirmationMail(baseUrl, owner, nonce));
      },
      async resetAsked({ nonce, atMs }, { self, state }, effects) {
        const { owner, passwordReset } = state;
        if (owner === undefined || passwordReset?.askedAtMs !== atMs) return;
        const { reset } = textsFor(owner);
        const url = `${baseUrl}/auth/password/edit?reset_password_token=${TOKEN_PLACE}`;
        const paragraphs = [reset.text(hostOf(baseUrl)), `${reset.button}: ${url}`, reset.otherwise];
        await post(effects, self, { ...mailTo(owner, reset.subject, paragraphs), link: link('reset', nonce) });
      },
      async passwordChanged(_event, { self, state: { owner } }, effects) {
        if (owner === undefined || !owner.confirmed) return;
        const { subject, text, otherwise } = textsFor(owner).passwordChanged;
        await post(
          effects,
          self,
          mailTo(owner, subject, [text(hostOf(baseUrl)), otherwise, `${baseUrl}/auth/password/new`]),
        );
      },
      /** Accounts that handle reports get a mail for each. The notification is sent once, so the mail is, too. */
      async notified({ kind, report }, { self, state: { owner } }, effects) {
        if (kind !== 'admin.report' || report === undefined || owner === undefined) return;
        const { report: texts } = textsFor(owner);
        const facts = `${texts.target}: ${report.target}\n${texts.category}: ${report.category}`;
        await post(
          effects,
          self,
          mailTo(owner, texts.subject(report.id), [texts.text(hostOf(baseUrl)), facts, report.comment]),
        );
      },
      async moderated({ action, mail, text }, { self, state: { owner } }, effects) {
        if (owner === undefined || !mail) return;
        const { decisions } = textsFor(owner);
        if (!Object.hasOwn(decisions, action)) return;
        const decision = decisions[action as keyof typeof decisions];
        await post(effects, self, mailTo(owner, decision.subject, [decision.text, text]));
      },
    },
  };
}

const hostOf = (baseUrl: string): string => new URL(baseUrl).host;

type Recipient = Pick<Owner, 'username' | 'email' | 'locale'>;

const textsFor = ({ locale }: Recipient): MailTexts => catalogueFor(locale).mail;

function mailTo(owner: Recipient, subject: string, paragraphs: readonly string[]): MailPost {
  const written = [textsFor(owner).hello(owner.username), ...paragraphs].filter((text) => text !== '');
  return { to: owner.email, subject, text: `${written.join('\n\n')}\n` };
}

function confirmationMail(baseUrl: string, owner: Recipient, nonce: string): MailPost {
  const { confirmation } = textsFor(owner);
  const url = `${baseUrl}/auth/confirmation?confirmation_token=${TOKEN_PLACE}`;
  const paragraphs = [confirmation.text(hostOf(baseUrl)), `${confirmation.button}: ${url}`, confirmation.otherwise];
  return { ...mailTo(owner, confirmation.subject, paragraphs), link: link('confirmation', nonce) };
}

const link = (purpose: TokenPurpose, nonce: string) => ({ purpose, nonce });
