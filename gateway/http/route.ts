import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Problem } from '../../actors/domain/problem.js';
import type { Services } from '../services.js';

/**
 * Who may call. `none`: no token is looked at. `optional`: anonymous or a user. `app`: any valid token. `user`: a
 * token of a confirmed, enabled user. `unconfirmed`: a user's token, confirmed or not.
 */
export type Auth = 'none' | 'optional' | 'app' | 'user' | 'unconfirmed';

/** The bearer of the request's token. */
export interface Bearer {
  /** Absent for an application's own token. */
  readonly accountId?: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly tokenHash: string;
}

/** One answer. Handlers return JSON values through `json`; pages and redirects exist for OAuth. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless a string or bytes with their own content-type header. */
  readonly body: unknown;
}

export interface Request<P, Q, B> {
  readonly services: Services;
  /** The user's account id; present when `auth` is user or unconfirmed. */
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Path and query as received. */
  readonly url: string;
  /** The client's address, X-Forwarded-For heeded from trusted proxies only. */
  readonly remoteAddress: string;
}

/** One line of the route list: data, read by the server, the README's table and the tidy test. */
export interface Route<P extends TObject = TObject, Q extends TSchema = TSchema, B extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` stands for one segment. */
  readonly path: string;
  readonly auth: Auth;
  /** Any one of these (or its parent: `read` grants `read:accounts`) is demanded of a token; absent: any token. */
  readonly scope?: string | readonly string[];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly handle: (request: Request<Static<P>, Static<Q>, Static<B>>) => Promise<Answer | Problem>;
}

// biome-ignore lint/suspicious/noExplicitAny: lists of routes forget the types of their parts.
export type AnyRoute = Route<any, any, any>;

/** Declares a route; the handler's types come from its schemas. */
export function route<P extends TObject, Q extends TSchema, B extends TSchema>(entry: Route<P, Q, B>): AnyRoute {
  return entry;
}

export function json(body: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return headers === undefined ? { status: 200, body } : { status: 200, headers, body };
}
