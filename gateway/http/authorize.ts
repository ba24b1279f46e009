import { isPermitted } from '../../actors/domain/permissions.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { isShutOut } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Authenticated, Authenticator, Caller } from './authenticator.js';
import type { AnyRoute, Auth } from './route.js';
import { grantsAny } from './scopes.js';

/** A caller without a token. */
export const NOBODY: Caller = { viewer: undefined, bearer: undefined };
const INVALID_TOKEN = problem('unauthorized', 'The access token is invalid');

/**
 * Decides if the request's Authorization header allows the route. Answers synchronously unless the store must be read.
 * @throws Unavailable (rejects) when the store cannot answer
 */
export function authorize(
  route: Pick<AnyRoute, 'auth' | 'scope' | 'permission'>,
  header: string | undefined,
  authenticator: Authenticator,
): Caller | Problem | Promise<Caller | Problem> {
  if (route.auth === 'none') return NOBODY;
  if (header === undefined) return route.auth === 'optional' ? NOBODY : INVALID_TOKEN;
  const kept = authenticator.recall(header);
  return kept === undefined ? look(route, header, authenticator) : permit(route, kept);
}

async function look(
  route: Pick<AnyRoute, 'auth' | 'scope' | 'permission'>,
  header: string,
  authenticator: Authenticator,
): Promise<Caller | Problem> {
  const found = await authenticator.authenticateHeader(header);
  return found === undefined ? INVALID_TOKEN : permit(route, found);
}

/** Works as `authorize` does, for a token that was already found. */
export function permit(route: Pick<AnyRoute, 'auth' | 'scope' | 'permission'>, found: Authenticated): Caller | Problem {
  const { token, account } = found;
  if (account === undefined && (route.auth === 'user' || route.auth === 'unconfirmed')) {
    return problem('invalid', 'This method requires an authenticated user');
  }
  const refused = account === undefined ? undefined : accountRefusal(account, route.auth);
  if (refused !== undefined) return refused;
  if (!grantsAny(token.scopes, route.scope)) {
    return problem('forbidden', 'This action is outside the authorized scopes');
  }
  if (route.permission !== undefined && !isPermitted(account?.role ?? '', route.permission)) {
    return problem('forbidden', 'This action is not allowed');
  }
  return found;
}

function accountRefusal(account: StoreAccountRecord, auth: Auth): Problem | undefined {
  if (isShutOut(account)) return problem('forbidden', 'Your login is currently disabled');
  if (auth === 'unconfirmed' || auth === 'app') return undefined;
  if (!account.confirmed) return problem('unconfirmed', 'Your login is missing a confirmed e-mail address');
  return account.approved ? undefined : problem('forbidden', 'Your login is currently pending approval');
}
