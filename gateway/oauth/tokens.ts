import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { tokenHash } from '../http/authenticator.js';
import { entity } from '../http/entity.js';
import type { Services } from '../http/services.js';
import { newSecret } from './clients.js';

/** The REST API's Token. */
export const Token = entity('Token', {
  access_token: Type.String(),
  created_at: Type.Number(),
  scope: Type.String(),
  token_type: Type.String(),
});

/** The REST API's Token. */
export interface Token {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly scope: string;
  /** Seconds since 1970. */
  readonly created_at: number;
}

export function renderToken(token: string, scopes: readonly string[], atMs: number): Token {
  return {
    access_token: token,
    token_type: 'Bearer',
    scope: scopes.join(' '),
    created_at: Math.floor(atMs / 1_000),
  };
}

/** Issues a token of an account; durable when resolved. Only its hash is stored. @throws Unavailable */
export async function issueToken(
  services: Pick<Services, 'random' | 'askAccount'>,
  accountId: string,
  clientId: string,
  scopes: readonly string[],
  kind: 'access' | 'session',
): Promise<string | Problem> {
  const token = newSecret(services);
  const made = await services.askAccount(accountId, 'issueToken', {
    tokenHash: tokenHash(token),
    clientId,
    scopes,
    kind,
  });
  return isProblem(made) ? made : token;
}

/** Issues a token of an application itself (client_credentials). */
export async function issueAppToken(
  services: Pick<Services, 'registry' | 'random' | 'clock'>,
  clientId: string,
  scopes: readonly string[],
): Promise<string> {
  const token = newSecret(services);
  await services.registry.putAppToken(tokenHash(token), {
    clientId,
    scopes,
    kind: 'access',
    atMs: services.clock.nowMs(),
  });
  return token;
}
