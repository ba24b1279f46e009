import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { AccountSignIn } from '../../proto/gen/types.js';
import { tokenHash } from '../http/authenticator.js';
import { entity } from '../http/entity.js';
import type { Services } from '../http/services.js';
import { newNonce, newSecret } from './clients.js';

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

/**
 * Returns an access token of an account. The store contains its hash, and for a push subscription its nonce, from which
 * each push derives it again (ADR 29).
 */
export const newAccessToken = (services: Pick<Services, 'random' | 'keyedTokens'>, account: string): string =>
  services.keyedTokens.make('access', { account, nonce: newNonce(services) });

/**
 * Issues a token of an account; durable when resolved. Only its hash is stored.
 * @param signIn present if somebody entered the password for it
 * @throws Unavailable
 */
export async function issueToken(
  services: Pick<Services, 'random' | 'keyedTokens' | 'askAccount'>,
  accountId: string,
  clientId: string,
  scopes: readonly string[],
  kind: 'access' | 'session',
  signIn?: AccountSignIn,
): Promise<string | Problem> {
  const token = kind === 'access' ? newAccessToken(services, accountId) : newSecret(services);
  const made = await services.askAccount(accountId, 'issueToken', {
    tokenHash: tokenHash(token),
    clientId,
    scopes,
    kind,
    signIn,
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
