import { type Static, Type } from '@sinclair/typebox';
import type { StoreAppRecord } from '../../proto/gen/types.js';
import type { Answer } from '../http/route.js';
import { redirect } from '../http/route.js';
import type { Services } from '../http/services.js';
import { findApp } from './clients.js';
import { field } from './form.js';
import { challengeError } from './pkce.js';
import { OUT_OF_BAND, withParameters } from './redirects.js';
import { isSubset, parseScopes, SCOPES_CHARS_MAX } from './scopes.js';

/** Longest state: it is echoed, and clients put signed blobs into it. */
const STATE_CHARS_MAX = 2_000;

/** Parameters of a request. Source: RFC 6749 §4.1.1, RFC 7636 §4.3. */
export const authorizationFields = {
  response_type: field(),
  client_id: field(),
  redirect_uri: field(2_000),
  scope: field(SCOPES_CHARS_MAX),
  state: field(STATE_CHARS_MAX),
  code_challenge: field(),
  code_challenge_method: field(),
  lang: field(20),
};
export const AuthorizationFields = Type.Object(authorizationFields);
export type AuthorizationFields = Static<typeof AuthorizationFields>;

/** Shows a fault to the person. `detail` is for the developers of the application. */
export type ShowFault = (
  fault: 'unknownApp' | 'wrongAddress' | 'notAuthorized' | 'denied',
  detail?: string,
) => Promise<Answer>;

/** A valid request that may be shown to the user. */
export interface AuthorizationRequest {
  readonly app: StoreAppRecord;
  readonly scopes: readonly string[];
  readonly fields: AuthorizationFields;
}

/** Returns the request's own fields without the other fields of a form; empty ones are left out. */
export function requestFields(fields: AuthorizationFields): Record<string, string> {
  const names = Object.keys(authorizationFields) as (keyof AuthorizationFields)[];
  return Object.fromEntries(names.flatMap((name) => (fields[name] === '' ? [] : [[name, fields[name]]])));
}

/**
 * Validates a request. A fault is shown on this server. It is sent to the client only if the client's address is
 * registered and the user has sent the consent form: a link to this page must not redirect elsewhere by itself (RFC
 * 9700 §4.11.2).
 */
export async function readRequest(
  services: Pick<Services, 'tables'>,
  fields: AuthorizationFields,
  isConsented: boolean,
  show: ShowFault,
): Promise<AuthorizationRequest | Answer> {
  const app = await findApp(services, fields.client_id);
  if (app === undefined) return show('unknownApp');
  if (!app.redirectUris.includes(fields.redirect_uri)) return show('wrongAddress');
  const refuse = (error: string, description: string) =>
    isConsented ? deny(fields, { error, error_description: description }, show) : show('notAuthorized', description);
  if (fields.response_type !== 'code')
    return refuse('unsupported_response_type', 'The authorization server does not support this response type.');
  const scopes = parseScopes(fields.scope === '' ? 'read' : fields.scope);
  if (scopes === undefined || !isSubset(scopes, app.scopes))
    return refuse('invalid_scope', 'The requested scope is invalid, unknown, or malformed.');
  const fault = challengeError(fields.code_challenge, fields.code_challenge_method);
  if (fault !== undefined) return refuse('invalid_request', fault);
  return { app, scopes, fields };
}

/** Sends an error to the client, RFC 6749 §4.1.2.1. */
export function deny(
  fields: AuthorizationFields,
  error: { readonly error: string; readonly error_description?: string },
  show: ShowFault,
): Answer | Promise<Answer> {
  if (fields.redirect_uri === OUT_OF_BAND)
    return error.error === 'access_denied' ? show('denied') : show('notAuthorized', error.error_description);
  return redirect(withParameters(fields.redirect_uri, { ...error, state: fields.state }));
}

export const isRefused = (request: AuthorizationRequest | Answer): request is Answer => 'status' in request;
