import { type Problem, problem } from '../../actors/domain/problem.js';
import type { StoreAppRecord } from '../../proto/gen/types.js';
import { tokenHash } from '../http/authenticator.js';
import type { Services } from '../http/services.js';
import { newSecret } from './clients.js';
import { isAcceptableRedirect } from './redirects.js';
import { parseScopes } from './scopes.js';

/** Source: Mastodon, Doorkeeper application limits. */
export const APP_NAME_CHARS_MAX = 60;
export const APP_WEBSITE_CHARS_MAX = 2_000;
/** Redirect addresses of one application: a client has one for each platform, not more. */
export const REDIRECT_URIS_MAX = 20;

/** An application as somebody asks for it. */
interface WantedApp {
  readonly client_name: string;
  readonly redirect_uris: string | readonly string[];
  readonly scopes: string;
  readonly website?: string;
}

type AppFields = Pick<StoreAppRecord, 'name' | 'website' | 'redirectUris' | 'scopes'>;

/** Reads the fields of an application, or returns what is wrong with one of them. */
export function appFields(wanted: WantedApp): AppFields | Problem {
  const name = wanted.client_name.trim();
  if (name === '') return invalid('client_name', "Application name can't be blank", 'ERR_BLANK');
  if (name.length > APP_NAME_CHARS_MAX)
    return invalid('client_name', `Application name is too long (maximum is ${APP_NAME_CHARS_MAX} characters)`);
  const given = typeof wanted.redirect_uris === 'string' ? wanted.redirect_uris.split(/\s+/) : wanted.redirect_uris;
  const redirectUris = [...new Set(given.map((uri) => uri.trim()).filter((uri) => uri !== ''))];
  if (redirectUris.length === 0) return invalid('redirect_uri', "Redirect URI can't be blank", 'ERR_BLANK');
  if (redirectUris.length > REDIRECT_URIS_MAX || !redirectUris.every(isAcceptableRedirect))
    return invalid('redirect_uri', 'Redirect URI must be an absolute URI.');
  const scopes = parseScopes(wanted.scopes === '' ? 'read' : wanted.scopes);
  if (scopes === undefined) return invalid('scopes', "Scopes doesn't match configured on the server.");
  const website = wanted.website?.trim() ?? '';
  if (website !== '' && !/^https?:\/\/[^\s<>"]+$/i.test(website))
    return invalid('website', 'Website must be a valid URL');
  return { name, ...(website === '' ? {} : { website }), redirectUris, scopes };
}

/** Returns a new application with its id and its secret, of which only the hash is to be stored. */
export function newApp(services: Pick<Services, 'random' | 'newPlainId' | 'clock'>, fields: AppFields) {
  const secret = newSecret(services);
  const app: StoreAppRecord = {
    id: services.newPlainId(),
    ...fields,
    secretHash: tokenHash(secret),
    atMs: services.clock.nowMs(),
  };
  return { clientId: newSecret(services), secret, app };
}

function invalid(field: string, sentence: string, error = 'ERR_INVALID'): Problem {
  return problem('invalid', `Validation failed: ${sentence}`, { [field]: [{ error, description: sentence }] });
}
