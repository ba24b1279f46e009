import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { pathShape } from './facts.js';
import facts from './facts.json' with { type: 'json' };

const nameOf = ({ method, path }: Pick<AnyRoute, 'method' | 'path'>): string => `${method} ${path}`;
const known = new Map(
  facts.operations.map((fact) => [`${fact[0]} ${pathShape(fact[1] ?? '')}`, fact as readonly string[]]),
);
const factOf = (route: AnyRoute) => known.get(`${route.method} ${pathShape(route.path)}`);

/** Old addresses, which redirect to newer ones that check tokens. */
const MOVED = ['public', 'home', 'mentions', 'tag/:tag'].map((name) => `GET /api/v1/statuses/${name}`);

/**
 * Routes whose facts follow the documentation, although servers answer them without a token, or whose rule differs in
 * the specification.
 */
const OTHER_AUTH = new Set([
  'GET /api/v1/accounts/lookup',
  'GET /api/v1/accounts/search',
  'GET /api/v1/accounts/:id/identity_proofs',
  'GET /api/v1/statuses/:id/quotes',
  'GET /api/v1/directory',
  'GET /api/v1/timelines/public',
  'GET /api/v1/timelines/tag/:hashtag',
  ...MOVED,
]);
const isStrict = (route: AnyRoute, exceptions: ReadonlySet<string>) =>
  ![...exceptions].some((one) => one === nameOf(route) || pathShape(one) === pathShape(nameOf(route)));

test('each route demands a token exactly if the API does', () => {
  const wanted: Readonly<Record<string, readonly string[]>> = {
    none: ['none', 'optional'],
    optional: ['optional'],
    user: ['user', 'unconfirmed'],
    app: ['app'],
    admin: ['user'],
  };
  const wrong = allRoutes.flatMap((route) => {
    const auth = factOf(route)?.[2];
    if (auth === undefined || !isStrict(route, OTHER_AUTH)) return [];
    const fits = wanted[auth]?.includes(route.auth) === true && (auth !== 'none' || isOpen(route));
    return fits ? [] : [`${nameOf(route)}: ${route.auth}, not ${auth}`];
  });
  assert.deepEqual(wrong, []);
});

/** Returns true for a route that must work without a token; a token may add content. */
const isOpen = ({ method, auth }: AnyRoute) => auth === 'none' || method === 'GET';

test('routes of moderators name the permission that they need, and no others do', () => {
  const isAdmin = ({ path }: AnyRoute) => path.includes('/admin/');
  const wrong = allRoutes.filter((route) => isAdmin(route) !== (route.permission !== undefined));
  assert.deepEqual(wrong.map(nameOf), []);
});
