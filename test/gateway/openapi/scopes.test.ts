import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { pathShape } from './facts.js';
import facts from './facts.json' with { type: 'json' };

/** Returns the key of an operation: method and shape of the path. Combined scopes are a matter of the streams. */
const keyOf = (method: string, path: string) => `${method} ${pathShape(path)}`;
const documented = new Map(
  facts.operations.map(([method = '', path = '', auth = '', scopes = '']) => [
    keyOf(method, path),
    { auth, scopes: scopes.split('|').filter((scope) => scope !== '') },
  ]),
);
const ours = new Map<string, AnyRoute>(allRoutes.map((route) => [keyOf(route.method, route.path), route]));

/** Undocumented scopes, each with the clients that use them. */
const MORE: Readonly<Record<string, readonly (readonly [scope: string, operations: readonly string[]])[]>> = {
  'Mastodon takes the scope of old for all of relations': [
    [
      'follow',
      [
        ...['follow', 'unfollow', 'block', 'unblock', 'mute', 'unmute', 'remove_from_followers'].map(
          (what) => `POST /api/v1/accounts/:id/${what}`,
        ),
        'GET /api/v1/blocks',
        'POST /api/v1/tags/:id/follow',
        'POST /api/v1/tags/:id/unfollow',
        'GET /api/v1/followed_tags',
      ],
    ],
  ],
  'the documentation names the scope of domain blocks, Mastodon demands that of addresses': [
    ['admin:write:ip_blocks', ['DELETE /api/v1/admin/ip_blocks/:id']],
  ],
  'they answer accounts, and Mastodon takes the scope of these too': [
    ['read:accounts', ['GET /api/v1/statuses/:id/favourited_by', 'GET /api/v1/statuses/:id/reblogged_by']],
  ],
  'read grants them; the narrow one is enough': [
    ['read:accounts', ['GET /api/v1/suggestions', 'GET /api/v2/suggestions', 'DELETE /api/v1/suggestions/:id']],
    ['write:accounts', ['DELETE /api/v1/suggestions/:id']],
  ],
  'whoever may read all of the account may read who they are': [
    ['read', ['GET /oauth/userinfo']],
    ['read:accounts', ['GET /oauth/userinfo']],
  ],
  'it reads, and the documentation names the scope to write': [
    ['read:notifications', ['GET /api/v2/notifications/:id/accounts']],
  ],
};

/** Scopes of operations without a documented scope, checked if the caller sends a token, as Mastodon does. */
const OF_TOKENS: Readonly<Record<string, string>> = {
  'GET /api/v1/accounts/:id': 'read:accounts',
  'GET /api/v1/accounts/:id/featured_tags': 'read:accounts',
  'GET /api/v1/accounts/:id/followers': 'read:accounts',
  'GET /api/v1/accounts/:id/following': 'read:accounts',
  'GET /api/v1/accounts/:id/endorsements': 'read:accounts',
  'GET /api/v1/directory': 'read:accounts',
  'GET /api/v1/trends/statuses': 'read:statuses',
  'GET /api/v1/instance/domain_blocks': 'read',
  'GET /api/v1/tags/:id': 'read:follows|read:statuses',
};

/** Scopes of user operations without a documented scope: otherwise a token that may only push could use them. */
const OF_USERS: Readonly<Record<string, string>> = {
  'GET /api/v1/announcements': 'read',
  'POST /api/v1/emails/confirmations': 'write:accounts',
};

/** Operations that are not routes: streams have their own table, the rest is not offered. */
const NO_ROUTES = /^\w+ (?:\/health$|\/api\/v1\/streaming\/)/;

const scopesOf = ({ scope }: AnyRoute) => [scope ?? []].flat() as string[];
const shared = [...documented].flatMap(([key, said]) => {
  const route = ours.get(key);
  return route === undefined ? [] : [{ key, said, route }];
});

test('each documented operation is a route, or is known not to be one', () => {
  const missing = [...documented.keys()].filter((key) => !ours.has(key) && !NO_ROUTES.test(key));
  assert.deepEqual(missing, []);
  assert.ok(shared.length > 200);
});

test('each route demands the documented scope, and accepts others only for a stated reason', () => {
  const more = new Map<string, string[]>();
  for (const [scope, operations] of Object.values(MORE).flat())
    for (const key of operations.map(pathShape)) more.set(key, [...(more.get(key) ?? []), scope]);
  const instead = new Map(
    Object.entries({ ...OF_TOKENS, ...OF_USERS }).map(([key, scopes]) => [pathShape(key), scopes]),
  );
  for (const { key, said, route } of shared) {
    if (route.auth === 'none') continue;
    const expected = instead.get(key)?.split('|') ?? [...said.scopes, ...(more.get(key) ?? [])];
    // A broad scope need not be named if a narrow scope that it grants is enough.
    const named = expected.filter((scope) => !expected.some((other) => other.startsWith(`${scope}:`)));
    const own = scopesOf(route);
    assert.deepEqual(
      own.filter((scope) => expected.includes(scope)),
      own,
      key,
    );
    assert.deepEqual(
      named.filter((scope) => !own.includes(scope)),
      [],
      key,
    );
  }
  for (const key of [...more.keys(), ...instead.keys()])
    assert.ok(documented.has(key) && ours.has(key), `${key} is no operation any more`);
  for (const key of Object.keys(OF_TOKENS)) assert.equal(ours.get(pathShape(key))?.auth, 'optional', key);
});
