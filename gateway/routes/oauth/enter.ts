import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { Texts } from '../../html/texts/index.js';
import { WEB_CLIENT } from '../../http/api-call.js';
import { type Answer, type Request, redirect } from '../../http/route.js';
import type { Checked } from '../../oauth/password-check.js';
import { browserCookie, browserOf, sessionCookie } from '../../oauth/session.js';
import { describedSignIn } from '../../oauth/sign-in-origin.js';
import { issueToken } from '../../oauth/tokens.js';

/** Longest authorization request, as a query, that continues after the sign-in. */
export const NEXT_CHARS_MAX = 8_000;

/** Returns the text if it is a path of this server; undefined for any other address. */
export const ownPath = (text: string): string | undefined =>
  /^\/(?![/\\])[\x21-\x7e]*$/.test(text) ? text : undefined;

/** Returns why an account has no sessions, as the form says it. Without that, the form would reappear unexplained. */
export function shutOut(
  { disabled, suspended, approved, memorial }: Pick<Checked, 'disabled' | 'suspended' | 'approved' | 'memorial'>,
  faults: Texts['auth']['access']['signInFaults'],
): string | undefined {
  if (memorial) return faults.memorial;
  if (disabled) return faults.disabled;
  if (suspended) return faults.suspended;
  return approved ? undefined : faults.waiting;
}

/** Begins a session of an account whose owner has proved to be it, and leads on. @throws Unavailable */
export async function enter(
  {
    services,
    headers,
    remoteAddress,
  }: Pick<Request<unknown, unknown, unknown>, 'services' | 'headers' | 'remoteAddress'>,
  account: string,
  { next, returnTo }: { readonly next: string; readonly returnTo: string | undefined },
): Promise<Answer | Problem> {
  const signedIn = describedSignIn(services, account, remoteAddress, headers['user-agent']);
  const token = await issueToken(services, account, WEB_CLIENT, [], 'session', signedIn);
  if (isProblem(token)) return token;
  // The redirect always leads to the authorization page of this server, whatever the field contains.
  const location = next === '' ? (returnTo ?? '/web') : `/oauth/authorize?${new URLSearchParams(next)}`;
  const cookies = [browserCookie(services, account, browserOf(services, headers))];
  return { ...redirect(location, 303, { 'set-cookie': sessionCookie(services, token) }), cookies };
}
