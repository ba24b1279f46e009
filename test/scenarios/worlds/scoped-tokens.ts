import { operatorClient } from '../../../cli/operator-socket.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { grantsAny } from '../../../gateway/http/scopes.js';
import { ALL_SCOPES } from '../../../gateway/oauth/scopes.js';

/** Scopes that contain others, which a token with all other scopes must not have. */
const PARENTS = new Set(['read', 'write', 'admin:read', 'admin:write']);

/** Tokens of people by their scopes, each created once. */
export class ScopedTokens {
  readonly #made = new Map<string, Promise<string>>();

  constructor(private readonly dataDir: string) {}

  /** Returns a token with only the scope that the route requires, the first of the accepted ones. */
  alone(username: string, { scope }: AnyRoute): Promise<string> {
    const [first = 'read'] = [scope ?? []].flat() as string[];
    return this.of(username, [first]);
  }

  /** Returns a token with every scope except those that the route requires. */
  without(username: string, { scope }: AnyRoute): Promise<string> {
    const others = [...ALL_SCOPES].filter((one) => !PARENTS.has(one) && !grantsAny([one], scope));
    return this.of(username, others);
  }

  private of(username: string, scopes: readonly string[]): Promise<string> {
    const key = `${username} ${scopes.join(' ')}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const run = operatorClient(this.dataDir);
    const made = run('token.create', { username, scopes: scopes.join(' ') }).then(({ token }) => token);
    this.#made.set(key, made);
    return made;
  }
}
