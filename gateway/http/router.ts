import type { AnyRoute } from './route.js';

/** Result of a match: a route with its raw parameters, the methods of the path's other routes, or nothing. */
export type Match<R> =
  | { readonly kind: 'route'; readonly route: R; readonly params: readonly string[] }
  | { readonly kind: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly kind: 'nothing' };

interface Node<R> {
  readonly fixed: Map<string, Node<R>>;
  /** `@:name`. */
  at: Node<R> | undefined;
  /** `:name`. */
  any: Node<R> | undefined;
  readonly methods: Map<string, R>;
}

const node = <R>(): Node<R> => ({ fixed: new Map(), at: undefined, any: undefined, methods: new Map() });

const NOTHING = { kind: 'nothing' } as const;

/**
 * PUT and PATCH as substitutes. Mastodon accepts both for any change and its clients use both, so a route for one of
 * them serves the other.
 */
const EITHER: Readonly<Record<string, string>> = { PUT: 'PATCH', PATCH: 'PUT' };

/**
 * Finds routes by path. A fixed segment wins over `@:name`, which matches segments that begin with `@`, and this over
 * `:name`. Parameters are identified by position, not by name.
 */
export class Router<R extends Pick<AnyRoute, 'method' | 'path'>> {
  readonly #root = node<R>();
  /** Complete paths without parameters, with the match of each method: one look-up finds them. */
  readonly #whole = new Map<string, Map<string, Match<R>>>();
  /** Methods of paths whose only parameter is the last segment, by the path before it. */
  readonly #last = new Map<string, ReadonlyMap<string, R>>();

  /** Builds the tree. @throws Error when two routes claim the same method and path */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
    for (const route of routes) {
      const at = route.path.indexOf('/:');
      if (paramNames(route.path).length === 0) this.#addWhole(route);
      else if (at >= 0 && !route.path.includes('/', at + 1)) this.#addLast(route.path.slice(0, at));
    }
  }

  /** Matches `path`, without the query, as received. Decoding happens later, so that `%2f` never separates segments. */
  match(method: string, path: string): Match<R> {
    const named = method === 'HEAD' ? 'GET' : method;
    const wholes = this.#whole.get(path);
    const whole = wholes?.get(named);
    if (whole !== undefined) return whole;
    // A complete path without this method still wins over a parameter, as in `walk`.
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
      at = under(at, segment);
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

/** Returns the names of a path's parameters, in order. */
export function paramNames(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => /^@?:/.test(segment))
    .map((segment) => segment.replace(/^@?:/, ''));
}

/** Returns the node of one more segment of a route's path. */
function under<R>(at: Node<R>, segment: string): Node<R> {
  const known = segment.startsWith('@:') ? at.at : segment.startsWith(':') ? at.any : at.fixed.get(segment);
  if (known !== undefined) return known;
  const next = node<R>();
  if (segment.startsWith('@:')) at.at = next;
  else if (segment.startsWith(':')) at.any = next;
  else at.fixed.set(segment, next);
  return next;
}

/** Finds the node of a path. `from` is the start of the next segment; it is past the path's end if there is none. */
function walk<R>(at: Node<R>, path: string, from: number, params: string[]): Node<R> | undefined {
  if (from > path.length) return at.methods.size > 0 ? at : undefined;
  const slash = path.indexOf('/', from);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(from, end);
  const fixed = at.fixed.get(segment);
  const found = fixed === undefined ? undefined : walk(fixed, path, end + 1, params);
  if (found !== undefined) return found;
  if (segment === '') return undefined;
  const named = segment.startsWith('@') ? through(at.at, segment.slice(1), path, end, params) : undefined;
  return named ?? through(at.any, segment, path, end, params);
}

/** Continues below a parameter. */
function through<R>(
  next: Node<R> | undefined,
  value: string,
  path: string,
  end: number,
  params: string[],
): Node<R> | undefined {
  if (next === undefined || value === '') return undefined;
  params.push(value);
  const found = walk(next, path, end + 1, params);
  if (found === undefined) params.pop();
  return found;
}
