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
/** Where another scope than the documented one does, too, or where the documentation forgets to name one. */
const OTHER_SCOPE = new Set([
  ...MOVED,
  'GET /api/v1/accounts/lookup',
  'GET /api/v1/announcements',
  'POST /api/v1/emails/confirmations',
  'DELETE /api/v1/admin/ip_blocks/:id',
  'GET /api/v1/media/:id',
  'GET /api/v2/notifications/:id/accounts',
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

test('each route takes the scopes that the API says, so that a token with just that one is enough', () => {
  const wrong = allRoutes.flatMap((route) => {
    const fact = factOf(route);
    const scopes = (fact?.[3] ?? '').split(/[|+]/).filter((scope) => scope !== '');
    if (fact === undefined || scopes.length === 0 || !isStrict(route, OTHER_SCOPE)) return [];
    const taken = route.scope === undefined ? [] : [route.scope].flat();
    const missing = scopes.filter(
      (scope) =>
        !taken.some((one) => one === scope || one.startsWith(`${scope}:`)) &&
        !(scope === 'follow' && impliedByFollow(taken)),
    );
    return missing.length === 0 ? [] : [`${nameOf(route)}: ${taken.join(', ')}, not ${scopes.join(', ')}`];
  });
  assert.deepEqual(wrong, []);
});

/** `follow` covers these wherever a scope is looked at (gateway/http/scopes.ts). */
const impliedByFollow = (scopes: readonly string[]) =>
  scopes.some((scope) => /^(?:read|write):(?:follows|blocks|mutes)$/.test(scope));

test('routes of moderators say which permission they need, and no others do', () => {
  const isAdmin = ({ path }: AnyRoute) => path.includes('/admin/');
  const wrong = allRoutes.filter((route) => isAdmin(route) !== (route.permission !== undefined));
  assert.deepEqual(wrong.map(nameOf), []);
});
