import { createHash, timingSafeEqual } from 'node:crypto';
import type { TokenContent } from '../../actors/domain/keyed-tokens.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts, tokens } from '../../store/tables.js';
import { isSuspended } from '../entities/account/account.js';
import { tokenHash } from '../http/authenticator.js';
import type { Services } from '../http/services.js';
import { newNonce, newSecret } from './clients.js';

/** Holds the session token; and, before sign-in, a random value that ties forms to the browser they were sent to. */
const SESSION = 'murmuration_session';
const VISIT = 'murmuration_visit';
/** Says that somebody has signed in to an account with this browser; it stays when they sign out. */
const BROWSER = 'murmuration_browser';
/** A month: who uses the pages less often signs in anew. */
const SESSION_SECONDS = 30 * 86_400;
/** A form that lay open for a day is sent anew. */
const VISIT_SECONDS = 86_400;
/** A year: who signs in less often counts as a stranger again. */
const BROWSER_SECONDS = 365 * 86_400;
/** Bounds what is parsed; browsers send a few hundred characters. */
const COOKIE_CHARS_MAX = 4_096;

/** Who is signed in with a browser. */
export interface Session {
  readonly account: StoreAccountRecord;
  readonly token: string;
}

type Headers = Readonly<Record<string, string>>;

function cookieOf(headers: Headers, name: string): string | undefined {
  const text = (headers.cookie ?? '').slice(0, COOKIE_CHARS_MAX);
  for (const pair of text.split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && /^[\w.-]{20,100}$/.test(value)) return value;
  }
  return undefined;
}

function cookie(services: Services, name: string, value: string, seconds: number): string {
  const secure = services.instance.baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

export const sessionCookie = (services: Services, token: string): string =>
  cookie(services, SESSION, token, SESSION_SECONDS);
/** The browser of a request, if somebody has signed in with it before. */
export const browserOf = (services: Services, headers: Headers): TokenContent | undefined =>
  services.keyedTokens.read('browser', cookieOf(headers, BROWSER) ?? '');

/** Marks the browser as one with which the account's owner signs in; one that is marked keeps its mark. */
export function browserCookie(services: Services, account: string, known: TokenContent | undefined): string {
  const nonce = known?.account === account ? known.nonce : newNonce(services);
  return cookie(services, BROWSER, services.keyedTokens.make('browser', { account, nonce }), BROWSER_SECONDS);
}

export const endedCookie = (services: Services): string => cookie(services, SESSION, '', 0);

/** The session of the request's cookie, if it still counts. @throws Unavailable */
export async function sessionOf(services: Services, headers: Headers): Promise<Session | undefined> {
  const token = cookieOf(headers, SESSION);
  if (token === undefined) return undefined;
  const record = await services.tables.get(tokens, { hash: tokenHash(token) });
  if (record?.kind !== 'session' || record.accountId === undefined) return undefined;
  // The cookie's own end binds honest browsers only.
  if (record.atMs + SESSION_SECONDS * 1_000 <= services.clock.nowMs()) return undefined;
  const account = await services.tables.get(accounts, { account: record.accountId });
  return account === undefined || account.disabled || !account.approved || isSuspended(account)
    ? undefined
    : { account, token };
}

/** The browser's visit; `cookie` is to be set when it is a new one. */
export function visitOf(services: Services, headers: Headers): { readonly value: string; readonly cookie?: string } {
  const known = cookieOf(headers, VISIT);
  if (known !== undefined) return { value: known };
  const value = newSecret(services);
  return { value, cookie: cookie(services, VISIT, value, VISIT_SECONDS) };
}

/** What a form carries to show that it was sent to this browser: derived from a cookie that others cannot read. */
export function csrfOf(secret: string): string {
  return createHash('sha256').update(`form:${secret}`).digest('base64url');
}

/** Whether a posted form comes from our own page in this browser. */
export function isOwnForm(services: Services, headers: Headers, secret: string | undefined, csrf: string): boolean {
  const { origin } = headers;
  const own = new URL(services.instance.baseUrl);
  if (origin !== undefined && origin !== own.origin && origin !== `${own.protocol}//${headers.host}`) return false;
  if (secret === undefined) return false;
  const [wanted, given] = [Buffer.from(csrfOf(secret)), Buffer.from(csrf)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

export const knownVisit = (headers: Headers): string | undefined => cookieOf(headers, VISIT);
