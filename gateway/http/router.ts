import type { AnyRoute } from './route.js';

/** What a path leads to: a route with its raw parameters, another method's route, or nothing. */
export type Match<R> =
  | { readonly kind: 'route'; readonly route: R; readonly params: readonly string[] }
  | { readonly kind: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly kind: 'nothing' };

interface Node<R> {
  readonly fixed: Map<string, Node<R>>;
  any: Node<R> | undefined;
  readonly methods: Map<string, R>;
}

const node = <R>(): Node<R> => ({ fixed: new Map(), any: undefined, methods: new Map() });

const NOTHING = { kind: 'nothing' } as const;

/** Clients of Mastodon, which takes either for any change, use both: where a path has one of them, the other leads there. */
const EITHER: Readonly<Record<string, string>> = { PUT: 'PATCH', PATCH: 'PUT' };

/** Finds routes by path. A fixed segment wins over `:name`; parameters are told apart by position, not by name. */
export class Router<R extends Pick<AnyRoute, 'method' | 'path'>> {
  readonly #root = node<R>();
  /** Paths without parameters, whole, with what each method leads to: found by one look-up. */
  readonly #whole = new Map<string, Map<string, Match<R>>>();
  /** Where a single parameter at a path's end leads, by what stands before it. */
  readonly #last = new Map<string, ReadonlyMap<string, R>>();

  /** @throws Error when two routes claim the same method and path */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
    for (const route of routes) {
      const at = route.path.indexOf('/:');
      if (at < 0) this.#addWhole(route);
      else if (!route.path.includes('/', at + 1)) this.#addLast(route.path.slice(0, at));
    }
  }

  /** `path` without the query; matched as received, before any decoding, so that `%2f` never makes a segment. */
  match(method: string, path: string): Match<R> {
    const named = method === 'HEAD' ? 'GET' : method;
    const wholes = this.#whole.get(path);
    const whole = wholes?.get(named);
    if (whole !== undefined) return whole;
    // A whole path that lacks the method comes first all the same, as `walk` finds it.
    const slash = path.lastIndexOf('/');
    if (wholes === undefined && slash < path.length - 1) {
      const route = this.#last.get(path.slice(0, slash))?.get(named);
      if (route !== undefined) return { kind: 'route', route, params: [path.slice(slash + 1)] };
    }
    const params: string[] = [];
    const found = path.startsWith('/') ? walk(this.#root, path, 1, params) : undefined;
    if (found === undefined) return NOTHING;
    const route = found.methods.get(named) ?? found.methods.get(EITHER[named] ?? '');
    return route === undefined
      ? { kind: 'wrong_method', allow: [...found.methods.keys()] }
      : { kind: 'route', route, params };
  }

  #add(route: R): void {
    let at = this.#root;
    for (const segment of route.path.split('/').slice(1)) {
      let next = segment.startsWith(':') ? at.any : at.fixed.get(segment);
      if (next === undefined) {
        next = node<R>();
        if (segment.startsWith(':')) at.any = next;
        else at.fixed.set(segment, next);
      }
      at = next;
    }
    if (at.methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    at.methods.set(route.method, route);
  }

  #addLast(before: string): void {
    const found = before
      .split('/')
      .slice(1)
      .reduce<Node<R> | undefined>((at, segment) => at?.fixed.get(segment), this.#root);
    if (found?.any !== undefined) this.#last.set(before, found.any.methods);
  }

  #addWhole(route: R): void {
    const methods = this.#whole.get(route.path) ?? new Map<string, Match<R>>();
    methods.set(route.method, { kind: 'route', route, params: [] });
    this.#whole.set(route.path, methods);
  }
}

/** Names of a path's parameters, in order. */
export function paramNames(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1));
}

/** `from`: where the next segment begins; past the path's end when there is none. */
function walk<R>(at: Node<R>, path: string, from: number, params: string[]): Node<R> | undefined {
  if (from > path.length) return at.methods.size > 0 ? at : undefined;
  const slash = path.indexOf('/', from);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(from, end);
  const fixed = at.fixed.get(segment);
  const found = fixed === undefined ? undefined : walk(fixed, path, end + 1, params);
  if (found !== undefined) return found;
  if (at.any === undefined || segment === '') return undefined;
  params.push(segment);
  const under = walk(at.any, path, end + 1, params);
  if (under === undefined) params.pop();
  return under;
}
