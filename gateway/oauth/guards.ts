import { addressKey } from '../http/limits/client-address.js';
import type { Services } from '../http/services.js';
import { Attempts } from './attempts.js';
import { Passwords } from './passwords.js';

const QUARTER_HOUR_MS = 900_000;
/**
 * Wrong passwords for one account from one address or known browser in a quarter of an hour: many for a forgetful
 * owner.
 */
export const WRONG_FROM_ONE_PLACE_MAX = 20;
/**
 * Wrong passwords for one account from all addresses together, except known browsers: few for guessing. A lower limit
 * would let few addresses lock the account.
 */
export const WRONG_BY_STRANGERS_MAX = 100;
/** Wrong passwords from one address in a quarter of an hour: a household or small office behind one address. */
export const WRONG_PER_ADDRESS_MAX = 60;
/** Wrong codes of a second factor for one account, or from one known browser, in a quarter of an hour. */
export const WRONG_CODES_MAX = 10;
/** The same in a day. One guess in 330,000 fits, so an attacker with the password succeeds with 5 % in a year. */
export const WRONG_CODES_OF_DAY_MAX = 50;
/** Sign-ups from one address in a quarter of an hour: a class of pupils signing up together. */
export const SIGN_UPS_PER_ADDRESS_MAX = 100;
/** Applications from one address in a quarter of an hour: web clients register one per visitor from one server. */
export const APPS_PER_ADDRESS_MAX = 300;

/** Mails with a link to a new password from one address in a quarter of an hour: an office that forgot them all. */
export const RESETS_PER_ADDRESS_MAX = 30;

/** Invalid links from mails opened from one address in a quarter of an hour: an office that opens old mails. */
export const WRONG_LINKS_PER_ADDRESS_MAX = 60;

/** Changes of the e-mail address of one unconfirmed account in a quarter of an hour: a few typing errors. */
export const EMAIL_CHANGES_MAX = 5;
/** Changes of e-mail addresses from one address: a class of pupils signing up together. */
export const EMAIL_CHANGES_PER_ADDRESS_MAX = 30;

/** Tokens that one application requests for itself in a quarter of an hour: one for each of its servers and workers. */
export const APP_TOKENS_PER_APP_MAX = 60;

/** Refused sign-ups recorded a day, of one provider and of all: more tell a moderator nothing new. */
export const REFUSALS_OF_DOMAIN_MAX = 500;
export const REFUSALS_MAX = 5_000;
const DAY_MS = 86_400_000;

/** Counters and limits of one server for sign-ins and related forms. */
export interface Guards {
  readonly passwords: Passwords;
  readonly wrongFromOnePlace: Attempts;
  readonly wrongByStrangers: Attempts;
  readonly wrongByAddress: Attempts;
  readonly wrongCodes: Attempts;
  readonly wrongCodesOfDay: Attempts;
  readonly signUps: Attempts;
  readonly apps: Attempts;
  readonly resets: Attempts;
  readonly wrongLinks: Attempts;
  readonly emailChanges: Attempts;
  readonly emailChangesOfAddress: Attempts;
  readonly appTokens: Attempts;
  readonly appTokensOfAddress: Attempts;
  readonly refusals: Attempts;
  readonly refusalsOfDomain: Attempts;
}

/** Guards by server, because tests start several in one process; released with the server's registry. */
const guardsOfServer = new WeakMap<object, Guards>();

/**
 * Counts a link of a mail, for its address, as one that leads nowhere. Returns undefined if there were too many; otherwise
 * a function that takes the count back, for a link that proves right.
 */
export function countLink(
  services: Pick<Services, 'registry' | 'clock' | 'caches' | 'instance'>,
  remoteAddress: string,
): (() => void) | undefined {
  if (!services.instance.rateLimits) return () => {};
  const { wrongLinks } = guardsOf(services);
  const address = addressKey(remoteAddress);
  return wrongLinks.take(address) ? () => wrongLinks.giveBack(address) : undefined;
}

export function guardsOf(services: Pick<Services, 'registry' | 'clock' | 'caches'>): Guards {
  const held = guardsOfServer.get(services.registry);
  if (held !== undefined) return held;
  const { clock, caches } = services;
  const attempts = (max: number, windowMs = QUARTER_HOUR_MS) => new Attempts(max, windowMs, clock, caches);
  const guards: Guards = {
    passwords: new Passwords(),
    wrongFromOnePlace: attempts(WRONG_FROM_ONE_PLACE_MAX),
    wrongByStrangers: attempts(WRONG_BY_STRANGERS_MAX),
    wrongByAddress: attempts(WRONG_PER_ADDRESS_MAX),
    wrongCodes: attempts(WRONG_CODES_MAX),
    wrongCodesOfDay: attempts(WRONG_CODES_OF_DAY_MAX, DAY_MS),
    signUps: attempts(SIGN_UPS_PER_ADDRESS_MAX),
    apps: attempts(APPS_PER_ADDRESS_MAX),
    resets: attempts(RESETS_PER_ADDRESS_MAX),
    wrongLinks: attempts(WRONG_LINKS_PER_ADDRESS_MAX),
    emailChanges: attempts(EMAIL_CHANGES_MAX),
    emailChangesOfAddress: attempts(EMAIL_CHANGES_PER_ADDRESS_MAX),
    appTokens: attempts(APP_TOKENS_PER_APP_MAX),
    appTokensOfAddress: attempts(APPS_PER_ADDRESS_MAX),
    refusals: attempts(REFUSALS_MAX, DAY_MS),
    refusalsOfDomain: attempts(REFUSALS_OF_DOMAIN_MAX, DAY_MS),
  };
  guardsOfServer.set(services.registry, guards);
  return guards;
}
