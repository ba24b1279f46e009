import { createHash } from 'node:crypto';
import type { StoreAccountRecord, StoreTokenRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { accounts, tokens } from '../../store/tables.js';
import { isSuspended } from '../entities/account/account.js';
import type { Bearer } from './route.js';

/** Who calls: nobody, an application or a user. */
export interface Caller {
  /** The user's account id. */
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
}

/** A valid token with its account, as their rows are. */
export interface Authenticated extends Caller {
  readonly hash: string;
  readonly token: StoreTokenRecord;
  /** Absent for an application's own token. */
  readonly account: StoreAccountRecord | undefined;
  readonly bearer: Bearer;
}

/** A header that bore a valid token, and what was made of the rows when they were last looked at. */
interface Known {
  readonly hash: string;
  found: Authenticated | undefined;
}

/** Headers kept: some hundred bytes each, and what is made of rows that are in memory anyway. */
const HEADERS_MAX = 100_000;
/** Longest token looked up; ours have 43 characters. */
const TOKEN_CHARS_MAX = 512;

export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The token of an Authorization header: undefined when there is no header, '' when it bears none. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? '';
}

/**
 * Finds the token that a request bears, and its account. Both rows are looked at on each request, in memory while the
 * store's cache vouches for them, so a revocation counts at once on the node that writes it, and on others as soon as
 * any other change of a row (store/cache/cached-tables.ts).
 */
export class Authenticator {
  readonly #tables: ReadTables;
  /** By the Authorization header: saves taking it apart and hashing the token on each request. */
  readonly #known = new Map<string, Known>();

  constructor(tables: ReadTables) {
    this.#tables = tables;
  }

  /** The token of an Authorization header if its rows are in memory; undefined says nothing of it. */
  recall(header: string): Authenticated | undefined {
    const known = this.#known.get(header);
    const token = known && this.#tables.peek?.(tokens, { hash: known.hash });
    if (known === undefined || token === undefined) return undefined;
    const { accountId } = token;
    const account = accountId === undefined ? undefined : this.#tables.peek?.(accounts, { account: accountId });
    if (account === undefined && accountId !== undefined) return undefined;
    if (known.found?.token !== token || known.found.account !== account) {
      known.found = authenticated(known.hash, token, account);
    }
    return known.found;
  }

  /** Undefined: no such token. @throws Unavailable when the store cannot answer */
  async authenticateHeader(header: string): Promise<Authenticated | undefined> {
    const token = bearerToken(header) ?? '';
    const found = await this.authenticate(token);
    if (found === undefined) this.#known.delete(header);
    // In one spelling only: nobody shall crowd others out, or fill memory, with spaces and capitals.
    else if (header === `Bearer ${token}`) this.#know(header, found);
    return found;
  }

  /** Undefined: no such token. @throws Unavailable when the store cannot answer */
  async authenticate(token: string): Promise<Authenticated | undefined> {
    if (token === '' || token.length > TOKEN_CHARS_MAX) return undefined;
    return this.byHash(tokenHash(token));
  }

  /** As `authenticate`, for a token of which only the hash is known. */
  async byHash(hash: string): Promise<Authenticated | undefined> {
    const token = await this.#tables.get(tokens, { hash });
    if (token === undefined) return undefined;
    const { accountId } = token;
    if (accountId === undefined) return authenticated(hash, token, undefined);
    const account = await this.#tables.get(accounts, { account: accountId });
    return account && authenticated(hash, token, account);
  }

  #know(header: string, found: Authenticated): void {
    if (this.#known.has(header)) return;
    const oldest = this.#known.size < HEADERS_MAX ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(header, { hash: found.hash, found });
  }
}

/** Undefined for a browser's session, which is no token. */
function authenticated(
  hash: string,
  token: StoreTokenRecord,
  account: StoreAccountRecord | undefined,
): Authenticated | undefined {
  if (token.kind === 'session') return undefined;
  const bearer = { clientId: token.clientId, scopes: token.scopes, tokenHash: hash };
  if (account === undefined) return { hash, token, account, viewer: undefined, bearer };
  return { hash, token, account, viewer: account.id, bearer: { ...bearer, accountId: account.id } };
}

/** True when the account may act: confirmed, approved, not disabled. */
export function usable(account: StoreAccountRecord): boolean {
  return account.confirmed && account.approved && !account.disabled && !isSuspended(account);
}
