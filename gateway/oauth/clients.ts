import { timingSafeEqual } from 'node:crypto';
import { NONCE_BYTES } from '../../actors/domain/keyed-tokens.js';
import type { StoreAppRecord } from '../../proto/gen/types.js';
import { apps } from '../../store/tables.js';
import { tokenHash } from '../http/authenticator.js';
import type { Services } from '../http/services.js';

/** Length of ids from newSecret. A text of another length is no client id and needs no look-up. */
const CLIENT_ID_CHARS = 43;

/** Returns 32 random bytes, base64url: client ids, secrets, tokens, codes. */
export function newSecret(services: Pick<Services, 'random'>): string {
  return Buffer.from(services.random.bytes(32)).toString('base64url');
}

/** Returns a value that distinguishes tokens of one account and purpose (KeyedTokens); it is not secret. */
export function newNonce(services: Pick<Services, 'random'>): string {
  return Buffer.from(services.random.bytes(NONCE_BYTES)).toString('base64url');
}

/** Returns the application of a client id. @throws Unavailable */
export async function findApp(
  services: Pick<Services, 'tables'>,
  clientId: string,
): Promise<StoreAppRecord | undefined> {
  if (clientId.length !== CLIENT_ID_CHARS) return undefined;
  return services.tables.get(apps, { client: clientId });
}

/**
 * Returns the client id and secret of a request, from Basic (RFC 6749 §2.3.1) or the body. Undefined if they are
 * malformed or contradict each other.
 */
export function clientCredentials(
  authorization: string | undefined,
  body: { readonly client_id: string; readonly client_secret: string },
): { readonly id: string; readonly secret: string } | undefined {
  const basic = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) return { id: body.client_id, secret: body.client_secret };
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const decoded = { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
    return body.client_id === '' || body.client_id === decoded.id ? decoded : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Returns the application if its secret matches. @throws Unavailable */
export async function authenticateClient(
  services: Pick<Services, 'tables'>,
  authorization: string | undefined,
  body: { readonly client_id: string; readonly client_secret: string },
): Promise<(StoreAppRecord & { readonly clientId: string }) | undefined> {
  const given = clientCredentials(authorization, body);
  if (given === undefined) return undefined;
  const app = await findApp(services, given.id);
  if (app === undefined) return undefined;
  const [known, offered] = [Buffer.from(app.secretHash), Buffer.from(tokenHash(given.secret))];
  return known.length === offered.length && timingSafeEqual(known, offered)
    ? { ...app, clientId: given.id }
    : undefined;
}
