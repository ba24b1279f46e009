import { createHash, timingSafeEqual } from 'node:crypto';
import type { TokenContent } from '../../actors/domain/keyed-tokens.js';
import { isShutOut } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts, tokens } from '../../store/tables.js';
import { tokenHash } from '../http/authenticator.js';
import type { Services } from '../http/services.js';
import { newNonce, newSecret } from './clients.js';

/** Cookies: the session token; and before sign-in, a random value that ties forms to the browser they were sent to. */
const SESSION = 'murmuration_session';
const VISIT = 'murmuration_visit';
/** Cookie that marks a browser with which the owner of an account has signed in. A sign-out leaves it in place. */
const BROWSER = 'murmuration_browser';
/** A month. A user who visits the pages less often signs in again. */
const SESSION_SECONDS = 30 * 86_400;
/** A day, the longest time for which a form can stay open. */
const VISIT_SECONDS = 86_400;
/** A year. The browser of a user who signs in less often counts as unknown again. */
const BROWSER_SECONDS = 365 * 86_400;
/** Bounds the parsed header; browsers send a few hundred characters. */
const COOKIE_CHARS_MAX = 4_096;

/** Account that is signed in with a browser. */
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

function cookie(services: Pick<Services, 'instance'>, name: string, value: string, seconds: number): string {
  const secure = services.instance.baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

export const sessionCookie = (services: Pick<Services, 'instance'>, token: string): string =>
  cookie(services, SESSION, token, SESSION_SECONDS);
/** Returns the identity of the request's browser, if an owner has signed in with it before. */
export const browserOf = (services: Pick<Services, 'keyedTokens'>, headers: Headers): TokenContent | undefined =>
  services.keyedTokens.read('browser', cookieOf(headers, BROWSER) ?? '');

/** Returns the cookie that marks the browser as one with which the account's owner signs in; an existing mark stays. */
export function browserCookie(
  services: Pick<Services, 'random' | 'keyedTokens' | 'instance'>,
  account: string,
  known: TokenContent | undefined,
): string {
  const nonce = known?.account === account ? known.nonce : newNonce(services);
  return cookie(services, BROWSER, services.keyedTokens.make('browser', { account, nonce }), BROWSER_SECONDS);
}

export const endedCookie = (services: Pick<Services, 'instance'>): string => cookie(services, SESSION, '', 0);

/** Returns the session of the request's cookie, if it is still valid. @throws Unavailable */
export async function sessionOf(
  services: Pick<Services, 'tables' | 'clock' | 'registry'>,
  headers: Headers,
): Promise<Session | undefined> {
  const token = cookieOf(headers, SESSION);
  if (token === undefined) return undefined;
  const hash = tokenHash(token);
  const account = await sessionAccount(services, hash);
  if (account === undefined) return undefined;
  services.registry.noteTokenUse(hash);
  return { account, token };
}

/** Returns the account of a session by the hash of its token, if the session is still valid. @throws Unavailable */
export async function sessionAccount(
  services: Pick<Services, 'tables' | 'clock'>,
  hash: string,
): Promise<StoreAccountRecord | undefined> {
  const record = await services.tables.get(tokens, { hash });
  if (record?.kind !== 'session' || record.accountId === undefined) return undefined;
  // The lifetime of the cookie binds only honest browsers.
  if (record.atMs + SESSION_SECONDS * 1_000 <= services.clock.nowMs()) return undefined;
  const account = await services.tables.get(accounts, { account: record.accountId });
  return account === undefined || !account.approved || isShutOut(account) ? undefined : account;
}

/** Returns the browser's visit; `cookie` must be set if it is new. */
export function visitOf(
  services: Pick<Services, 'random' | 'instance'>,
  headers: Headers,
): { readonly value: string; readonly cookie?: string } {
  const known = cookieOf(headers, VISIT);
  if (known !== undefined) return { value: known };
  const value = newSecret(services);
  return { value, cookie: cookie(services, VISIT, value, VISIT_SECONDS) };
}

/**
 * Returns the value with which a form proves that it was sent to this browser, derived from a cookie that others cannot
 * read.
 */
export function csrfOf(secret: string): string {
  return createHash('sha256').update(`form:${secret}`).digest('base64url');
}

/** Returns true if a posted form comes from a page of this server in this browser. */
export function isOwnForm(
  services: Pick<Services, 'instance'>,
  headers: Headers,
  secret: string | undefined,
  csrf: string,
): boolean {
  if (secret === undefined || !isOwnOrigin(services, headers)) return false;
  const [wanted, given] = [Buffer.from(csrfOf(secret)), Buffer.from(csrf)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

/** Returns false if the browser says that a page of another origin made the request. */
export function isOwnOrigin({ instance }: Pick<Services, 'instance'>, { origin, host }: Headers): boolean {
  const own = new URL(instance.baseUrl);
  return origin === undefined || origin === own.origin || origin === `${own.protocol}//${host}`;
}

export const knownVisit = (headers: Headers): string | undefined => cookieOf(headers, VISIT);
