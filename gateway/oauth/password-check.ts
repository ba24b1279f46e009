import { isProblem } from '../../actors/domain/problem.js';
import type { Services } from '../services.js';
import { addressKey } from './attempts.js';
import { guardsOf } from './guards.js';

/** Whose password fitted. */
export interface Checked {
  readonly id: string;
  readonly role: string;
  readonly confirmed: boolean;
  readonly approved: boolean;
  readonly disabled: boolean;
  readonly suspended: boolean;
}

/**
 * Who it is, by e-mail address or username; undefined when there is no such account or the password is wrong, which
 * take as long and read the same. `too_many`: wrong ones for this account, or from this address, are over the limit.
 * @throws Unavailable when too many passwords are being checked
 */
export async function checkPassword(
  services: Services,
  login: string,
  password: string,
  remoteAddress: string,
): Promise<Checked | 'too_many' | undefined> {
  const guards = guardsOf(services);
  const name = login.trim().toLowerCase();
  const [account, address] = [name, addressKey(remoteAddress)];
  const limited = services.instance.rateLimits;
  // Counted before the check, so that many at once cannot slip by; given back when the password was right.
  // The address first: one that is over its limit must not lock more accounts out.
  if (limited && !(guards.wrongByAddress.take(address) && guards.wrongByAccount.take(account))) return 'too_many';
  const id = name === '' ? undefined : await services.registry.find(`${name.includes('@') ? 'email' : 'acct'}:${name}`);
  const known = id === undefined ? undefined : await services.askAccount(id, 'credentials', {});
  const credentials = known === undefined || isProblem(known) || !known.exists ? undefined : known;
  const fits = await guards.passwords.matches(credentials?.passwordHash, password);
  if (!fits || credentials === undefined || id === undefined) return undefined;
  if (limited) {
    guards.wrongByAccount.giveBack(account);
    guards.wrongByAddress.giveBack(address);
  }
  const { role, confirmed, approved, disabled, suspended } = credentials;
  return { id, role, confirmed, approved, disabled, suspended };
}
