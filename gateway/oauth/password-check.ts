import type { TokenContent } from '../../actors/domain/keyed-tokens.js';
import { isProblem } from '../../actors/domain/problem.js';
import { addressKey } from '../http/limits/client-address.js';
import type { Services } from '../http/services.js';
import type { Attempts } from './attempts.js';
import { type Guards, guardsOf } from './guards.js';

/** The owner of the account to which the password belongs. */
export interface Checked {
  readonly id: string;
  readonly role: string;
  readonly confirmed: boolean;
  readonly approved: boolean;
  readonly disabled: boolean;
  readonly suspended: boolean;
  /** Then `disabled` is true, too. */
  readonly memorial: boolean;
}

export interface PasswordAttempt {
  /** E-mail address or username, as typed. */
  readonly login: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** The client's browser, if the owner of its account has signed in with it before. */
  readonly browser?: TokenContent | undefined;
}

/** A counter with its key. */
type Counter = readonly [Attempts, string];

/**
 * Returns the account; undefined if there is none or the password is wrong. Both cases take equally long. `too_many`:
 * attempts with this name, or from this address, are over the limit.
 * @throws Unavailable when too many passwords are being checked
 */
export async function checkPassword(
  services: Pick<Services, 'registry' | 'clock' | 'caches' | 'instance' | 'askAccount'>,
  { login, password, remoteAddress, browser }: PasswordAttempt,
): Promise<Checked | 'too_many' | undefined> {
  const guards = guardsOf(services);
  const name = login.trim().toLowerCase();
  const id = name === '' ? undefined : await services.registry.find(`${name.includes('@') ? 'email' : 'acct'}:${name}`);
  const isOwn = id !== undefined && browser?.account === id;
  const address = addressKey(remoteAddress);
  const shown = isOwn ? ownCounters(guards, browser.nonce) : nameCounters(guards, name, address);
  const hidden = isOwn || id === undefined ? [] : accountCounters(guards, id, address);
  const isLimited = services.instance.rateLimits;
  // Attempts are counted before the check, so that concurrent ones cannot exceed the limit. They are taken back if the
  // password was right.
  if (isLimited && !takeAll(shown)) return 'too_many';
  // The answer is the same as for a wrong password: a refusal would reveal that a name and an e-mail address belong to
  // one account.
  const isSpent = isLimited && !takeAll(hidden);
  const known = id === undefined || isSpent ? undefined : await services.askAccount(id, 'credentials', {});
  const credentials = known === undefined || isProblem(known) || !known.exists ? undefined : known;
  const fits = await guards.passwords.matches(credentials?.passwordHash, password);
  if (!fits || credentials === undefined || id === undefined) return undefined;
  if (isLimited) for (const [attempts, key] of [...shown, ...hidden]) attempts.giveBack(key);
  const { role, confirmed, approved, disabled, suspended, memorial } = credentials;
  return { id, role, confirmed, approved, disabled, suspended, memorial };
}

/** Stops at the first counter over its limit: an address over its limit must not use up an account's. */
const takeAll = (counters: readonly Counter[]): boolean => counters.every(([attempts, key]) => attempts.take(key));

/** A browser with which the owner has signed in has a counter of its own, so strangers cannot lock it out. */
const ownCounters = ({ wrongFromOnePlace }: Guards, nonce: string): Counter[] => [
  [wrongFromOnePlace, `browser ${nonce}`],
];

/** Counters that are the same with and without an account of that name. */
const nameCounters = (guards: Guards, name: string, address: string): Counter[] => [
  [guards.wrongByAddress, address],
  [guards.wrongFromOnePlace, `name ${address} ${name}`],
  [guards.wrongByStrangers, `name ${name}`],
];

/** Counters of an account, shared by all of its names. */
const accountCounters = (guards: Guards, id: string, address: string): Counter[] => [
  [guards.wrongFromOnePlace, `id ${address} ${id}`],
  [guards.wrongByStrangers, `id ${id}`],
];
