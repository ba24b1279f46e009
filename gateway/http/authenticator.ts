import { createHash } from 'node:crypto';
import { isShutOut } from '../../actors/domain/standing.js';
import type { StoreAccountRecord, StoreTokenRecord } from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import type { ReadTables } from '../../store/port.js';
import { accounts, tokens } from '../../store/tables.js';
import { type ApiPerson, SESSION_SCOPES, WEB_CLIENT } from './api-call.js';
import type { Bearer } from './route.js';

/** Caller of a request: anonymous, an application or a user. */
export interface Caller {
  /** Account id of the user. */
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
}

/** A valid token with its account: the rows as stored. */
export interface Authenticated extends Caller {
  readonly hash: string;
  readonly token: StoreTokenRecord;
  /** Absent for the token of an application. */
  readonly account: StoreAccountRecord | undefined;
  readonly bearer: Bearer;
}

/** A header that carried a valid token, and the result for its rows when they were last read. */
interface Known {
  readonly hash: string;
  found: Authenticated | undefined;
}

/** Cached headers: some hundred bytes each, plus results for rows that are in memory anyway. */
const HEADERS_MAX = 100_000;
/** Longest token that is looked up; the tokens of this server have at most 85 characters. */
const TOKEN_CHARS_MAX = 512;

export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Returns the token of an Authorization header: undefined without a header, '' if the header carries no token. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? '';
}

/**
 * Finds the token that a request carries, and its account. Each request checks both rows, in memory while the store's
 * cache guarantees them. A revocation therefore takes effect at once on the node that writes it, and on other nodes as
 * soon as any other change of a row (store/cache/cached-tables.ts).
 */
export class Authenticator {
  readonly #tables: ReadTables;
  /** Results by Authorization header: avoids parsing the header and hashing the token on each request. */
  readonly #cache: Cache<Known>;

  constructor(tables: ReadTables, caches?: Caches) {
    this.#tables = tables;
    this.#cache = new Cache('bearer_tokens', HEADERS_MAX, caches);
  }

  /**
   * Returns the token of an Authorization header if its rows are in memory. Undefined does not mean that the token is
   * invalid.
   */
  recall(header: string): Authenticated | undefined {
    const known = this.#cache.get(header);
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

  /** Returns undefined if there is no such token. @throws Unavailable when the store cannot answer */
  async authenticateHeader(header: string): Promise<Authenticated | undefined> {
    const token = bearerToken(header) ?? '';
    const found = await this.authenticate(token);
    if (found === undefined) this.#cache.delete(header);
    // Only one spelling is cached: a client must not evict the entries of others, or fill memory, with spaces and
    // capitals.
    else if (header === `Bearer ${token}`) this.#cache.set(header, { hash: found.hash, found });
    return found;
  }

  /** Returns undefined if there is no such token. @throws Unavailable when the store cannot answer */
  async authenticate(token: string): Promise<Authenticated | undefined> {
    if (token === '' || token.length > TOKEN_CHARS_MAX) return undefined;
    return this.byHash(tokenHash(token));
  }

  /** Works as `authenticate` does, for a token of which only the hash is available. */
  async byHash(hash: string): Promise<Authenticated | undefined> {
    const token = await this.#tables.get(tokens, { hash });
    if (token === undefined) return undefined;
    const { accountId } = token;
    if (accountId === undefined) return authenticated(hash, token, undefined);
    const account = await this.#tables.get(accounts, { account: accountId });
    return account && authenticated(hash, token, account);
  }
}

/** Returns undefined for the session of a browser, which is not an access token. */
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

/** Returns true if the account may act: it is confirmed, approved and not shut out. */
export function usable(account: StoreAccountRecord): boolean {
  return account.confirmed && account.approved && !isShutOut(account);
}

/** Returns the caller that a browser session is. */
export function sessionCaller({ account, tokenHash: hash }: ApiPerson): Authenticated {
  const bearer = { accountId: account.id, clientId: WEB_CLIENT, scopes: SESSION_SCOPES, tokenHash: hash };
  return { viewer: account.id, hash, token: { ...bearer, kind: 'session', atMs: 0 }, account, bearer };
}
