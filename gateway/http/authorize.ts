import { type Problem, problem } from '../../actors/domain/problem.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Authenticated, Authenticator } from './authenticator.js';
import type { AnyRoute, Auth, Bearer } from './route.js';
import { grantsAny } from './scopes.js';

/** Who calls, once the token, the account and the scopes allow the route. */
export interface Caller {
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
}

const NOBODY: Caller = { viewer: undefined, bearer: undefined };

/** The token of an Authorization header: undefined when there is no header, '' when it bears none. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? '';
}

/** Decides whether the request's token allows the route. @throws Unavailable when the store cannot answer */
export async function authorize(
  route: Pick<AnyRoute, 'auth' | 'scope'>,
  header: string | undefined,
  authenticator: Authenticator,
): Promise<Caller | Problem> {
  if (route.auth === 'none') return NOBODY;
  const token = bearerToken(header);
  if (token === undefined && route.auth === 'optional') return NOBODY;
  const found = token === undefined ? undefined : await authenticator.authenticate(token);
  if (found === undefined) return problem('unauthorized', 'The access token is invalid');
  return permit(route, found);
}

/** As `authorize`, for a token that was found already. */
export function permit(route: Pick<AnyRoute, 'auth' | 'scope'>, found: Authenticated): Caller | Problem {
  const { token, account } = found;
  if (account === undefined && (route.auth === 'user' || route.auth === 'unconfirmed')) {
    return problem('invalid', 'This method requires an authenticated user');
  }
  const refused = account === undefined ? undefined : accountRefusal(account, route.auth);
  if (refused !== undefined) return refused;
  if (!grantsAny(token.scopes, route.scope)) {
    return problem('forbidden', 'This action is outside the authorized scopes');
  }
  const bearer = { clientId: token.clientId, scopes: token.scopes, tokenHash: found.hash };
  if (account === undefined) return { viewer: undefined, bearer };
  return { viewer: account.id, bearer: { ...bearer, accountId: account.id } };
}

function accountRefusal(account: StoreAccountRecord, auth: Auth): Problem | undefined {
  if (account.disabled) return problem('forbidden', 'Your login is currently disabled');
  if (auth === 'unconfirmed' || auth === 'app') return undefined;
  if (!account.confirmed) return problem('unconfirmed', 'Your login is missing a confirmed e-mail address');
  return account.approved ? undefined : problem('forbidden', 'Your login is currently pending approval');
}
