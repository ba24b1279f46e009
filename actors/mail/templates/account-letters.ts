import type { MailLetter } from '../../../proto/gen/types.js';
import { button, fact, letter, type Recipient, type Site, TOKEN_PLACE, text } from './letter.js';

/** Letters about an account and its security. Nobody can end them. */

/** Asks for the confirmation of the address to which it goes. */
export const confirmationLetter = (site: Site, to: Recipient): MailLetter =>
  letter(site, to, ({ confirmation }) => ({
    subject: confirmation.subject,
    parts: [
      text(confirmation.text(site.domain)),
      button(confirmation.button, `${site.baseUrl}/auth/confirmation?confirmation_token=${TOKEN_PLACE}`),
      text(confirmation.otherwise),
    ],
  }));

/** Contains the link to a new password. */
export const resetLetter = (site: Site, to: Recipient): MailLetter =>
  letter(site, to, ({ reset }) => ({
    subject: reset.subject,
    parts: [
      text(reset.text(site.domain)),
      button(reset.button, `${site.baseUrl}/auth/password/edit?reset_password_token=${TOKEN_PLACE}`),
      text(reset.otherwise),
    ],
  }));

export const passwordChangedLetter = (site: Site, to: Recipient): MailLetter =>
  letter(site, to, ({ passwordChanged }) => ({
    subject: passwordChanged.subject,
    parts: [
      text(passwordChanged.text(site.domain)),
      text(passwordChanged.otherwise),
      button(passwordChanged.button, `${site.baseUrl}/auth/password/new`),
    ],
  }));

/** Goes out when somebody can sign in with a passkey from now on. */
export const passkeyAddedLetter = (site: Site, to: Recipient, name: string): MailLetter =>
  letter(site, to, ({ passkeyAdded }) => ({
    subject: passkeyAdded.subject,
    parts: [
      text(passkeyAdded.text(site.domain, name)),
      text(passkeyAdded.otherwise),
      button(passkeyAdded.button, `${site.baseUrl}/settings/passkeys`),
    ],
  }));

/** Goes to the owner of an address with which somebody signs up again. The page of the sign-up does not say so. */
export const repeatedSignUpLetter = (site: Site, to: Recipient): MailLetter =>
  letter(site, to, ({ repeatedSignUp }) => ({
    subject: repeatedSignUp.subject,
    parts: [
      text(repeatedSignUp.text(site.domain)),
      button(repeatedSignUp.button, `${site.baseUrl}/auth/sign_in`),
      text(repeatedSignUp.otherwise),
    ],
  }));

/** Asks for the confirmation of another address of an account, to which it goes. */
export const newAddressLetter = (site: Site, to: Recipient): MailLetter =>
  letter(site, to, ({ newAddress }) => ({
    subject: newAddress.subject,
    parts: [
      text(newAddress.text(site.domain)),
      button(newAddress.button, `${site.baseUrl}/auth/email/confirmation?token=${TOKEN_PLACE}`),
      text(newAddress.otherwise),
    ],
  }));

/**
 * Goes to the former address. It does not name the new one, since the former may be a stranger's.
 * @param contact where the owner of a confirmed address can object
 */
export const emailChangedLetter = (site: Site, to: Recipient, contact?: string): MailLetter =>
  letter(site, to, ({ emailChanged }) => ({
    subject: emailChanged.subject,
    parts: [
      text(emailChanged.text(site.domain)),
      text(contact === undefined ? emailChanged.otherwise : emailChanged.appeal(contact)),
    ],
  }));

/** Returns a time to the minute, as mails name it. */
const minuteOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** A sign-in, as its mail describes it. */
export interface DescribedSignIn {
  readonly atMs: number;
  /** IP address of the client. */
  readonly address: string;
  /** Browser and system; empty if they are unknown. */
  readonly browser: string;
}

export const signInLetter = (site: Site, to: Recipient, { atMs, address, browser }: DescribedSignIn): MailLetter =>
  letter(site, to, ({ signIn }) => ({
    subject: signIn.subject,
    parts: [
      text(signIn.text(site.domain)),
      fact(signIn.time, minuteOf(atMs)),
      fact(signIn.address, address),
      fact(signIn.browser, browser === '' ? signIn.unknownBrowser : browser),
      text(signIn.otherwise),
      button(signIn.button, `${site.baseUrl}/auth/password/new`),
    ],
  }));

export const deletedLetter = (site: Site, to: Recipient): MailLetter =>
  letter(site, to, ({ deleted }) => ({ subject: deleted.subject, parts: [text(deleted.text(site.domain))] }));

/** Leads to the archive. Only a session of its owner can download it, so the mail has no token. */
export const archiveReadyLetter = (site: Site, to: Recipient, expiresMs: number): MailLetter =>
  letter(site, to, ({ archiveReady }) => ({
    subject: archiveReady.subject,
    parts: [
      text(archiveReady.text(site.domain)),
      fact(archiveReady.until, minuteOf(expiresMs)),
      button(archiveReady.button, `${site.baseUrl}/settings/archive`),
      text(archiveReady.otherwise),
    ],
  }));
