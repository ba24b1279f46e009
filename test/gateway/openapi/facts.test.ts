import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { pathShape } from '../../../gateway/openapi/answer-schemas.js';
import facts from '../../../gateway/openapi/facts.json' with { type: 'json' };
import { allRoutes } from '../../../gateway/routes/index.js';

const nameOf = ({ method, path }: Pick<AnyRoute, 'method' | 'path'>): string => `${method} ${path}`;
const known = new Map(
  facts.operations.map((fact) => [`${fact[0]} ${pathShape(fact[1] ?? '')}`, fact as readonly string[]]),
);
const factOf = (route: AnyRoute) => known.get(`${route.method} ${pathShape(route.path)}`);

/** Older addresses: they lead to newer ones, where tokens are looked at. */
const MOVED = ['public', 'home', 'mentions', 'tag/:tag'].map((name) => `GET /api/v1/statuses/${name}`);

/** The facts follow the documentation, and practice answers without a token; or our specification says otherwise. */
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

test('each route demands a token as the API says, never more and never less', () => {
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

/** Without a token it must work; with one it may show more. */
const isOpen = ({ method, auth }: AnyRoute) => auth === 'none' || method === 'GET';

test('routes of moderators say which permission they need, and no others do', () => {
  const isAdmin = ({ path }: AnyRoute) => path.includes('/admin/');
  const wrong = allRoutes.filter((route) => isAdmin(route) !== (route.permission !== undefined));
  assert.deepEqual(wrong.map(nameOf), []);
});
