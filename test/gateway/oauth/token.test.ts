import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import { tokenHash } from '../../../gateway/http/authenticator.js';
import { remove, type Tables } from '../../../store/port.js';
import { tokens } from '../../../store/tables.js';
import { TestServer } from '../../kit/services/server.js';
import { type App, makeApp, makeUser, PASSWORD } from './stage.js';

let server: TestServer;
let app: App;

before(async () => {
  server = await TestServer.start({ PASSWORD_GRANT: 'on' });
  app = await makeApp(server);
  await makeUser(server, 'alice');
});
after(() => server.stop());

const ask = (fields: Readonly<Record<string, string>>, headers = {}) =>
  server.ask('POST', '/oauth/token', fields, undefined, headers);
const verify = (token: string) => server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token);
const byPassword = (more: Readonly<Record<string, string>> = {}) =>
  ask({ ...app, grant_type: 'password', username: 'alice@example.org', password: PASSWORD, scope: 'read', ...more });

test('the password grant works if enabled, and does not reveal which part was wrong', async () => {
  const made = await byPassword();
  assert.equal(made.status, 200);
  assert.equal(made.body.scope, 'read');
  assert.equal((await verify(made.body.access_token)).status, 200);
  for (const more of [{ password: 'wrong' }, { username: 'nobody@example.org' }, { username: '' }]) {
    const refused = await byPassword(more);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error, 'invalid_grant');
  }
});

test('the password grant is off by default', async () => {
  const strict = await TestServer.start();
  try {
    const own = await makeApp(strict);
    const fields = { ...own, grant_type: 'password', username: 'alice', password: PASSWORD };
    const refused = await strict.ask('POST', '/oauth/token', fields);
    assert.equal(refused.body.error, 'unsupported_grant_type');
    const metadata = await strict.get('/.well-known/oauth-authorization-server');
    assert.ok(!metadata.body.grant_types_supported.includes('password'));
  } finally {
    await strict.stop();
  }
});

test('a client authenticates with its secret, in the body or as Basic', async () => {
  const { client_id, client_secret } = app;
  const grant_type = 'client_credentials';
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  assert.equal((await ask({ grant_type, client_id, client_secret })).status, 200);
  assert.equal((await ask({ grant_type }, { authorization: `Basic ${basic}` })).status, 200);
  for (const secret of ['', 'wrong', `${client_secret}x`]) {
    const refused = await ask({ grant_type, client_id, client_secret: secret });
    assert.equal(refused.status, 401);
    assert.equal(refused.body.error, 'invalid_client');
  }
});

test('a token never has more scopes than its app registered', async () => {
  for (const scope of ['push', 'admin:read', 'read push', 'nonsense']) {
    const refused = await byPassword({ scope });
    assert.equal(refused.status, 400, scope);
    assert.equal(refused.body.error, 'invalid_scope');
  }
  assert.equal((await byPassword({ scope: 'read:accounts write:statuses' })).status, 200);
});

test('the password grant omits the scopes of moderators and names the rest', async () => {
  const admin = await makeApp(server, { scopes: 'read admin:read' });
  const made = await byPassword({ ...admin, scope: 'read admin:read' });
  assert.deepEqual([made.status, made.body.scope], [200, 'read']);
  const refused = await byPassword({ ...admin, scope: 'admin:read' });
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope']);
});

test('a token with exactly the scope of an operation is enough for it, and for no other', async () => {
  const { access_token } = (await byPassword({ scope: 'write:statuses' })).body;
  assert.equal((await server.ask('POST', '/api/v1/statuses', { status: 'hi' }, access_token)).status, 200);
  assert.equal((await server.ask('GET', '/api/v1/timelines/home', undefined, access_token)).status, 403);
  assert.equal((await verify(access_token)).status, 403);
});

test('an application’s own token represents no user', async () => {
  const made = await ask({ ...app, grant_type: 'client_credentials' });
  const token = made.body.access_token as string;
  const verified = await server.ask('GET', '/api/v1/apps/verify_credentials', undefined, token);
  assert.equal(verified.body.name, 'An app');
  const refused = await server.ask('GET', '/api/v1/timelines/home', undefined, token);
  assert.ok(refused.status === 422 || refused.status === 401, String(refused.status));
});

test('a token of the command line belongs to an application, too', async () => {
  const { id } = (await verify((await byPassword()).body.access_token)).body;
  const token = await server.token(id, ['read']);
  const verified = await server.ask('GET', '/api/v1/apps/verify_credentials', undefined, token);
  assert.deepEqual([verified.status, verified.body.name, verified.body.scopes], [200, 'Murmuration', ['read']]);
});

test('a revoked token is refused at once; only its own client can revoke it', async () => {
  const token = (await byPassword()).body.access_token as string;
  const other = await makeApp(server);
  const revoke = (by: App) => server.ask('POST', '/oauth/revoke', { ...by, token });
  assert.equal((await revoke(other)).status, 403);
  assert.equal((await verify(token)).status, 200);
  assert.equal((await revoke(app)).status, 200);
  assert.equal((await verify(token)).status, 401);
  assert.equal((await revoke(app)).status, 200, 'revoking twice is no error');
});

test('a token whose row is still to be written, after a reply that did not wait for a slow store, is revoked', async () => {
  const token = (await byPassword()).body.access_token as string;
  const { id } = (await verify(token)).body;
  const { tables, askAccount } = server.node.services;
  await (tables as Tables).write([remove(tokens, { hash: tokenHash(token) })]);
  assert.equal((await server.ask('POST', '/oauth/revoke', { ...app, token })).status, 200);
  const held = await askAccount(id, 'heldTokens', {});
  assert.ok(!isProblem(held) && !held.hashes.includes(tokenHash(token)));
  const forged = `${id}.${'a'.repeat(22)}.${'b'.repeat(43)}`;
  assert.equal((await server.ask('POST', '/oauth/revoke', { ...app, token: forged })).status, 200);
});

test('userinfo identifies the user', async () => {
  const { access_token } = (await byPassword()).body;
  const info = await server.ask('GET', '/oauth/userinfo', undefined, access_token);
  assert.equal(info.status, 200);
  assert.equal(info.body.preferred_username, 'alice');
});

test('an application with dangerous or missing addresses, unknown scopes or a long name is refused', async () => {
  for (const more of [
    { redirect_uris: '' },
    { redirect_uris: 'javascript:alert(1)' },
    { redirect_uris: ['https://ok.example/', 'data:text/html,x'] },
    { redirect_uris: 'not a uri' },
    { scopes: 'read nonsense' },
    { client_name: '' },
    { client_name: 'x'.repeat(61) },
    { website: 'javascript:alert(1)' },
  ]) {
    const body = { client_name: 'An app', redirect_uris: 'https://a.example/', ...more };
    const refused = await server.ask('POST', '/api/v1/apps', body);
    assert.equal(refused.status, 422, JSON.stringify(more));
    assert.ok(refused.body.error);
  }
});
