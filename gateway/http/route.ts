import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Permission } from '../../actors/domain/permissions.js';
import type { Problem } from '../../actors/domain/problem.js';
import type { Services } from './services.js';

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
  /** Values of further Set-Cookie headers, beside one in `headers`. */
  readonly cookies?: readonly string[];
  /** Sent as JSON unless a string or bytes with their own content-type header. */
  readonly body: unknown;
}

/** A file of a multipart body. Neither name nor type is to be trusted. */
export interface Uploaded {
  readonly bytes: Uint8Array;
  readonly filename: string;
  readonly contentType: string | undefined;
}

/** Schema of a property that holds a file. */
export const uploaded = () => Type.Unsafe<Uploaded>({ type: 'object', bytes: true });

export interface Request<P, Q, B> {
  readonly services: Services;
  /** The user's account id; present when `auth` is user or unconfirmed, and with `optional` if a user calls. */
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
  /** Stands in the answer's X-Request-Id and in the log. */
  readonly id: string;
  /**
   * For the command that makes what the request is for, which is carried out once for it. Repeats with the same
   * `Idempotency-Key` have the same; undefined without one, and where the route is not `idempotent`.
   */
  readonly once: string | undefined;
  /** Where answers are kept: an account's id for what the request makes, the same for its repeats. Undefined without a key. */
  readonly newId: string | undefined;
}

/** One line of the route list: data, read by the server, the README's table and the tidy test. */
export interface Route<P extends TObject = TObject, Q extends TSchema = TSchema, B extends TSchema = TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` stands for one segment. */
  readonly path: string;
  readonly auth: Auth;
  /** Any one of these (or its parent: `read` grants `read:accounts`) is demanded of a token; absent: any token. */
  readonly scope?: string | readonly string[];
  /** A role with this permission is demanded, too: for moderators. */
  readonly permission?: Permission;
  /** A value that does not fit is a 404: no such thing can exist. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Largest multipart body, for uploads; absent: BODY_BYTES_MAX as for other bodies. */
  readonly multipartBytesMax?: number;
  /**
   * It makes something: repeats with the same `Idempotency-Key` make nothing more. `command`: their commands, which carry
   * `once`, are answered as the first were. `answer`: the whole answer is kept besides, for what is made under an id of
   * the gateway's, or at a cost; two conditional writes and a read more for each request with a key. `id`: only `newId` is kept, for requests
   * that are alike in all they say: what they are answered is nobody else's business.
   */
  readonly idempotent?: 'command' | 'answer' | 'id';
  /** What is known at once needs no promise: waiting for one costs more than most of what is done here. */
  readonly handle: (request: Request<Static<P>, Static<Q>, Static<B>>) => Answer | Problem | Promise<Answer | Problem>;
}

// biome-ignore lint/suspicious/noExplicitAny: lists of routes forget the types of their parts.
export type AnyRoute = Route<any, any, any>;

/** Declares a route; the handler's types come from its schemas. */
export function route<P extends TObject, Q extends TSchema, B extends TSchema>(entry: Route<P, Q, B>): AnyRoute {
  return entry;
}

/** A body that is JSON already, as text or in UTF-8. */
export class JsonText {
  constructor(readonly text: string | Uint8Array) {}
}

/** A body that is sent as it is read, piece by piece, as fast as the client takes it. */
export class Streamed {
  constructor(
    /** Of the body, in bytes. */
    readonly size: number,
    readonly read: () => AsyncIterable<Uint8Array>,
  ) {}
}

export function json(body: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return headers === undefined ? { status: 200, body } : { status: 200, headers, body };
}

/**
 * A page of HTML; the server adds the security headers (no scripts, no frames, inline styles only), any of which
 * `headers` may replace.
 */
export function page(html: string, status = 200, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: html };
}

/** 302 unless told otherwise; `location` must already be encoded. */
export function redirect(location: string, status = 302, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', location, ...headers }, body: '' };
}
