import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Permission } from '../../actors/domain/permissions.js';
import type { Problem } from '../../actors/domain/problem.js';
import type { Soon } from '../paging/soon.js';
import type { ApiAnswer, ApiCall, ApiPerson } from './api-call.js';
import type { Shape } from './entity.js';
import type { JsonPieces } from './json-pieces.js';
import type { RefusedForm } from './request/refused-form.js';
import type { Services } from './services.js';

/**
 * Callers that a route accepts. `none`: the token is ignored. `optional`: anonymous or a user. `app`: any valid token.
 * `user`: a token of a confirmed, enabled user. `unconfirmed`: a user's token, confirmed or not.
 */
export type Auth = 'none' | 'optional' | 'app' | 'user' | 'unconfirmed';

/** Identity that the request's token proves. */
export interface Bearer {
  /** Absent for the token of an application. */
  readonly accountId?: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly tokenHash: string;
}

/** One answer. Handlers return JSON values through `json`; pages and redirects exist for OAuth. */
export interface Answer<T = unknown> {
  readonly status: number;
  /** An empty value removes a header that answers of its kind have by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of further Set-Cookie headers, in addition to one in `headers`. */
  readonly cookies?: readonly string[];
  /** Sent as JSON unless it is a string or bytes with an own content-type header. */
  readonly body: T;
}

/** A file of a multipart body. Neither name nor type is trustworthy. */
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
  /** Path and query; the path as routes match it. */
  readonly url: string;
  /** Path and query as received: signatures cover them. */
  readonly target: string;
  /** Address of the client. X-Forwarded-For counts only if it comes from a trusted proxy. */
  readonly remoteAddress: string;
  /** Id in the answer's X-Request-Id and in the log. */
  readonly id: string;
  /** Present when the page is shown again because the schema of its form refused a field (`Route.page`). */
  readonly refused?: RefusedForm | undefined;
  /**
   * Calls a route of the API in the name of a signed-in person, or of nobody: a page shows and does what an application would, by the
   * same checks. Rejects only if the handler fails. @throws Unavailable
   */
  readonly api: <T>(person: ApiPerson | undefined, call: ApiCall) => Promise<ApiAnswer<T>>;
  /**
   * Idempotency key for the command that does the work of the request: the command takes effect once. Repeats with the
   * same `Idempotency-Key` have the same value. Undefined without the header, and for routes that are not `idempotent`.
   */
  readonly once: string | undefined;
  /**
   * Account id for the object that the request creates, equal for its repeats. Present if answers are stored; undefined
   * without a key.
   */
  readonly newId: string | undefined;
}

/** Body of an answer with this schema: the value, or JSON that renderers have composed of cached pieces. */
type Body<A extends TSchema> = Shape<A> | JsonText | JsonPieces;

/** One entry of the route list. The server, the README's table and the tidy test read it. */
export interface Route<
  P extends TObject = TObject,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  A extends TSchema = TSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` matches one segment. */
  readonly path: string;
  readonly auth: Auth;
  /**
   * A token must have one of these scopes, or a parent of it (`read` grants `read:accounts`). Absent: any token is
   * accepted.
   */
  readonly scope?: string | readonly string[];
  /** The caller's role must also have this permission: for moderators. */
  readonly permission?: Permission;
  /** Pages and forms for moderators: the permission that the role of the signed-in person must have (routes/html/personal.ts). */
  readonly staff?: Permission;
  /** A value that does not fit gets a 404: no such resource can exist. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /**
   * Page that has the form. When the schema of the body refuses a field, the server changes nothing and shows this page
   * again with a message and what was typed, as a 422. Path and query of the page come from the form.
   */
  readonly page?: AnyRoute;
  /** True: the handler gets the body as received, as bytes, and checks its type itself. */
  readonly isRaw?: boolean;
  /**
   * Refuses a request by its headers before its body is read, so that nobody sends large bodies for nothing. Absent: the
   * token decides. @throws Unavailable
   */
  readonly before?: (
    request: Pick<Request<unknown, unknown, unknown>, 'services' | 'headers'>,
  ) => Promise<Problem | undefined>;
  /** Largest multipart body, for uploads. Absent: BODY_BYTES_MAX as for other bodies. */
  readonly multipartBytesMax?: number;
  /**
   * The request creates something, and repeats with the same `Idempotency-Key` create nothing more. `command`: the
   * commands carry `once` and answer repeats as they answered the first request. `answer`: the whole answer is stored
   * as well, for objects that are created under an id of the gateway or at a cost; this takes two conditional writes
   * and a read more for each request with a key. `id`: only `newId` is stored, for requests that are equal in all
   * fields, because their answers must not be shown to anybody else.
   */
  readonly idempotent?: 'command' | 'answer' | 'id';
  /** Schema of the answer, for the OpenAPI document and for the type of what `handle` returns. Absent: not JSON. */
  readonly answer?: A;
  /** Status codes of answers that are no refusals; absent: 200. */
  readonly successes?: readonly number[];
  /** A result that is available at once needs no promise: awaiting one costs more than most handlers do. */
  readonly handle: (request: Request<Static<P>, Static<Q>, Static<B>>) => Soon<Answer<Body<A>> | Problem>;
}

// biome-ignore lint/suspicious/noExplicitAny: lists of routes forget the types of their parts.
export type AnyRoute = Route<any, any, any, any>;

/** Declares a route. The handler's types come from its schemas. */
export function route<P extends TObject, Q extends TSchema, B extends TSchema, A extends TSchema>(
  entry: Route<P, Q, B, A>,
): AnyRoute {
  return entry;
}

/** A body that is already JSON, as text or in UTF-8. */
export class JsonText {
  constructor(readonly text: string | Uint8Array) {}
}

/** A body that is sent as it is read, piece by piece, as fast as the client accepts it. */
export class Streamed {
  constructor(
    /** Size of the body in bytes; undefined if only its end tells: it is sent in chunks. */
    readonly size: number | undefined,
    /** @param drained comes when the node drains: a body that would not end by itself ends then */
    readonly read: (drained: AbortSignal) => AsyncIterable<Uint8Array>,
  ) {}
}

export function json<T>(body: T, headers?: Readonly<Record<string, string>>): Answer<T> {
  return headers === undefined ? { status: 200, body } : { status: 200, headers, body };
}

/** Returns an answer to a refused request whose body is no problem. The schema of the route does not describe it. */
export const refusedAnswer = (status: number, body: unknown, headers?: Readonly<Record<string, string>>) =>
  ({ status, ...(headers && { headers }), body }) as Answer<never>;

/**
 * Returns an HTML page. The server adds the security headers (no scripts, no frames), any of which
 * `headers` may replace.
 */
export function page(html: string, status = 200, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: html };
}

/** Returns a redirect, by default a 302. `location` must already be encoded. */
export function redirect(location: string, status = 302, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', location, ...headers }, body: '' };
}
