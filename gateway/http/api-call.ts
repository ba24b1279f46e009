import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { JsonPieces } from './json-pieces.js';

/** The person in whose name a page calls the API: the owner of a browser session (oauth/session.ts). */
export interface ApiPerson {
  readonly account: StoreAccountRecord;
  /** Hash of the session's token. Rate limits count by it, as by an access token. */
  readonly tokenHash: string;
}

/** A request of the API that a page makes: what the person could do with an application, no more. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path without a query: `/api/v1/timelines/home`. */
  readonly path: string;
  /** Raw query, without the question mark. */
  readonly query?: string;
  /** Fields as an application would send them as JSON. Files are `Uploaded`. */
  readonly body?: object;
}

/** A successful or refused answer of the API, as an application would get it. */
export interface ApiAnswer<T = unknown> {
  readonly status: number;
  /** Parsed JSON. A refusal is `{error, details?}`. */
  readonly body: T;
  /** Header `Link` of a page of a list. */
  readonly link: string | undefined;
  /** JSON of the answer in pieces, if the renderer of statuses made it. */
  readonly pieces: JsonPieces | undefined;
}

/** Client of browser sessions. It has no secret, so nobody can act as it. */
export const WEB_CLIENT = 'web';

/** Scopes of a browser session: everything. Roles still bound what moderators' routes allow. */
export const SESSION_SCOPES: readonly string[] = [
  'read',
  'write',
  'follow',
  'push',
  'profile',
  'admin:read',
  'admin:write',
];
