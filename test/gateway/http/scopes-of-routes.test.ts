import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import type { Authenticated } from '../../../gateway/http/authenticator.js';
import { permit } from '../../../gateway/http/authorize.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { grantsAny } from '../../../gateway/http/scopes.js';
import { ALL_SCOPES } from '../../../gateway/oauth/scopes.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { ALICE, account } from './gateway-fixture.js';

function bearing(scopes: readonly string[], role = 'owner'): Authenticated {
  const token = { accountId: ALICE, clientId: 'client', scopes, kind: 'access', atMs: 0 };
  const bearer = { accountId: ALICE, clientId: 'client', scopes, tokenHash: 'hash' };
  return { hash: 'hash', token, account: account(ALICE, { role }), viewer: ALICE, bearer };
}
const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;
const scopesOf = ({ scope }: AnyRoute) => [scope ?? []].flat() as string[];
const guarded = allRoutes.filter(({ scope }) => scope !== undefined);
const refusal = (route: AnyRoute, scopes: readonly string[], role?: string) => {
  const permitted = permit(route, bearing(scopes, role));
  return isProblem(permitted) ? permitted.problem : undefined;
};

test('each scope that a route names is one that applications can request', () => {
  const unknown = guarded.flatMap((route) =>
    scopesOf(route).flatMap((scope) => (ALL_SCOPES.has(scope) ? [] : [`${nameOf(route)}: ${scope}`])),
  );
  assert.deepEqual(unknown, []);
});

test('a token needs one of a route’s scopes, or its parent; all other scopes are not enough', () => {
  assert.ok(guarded.length > 200);
  for (const route of guarded) {
    for (const scope of scopesOf(route)) {
      assert.equal(refusal(route, [scope]), undefined, `${nameOf(route)} by ${scope}`);
      const parent = scope.split(':').slice(0, -1).join(':');
      if (parent !== '' && parent !== 'admin')
        assert.equal(refusal(route, [parent]), undefined, `${nameOf(route)} by ${parent}`);
    }
    const others = [...ALL_SCOPES].filter((scope) => !grantsAny([scope], route.scope));
    assert.equal(refusal(route, others), 'forbidden', `${nameOf(route)} by others`);
    for (const other of others) assert.equal(refusal(route, [other]), 'forbidden', `${nameOf(route)} by ${other}`);
  }
});

/** An uploader polls the progress; the documentation defines the other. */
const READ_BY_WRITERS = ['GET /api/v1/media/:id', 'GET /api/v2/notifications/:key/accounts'];

test('reading needs no scope to write, writing none to read, and moderation its own scopes only', () => {
  const wrong = guarded.flatMap((route) => {
    const isAdmin = route.path.includes('/admin/');
    return scopesOf(route).flatMap((scope) => {
      if (scope.startsWith('admin:') !== isAdmin) return [`${nameOf(route)}: ${scope}`];
      if (READ_BY_WRITERS.includes(nameOf(route))) return [];
      return route.method === 'GET' && /(?:^|:)write(?::|$)/.test(scope) ? [`${nameOf(route)}: ${scope}`] : [];
    });
  });
  assert.deepEqual(wrong, []);
});

test('a caller without the necessary role is refused, whatever the token’s scopes', () => {
  for (const route of allRoutes.filter(({ permission }) => permission !== undefined))
    assert.equal(refusal(route, [...ALL_SCOPES], 'user'), 'forbidden', nameOf(route));
});
