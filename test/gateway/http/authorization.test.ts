import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { Authenticator, tokenHash } from '../../../gateway/http/authenticator.js';
import { json, type Request, route } from '../../../gateway/http/route.js';
import { grants } from '../../../gateway/http/scopes.js';
import { codec } from '../../../proto/codec.js';
import { CachedTables } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, remove } from '../../../store/port.js';
import { accounts, tokens } from '../../../store/tables.js';
import { accountTopic } from '../../../transport/bus.js';
import { ALICE, account, GatewayFixture } from './gateway-fixture.js';

const who = async ({ viewer, bearer }: Request<object, unknown, unknown>) =>
  json({ viewer, clientId: bearer?.clientId });
const routes = [
  route({ method: 'GET', path: '/user', auth: 'user', scope: 'read:accounts', handle: who }),
  route({ method: 'GET', path: '/follows', auth: 'user', scope: ['write:follows', 'read:follows'], handle: who }),
  route({ method: 'GET', path: '/unconfirmed', auth: 'unconfirmed', handle: who }),
  route({ method: 'GET', path: '/app', auth: 'app', handle: who }),
  route({ method: 'GET', path: '/optional', auth: 'optional', handle: who }),
  route({ method: 'GET', path: '/none', auth: 'none', handle: who }),
  route({
    method: 'POST',
    path: '/revoke',
    auth: 'user',
    handle: async () => {
      await gateway.takeToken('tok');
      return json({});
    },
  }),
];

const gateway = new GatewayFixture();
before(() => gateway.start(routes));
after(() => gateway.stop());
beforeEach(async () => {
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('tok', { accountId: ALICE, scopes: ['read'] });
});

const get = (path: string, token?: string) =>
  fetch(`${gateway.url}${path}`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
async function refusal(path: string, token?: string): Promise<readonly [number, string]> {
  const answer = await get(path, token);
  return [answer.status, ((await answer.json()) as { error: string }).error];
}

test('a parent grants its children, follow its legacy scopes, and no scope grants its parent', () => {
  assert.ok(grants(['read'], 'read:accounts'));
  assert.ok(grants(['follow'], 'write:mutes'));
  assert.ok(grants(['admin:read'], 'admin:read:accounts'));
  assert.ok(!grants(['read'], 'admin:read'));
  assert.ok(!grants(['follow'], 'read:accounts'));
  assert.ok(!grants(['read:accounts'], 'read'));
  assert.ok(!grants(['rea'], 'read'));
  assert.ok(!grants([], 'read'));
});

test('a token opens what its scopes cover, a wrong one gets 401, a narrow one 403', async () => {
  assert.deepEqual(await (await get('/user', 'tok')).json(), { viewer: ALICE, clientId: 'client' });
  const invalid = [401, 'The access token is invalid'] as const;
  for (const token of [undefined, 'wrong', 'x'.repeat(5_000), '"tok"']) {
    assert.deepEqual(await refusal('/user', token), invalid);
  }
  const basic = await fetch(`${gateway.url}/user`, { headers: { authorization: 'Basic dG9rOg==' } });
  assert.equal(basic.status, 401);
  await gateway.giveToken('narrow', { accountId: ALICE, scopes: ['read:statuses'] });
  assert.deepEqual(await refusal('/user', 'narrow'), [403, 'This action is outside the authorized scopes']);
  assert.equal((await get('/follows', 'tok')).status, 200);
});

test('an application without a user cannot use user routes, and a browser session is no token', async () => {
  await gateway.giveToken('app', { scopes: ['read'] });
  assert.deepEqual(await refusal('/user', 'app'), [422, 'This method requires an authenticated user']);
  assert.equal((await get('/app', 'app')).status, 200);
  assert.deepEqual(await (await get('/optional', 'app')).json(), { clientId: 'client' });
  await gateway.giveToken('session', { accountId: ALICE, kind: 'session' });
  assert.equal((await get('/user', 'session')).status, 401);
});

test('anonymous callers may use optional routes, callers with a bad token may not', async () => {
  assert.deepEqual(await (await get('/optional')).json(), {});
  assert.equal((await get('/optional', 'wrong')).status, 401);
  assert.deepEqual(await (await get('/none', 'wrong')).json(), {});
});

test('unconfirmed, unapproved and disabled users are refused, each with its reason', async () => {
  await gateway.giveToken('other', { accountId: '000000000000000009', scopes: ['read'] });
  const give = (changes: object) => gateway.giveAccount(account('000000000000000009', changes));
  await give({ confirmed: false });
  assert.deepEqual(await refusal('/user', 'other'), [403, 'Your login is missing a confirmed e-mail address']);
  assert.equal((await get('/unconfirmed', 'other')).status, 200);
  await give({ approved: false });
  assert.deepEqual(await refusal('/user', 'other'), [403, 'Your login is currently pending approval']);
  await give({ disabled: true });
  assert.deepEqual(await refusal('/unconfirmed', 'other'), [403, 'Your login is currently disabled']);
  await give({});
  assert.equal((await get('/user', 'other')).status, 200, 'a refusal is not remembered');
});

test('a revoked token is refused at once, by the route that revoked it and by its topic', async () => {
  assert.equal((await get('/user', 'tok')).status, 200);
  const answer = await fetch(`${gateway.url}/revoke`, { method: 'POST', headers: { authorization: 'Bearer tok' } });
  assert.equal(answer.status, 200);
  assert.equal((await get('/user', 'tok')).status, 401);

  await gateway.giveToken('second', { accountId: ALICE });
  assert.equal((await get('/user', 'second')).status, 200);
  await gateway.takeToken('second');
  const message = { kind: 'token_revoked', accountId: ALICE, tokenHash: tokenHash('second') };
  gateway.bus.publish(accountTopic(ALICE), codec('murmuration.node.AccountTopic').encode(message));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await get('/user', 'second')).status, 401);
});

test('a revoked token is refused in every spelling of its header', async () => {
  await gateway.giveToken('third', { accountId: ALICE });
  const as = async (authorization: string) =>
    (await fetch(`${gateway.url}/user`, { headers: { authorization } })).status;
  const ways = ['Bearer third', 'bearer third', 'BEARER   third'];
  for (const way of [...ways, ...ways]) assert.equal(await as(way), 200, way);
  assert.equal(await as('Bearer third x'), 401);
  await gateway.takeToken('third');
  const message = { kind: 'token_revoked', accountId: ALICE, tokenHash: tokenHash('third') };
  gateway.bus.publish(accountTopic(ALICE), codec('murmuration.node.AccountTopic').encode(message));
  await new Promise((resolve) => setImmediate(resolve));
  for (const way of ways) assert.equal(await as(way), 401, way);
});

test('each route checks a cached token again', async () => {
  await gateway.giveToken('narrower', { accountId: ALICE, scopes: ['read:accounts'] });
  for (let round = 0; round < 2; round++) {
    assert.equal((await get('/user', 'narrower')).status, 200);
    assert.deepEqual(await refusal('/follows', 'narrower'), [403, 'This action is outside the authorized scopes']);
  }
});

test('cached rows are checked synchronously, and a change takes effect when it is written', async () => {
  const tables = new CachedTables(new MemoryTables());
  const authenticator = new Authenticator(tables);
  const token = { clientId: 'client', scopes: ['read'], kind: 'access', atMs: 0, accountId: ALICE };
  const give = (record: object) => tables.write([put(tokens, { hash: tokenHash('t') }, { ...token, ...record })]);
  const header = 'Bearer t';
  await tables.write([put(accounts, { account: ALICE }, account(ALICE))]);
  await give({});
  assert.equal(authenticator.recall(header), undefined, 'never seen');
  assert.equal((await authenticator.authenticateHeader(header))?.viewer, ALICE);
  assert.equal(authenticator.recall(header)?.viewer, ALICE);
  assert.equal(authenticator.recall(header), authenticator.recall(header));
  await tables.write([put(accounts, { account: ALICE }, account(ALICE, { disabled: true }))]);
  assert.equal(authenticator.recall(header)?.account?.disabled, true);
  await give({ scopes: ['write'] });
  assert.deepEqual(authenticator.recall(header)?.bearer.scopes, ['write']);
  await give({ kind: 'session' });
  assert.equal(authenticator.recall(header), undefined, 'a session is no token');
  await give({});
  tables.forget([{ table: 'tokens', key: [tokenHash('t')] }]);
  assert.equal(authenticator.recall(header), undefined, 'another node wrote it');
  assert.equal((await authenticator.authenticateHeader(header))?.viewer, ALICE);
  await tables.write([remove(tokens, { hash: tokenHash('t') })]);
  assert.equal(authenticator.recall(header), undefined);
  assert.equal(await authenticator.authenticateHeader(header), undefined);
});

test('an unavailable store answers every token with 503', async () => {
  const read = gateway.tables.get;
  gateway.tables.get = async () => {
    throw new Unavailable('the store sleeps');
  };
  const answer = await get('/user', 'unseen');
  gateway.tables.get = read;
  assert.equal(answer.status, 503);
  assert.ok(answer.headers.get('retry-after'));
});
