import { tokenHash } from '../../http/authenticator.js';
import { checkPassword } from '../../oauth/password-check.js';
import type { Personal } from './personal.js';

/** Why a password is refused, and the status of the page that says so. */
export interface RefusedPassword {
  readonly fault: string;
  readonly status: 422 | 429;
}

/**
 * Checks the password of somebody who is signed in with a browser, before a change that a thief of the session must not
 * make. Returns undefined if it is right. @throws Unavailable when too many passwords are being checked
 */
export async function refusedPassword(
  { session, request, reader }: Pick<Personal<unknown, unknown, unknown>, 'session' | 'request' | 'reader'>,
  password: string,
): Promise<RefusedPassword | undefined> {
  const { services, remoteAddress } = request;
  const { account, token } = session;
  const browser = { account: account.id, nonce: tokenHash(token) };
  const checked = await checkPassword(services, { login: account.username, password, remoteAddress, browser });
  const { passwords, signInFaults } = reader.texts.auth.access;
  if (checked === 'too_many') return { fault: signInFaults.tooMany, status: 429 };
  return checked?.id === account.id ? undefined : { fault: passwords.wrong, status: 422 };
}
