import type { MailLetter } from '../../../proto/gen/types.js';
import { catalogueFor } from '../../domain/text/catalogue/catalogue.js';
import type { DecisionAction } from '../../domain/text/catalogue/texts.js';
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
} from './account-letters.js';
import type { Site } from './letter.js';
import { decisionLetter, reportLetter } from './moderation-letters.js';

/** Writes an example of one template. */
export type Sample = (site: Site, locale: string) => MailLetter;

const ada = (locale: string) => ({ username: 'ada', locale });

const decision =
  (action: DecisionAction): Sample =>
  (site, locale) =>
    decisionLetter(site, ada(locale), {
      action,
      reason: 'Please read the rules.\n<script>alert("never run")</script>',
      contact: `moderators@${site.domain}`,
    });

const decisions = Object.keys(catalogueFor('en').mail.decisions) as DecisionAction[];

/** An example of each mail that this server sends, for the preview page and the tests. */
export const samples: Readonly<Record<string, Sample>> = {
  confirmation: (site, locale) => confirmationLetter(site, ada(locale)),
  reset: (site, locale) => resetLetter(site, ada(locale)),
  'password-changed': (site, locale) => passwordChangedLetter(site, ada(locale)),
  'passkey-added': (site, locale) => passkeyAddedLetter(site, ada(locale), 'Telephone'),
  'repeated-sign-up': (site, locale) => repeatedSignUpLetter(site, ada(locale)),
  'new-address': (site, locale) => newAddressLetter(site, ada(locale)),
  'email-changed': (site, locale) => emailChangedLetter(site, ada(locale)),
  'own-email-changed': (site, locale) => emailChangedLetter(site, ada(locale), `moderators@${site.domain}`),
  'sign-in': (site, locale) =>
    signInLetter(site, ada(locale), { atMs: 1_767_225_600_000, address: '192.0.2.7', browser: 'Firefox, Linux' }),
  'archive-ready': (site, locale) => archiveReadyLetter(site, ada(locale), 1_767_225_600_000),
  deleted: (site, locale) => deletedLetter(site, ada(locale)),
  report: (site, locale) =>
    reportLetter(site, ada(locale), {
      id: '42',
      category: 'spam',
      target: `@ben@${site.domain}`,
      targetUrl: `${site.baseUrl}/@ben`,
      by: `@cleo@${site.domain}`,
      statuses: 2,
      comment: 'The same link <b>again</b> & again.',
    }),
  ...Object.fromEntries(decisions.map((action) => [`decision-${action}`, decision(action)])),
};
