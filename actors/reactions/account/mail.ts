import type { MailPost } from '../../../proto/gen/types.js';
import { RANGE_LIMIT_MAX, type ReadTables } from '../../../store/port.js';
import { accounts, instanceEntries } from '../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { accountUrl, acctOf } from '../../domain/addresses.js';
import type { TokenPurpose } from '../../domain/keyed-tokens.js';
import type { MailList } from '../../domain/mail-lists.js';
import {
  archiveReadyLetter,
  confirmationLetter,
  deletedLetter,
  emailChangedLetter,
  newAddressLetter,
  passkeyAddedLetter,
  passwordChangedLetter,
  repeatedSignUpLetter,
  resetLetter,
  signInLetter,
} from '../../mail/templates/account-letters.js';
import type { Recipient, Site } from '../../mail/templates/letter.js';
import { decisionLetter, isDecision, reportLetter } from '../../mail/templates/moderation-letters.js';
import type { Effects, Reaction } from '../../runtime/kind.js';

/** Records that mails read: the contact of the instance, and names of accounts. */
type Tables = Pick<ReadTables, 'range' | 'get'>;

/** Sends a mail, unless the account is deleted and has no address. */
async function post(effects: Effects, account: string, mail: MailPost): Promise<void> {
  if (mail.to !== '') await effects.tell('mailbox', account, 'post', mail);
}

const link = (purpose: TokenPurpose, nonce: string) => ({ purpose, nonce });
const REPORTS: MailList = 'reports';

/** Mails to the account's owner. The mail actor with the same id sends them. */
export function accountMail(site: Site, tables: Tables): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'mail',
    beforeReply: false,
    on: {
      ...confirmations(site),
      ...emailChanges(site, tables),
      ...security(site),
      /** Accounts that handle reports get a mail for each. The notification is sent once, so the mail is, too. */
      async notified({ kind, from, report }, { self, state: { owner, endedMails } }, effects) {
        if (kind !== 'admin.report' || report === undefined || owner === undefined || endedMails.has(REPORTS)) return;
        const { id, category, comment, statusIds, target } = report;
        const reported = await named(tables, site, target);
        const by = await named(tables, site, from);
        const described = { id, category, comment, statuses: statusIds.length, by: by.name };
        const letter = reportLetter(site, owner, { ...described, target: reported.name, targetUrl: reported.url });
        await post(effects, self, { to: owner.email, letter, list: REPORTS });
      },
      async moderated({ action, mail, text, recipient }, { self, state }, effects) {
        const owner = state.owner ?? recipient;
        if (owner === undefined || !mail || !isDecision(action)) return;
        const contact = await contactOf(tables, site);
        const letter = decisionLetter(site, owner, { action, reason: text, contact });
        await post(effects, self, { to: owner.email, letter });
      },
      async purged({ recipient }, { self }, effects) {
        if (recipient === undefined) return;
        await post(effects, self, { to: recipient.email, letter: deletedLetter(site, recipient) });
      },
      async archiveReady({ expiresMs }, { self, state: { owner } }, effects) {
        if (owner === undefined) return;
        await post(effects, self, { to: owner.email, letter: archiveReadyLetter(site, owner, expiresMs) });
      },
    },
  };
}

/** Mails that prove an address, and the one to the former address. */
function confirmations(site: Site): Reaction<AccountState, AccountEvents>['on'] {
  const toFormer = async (former: string | undefined, self: string, to: Recipient | undefined, effects: Effects) => {
    if (former === undefined || to === undefined) return;
    await post(effects, self, { to: former, letter: emailChangedLetter(site, to) });
  };
  return {
    async registered({ confirmed, confirmationNonce }, { self, state: { owner } }, effects) {
      if (confirmed || confirmationNonce === undefined || owner?.confirmed !== false) return;
      const letter = confirmationLetter(site, owner);
      await post(effects, self, { to: owner.email, letter, link: link('confirmation', confirmationNonce) });
    },
    async confirmationResent({ email, nonce, former }, { self, state: { owner } }, effects) {
      await toFormer(former, self, owner, effects);
      // Another address may have been set since.
      if (owner === undefined || owner.confirmed || owner.email !== email) return;
      const letter = confirmationLetter(site, owner);
      await post(effects, self, { to: email, letter, link: link('confirmation', nonce) });
    },
    confirmationWithheld: ({ former }, { self, state: { owner } }, effects) => toFormer(former, self, owner, effects),
  };
}

/** Mails to the new and to the former address of a confirmed account. */
function emailChanges(site: Site, tables: Tables): Reaction<AccountState, AccountEvents>['on'] {
  return {
    async emailChangeAsked({ email, nonce }, { self, state: { owner, emailChange } }, effects) {
      // Another address may have been asked for since, or this one confirmed.
      if (owner === undefined || nonce === undefined || emailChange?.nonce !== nonce) return;
      await post(effects, self, { to: email, letter: newAddressLetter(site, owner), link: link('email', nonce) });
    },
    async emailChanged({ former }, { self, state: { owner } }, effects) {
      if (owner === undefined) return;
      const letter = emailChangedLetter(site, owner, await contactOf(tables, site));
      await post(effects, self, { to: former, letter });
    },
  };
}

/** Mails about passwords, passkeys and sign-ins. */
function security(site: Site): Reaction<AccountState, AccountEvents>['on'] {
  return {
    async resetAsked({ nonce, atMs }, { self, state }, effects) {
      const { owner, passwordReset } = state;
      if (owner === undefined || passwordReset?.askedAtMs !== atMs) return;
      await post(effects, self, { to: owner.email, letter: resetLetter(site, owner), link: link('reset', nonce) });
    },
    async passwordChanged(_event, { self, state: { owner } }, effects) {
      if (owner === undefined || !owner.confirmed) return;
      await post(effects, self, { to: owner.email, letter: passwordChangedLetter(site, owner) });
    },
    async passkeyAdded({ name }, { self, state: { owner } }, effects) {
      if (owner === undefined || !owner.confirmed) return;
      await post(effects, self, { to: owner.email, letter: passkeyAddedLetter(site, owner, name) });
    },
    async signUpRepeated(_event, { self, state: { owner } }, effects) {
      if (owner === undefined || !owner.confirmed) return;
      await post(effects, self, { to: owner.email, letter: repeatedSignUpLetter(site, owner) });
    },
    async signedInAnew({ address, browser = '', atMs }, { self, state: { owner } }, effects) {
      // A stranger may own an address that is not confirmed.
      if (address === undefined || owner === undefined || !owner.confirmed) return;
      await post(effects, self, { to: owner.email, letter: signInLetter(site, owner, { atMs, address, browser }) });
    },
  };
}

/** Returns the address of an account and its page, as moderators read them. */
async function named(tables: Tables, { baseUrl, domain }: Site, id: string) {
  const record = await tables.get(accounts, { account: id });
  if (record === undefined) return { name: id, url: baseUrl };
  const acct = acctOf(record);
  return { name: acct.includes('@') ? `@${acct}` : `@${acct}@${domain}`, url: accountUrl(baseUrl, record) };
}

/** Returns where an owner can appeal: the operator's address, or the page about the instance if none is set. */
async function contactOf(tables: Tables, { baseUrl }: Site): Promise<string> {
  const rows = await tables.range(instanceEntries, { collection: 'settings' }, { limit: RANGE_LIMIT_MAX });
  const contact = rows.find(({ value }) => value.key === 'contact_email')?.value.text?.text.trim();
  return contact ? contact : `${baseUrl}/about`;
}
