import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APP_TOKENS_PER_APP_MAX, EMAIL_CHANGES_MAX } from '../../../gateway/oauth/guards.js';
import { TestServer } from '../../kit/services/server.js';
import { makeApp, makeUser, PASSWORD } from './stage.js';

let server: TestServer;
before(async () => {
  const sign_in = { limit: 5, seconds: 86_400 };
  server = await TestServer.start({ RATE_LIMITS: JSON.stringify({ sign_in }) });
});
after(() => server?.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });

async function appToken(scope: string, scopes: string, address: string) {
  const app = await makeApp(server, { scopes });
  const asked = () =>
    server.ask('POST', '/oauth/token', { ...app, grant_type: 'client_credentials', scope }, undefined, from(address));
  return { asked, token: (await asked()).body.access_token as string };
}

test('forms of the sign-in pages are limited by address, and the refusal states its end', async () => {
  const send = (path: string, address: string) =>
    server.ask('POST', path, {}, undefined, { ...from(address), accept: 'text/html' });
  const paths = ['/auth/sign_in', '/auth/password', '/auth/password/edit', '/auth/password/change', '/auth/sign_out'];
  for (const path of paths) assert.equal((await send(path, '203.0.113.1')).status, 403, path);
  for (const path of paths) {
    const refused = await send(path, '203.0.113.1');
    assert.equal(refused.status, 429, path);
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(refused.body, /wait a little.*in [\d,]+ minutes/s);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.ok(Date.parse(refused.headers.get('x-ratelimit-reset') ?? '') > Date.now());
  }
  assert.equal((await send('/auth/sign_in', '203.0.113.2')).status, 403, 'others are served');
});

test('an application gets a bounded number of tokens of its own', async () => {
  const { asked } = await appToken('read', 'read', '203.0.113.3');
  for (let count = 1; count < APP_TOKENS_PER_APP_MAX; count++) assert.equal((await asked()).status, 200);
  assert.equal((await asked()).status, 429);
});

test('a token from signing up has no scope that only staff may grant', async () => {
  const { token } = await appToken('read write admin:read', 'read write admin:read', '203.0.113.4');
  const wanted = { username: 'ada', email: 'ada@example.org', password: PASSWORD, agreement: true };
  const made = await server.ask('POST', '/api/v1/accounts', wanted, token, from('203.0.113.4'));
  assert.deepEqual([made.status, made.body.scope], [200, 'read write'], JSON.stringify(made.body));
});

test('an unconfirmed account cannot probe without end which e-mail addresses are taken', async () => {
  await makeUser(server, 'ben');
  const { token } = await appToken('read write', 'read write', '203.0.113.5');
  const wanted = { username: 'cleo', email: 'cleo@example.org', password: PASSWORD, agreement: true };
  const made = await server.ask('POST', '/api/v1/accounts', wanted, token, from('203.0.113.5'));
  const ask = (email: string) => server.ask('POST', '/api/v1/emails/confirmations', { email }, made.body.access_token);
  for (let count = 1; count < EMAIL_CHANGES_MAX; count++) assert.equal((await ask('no address')).status, 422);
  assert.equal((await ask('ben@example.org')).status, 200);
  assert.equal((await ask('another@example.org')).status, 429);
});

test('an invalid token is refused before parameters are validated', async () => {
  for (const path of ['/api/v1/accounts/search', '/api/v2/search', '/api/v1/statuses/none/favourited_by']) {
    const asked = await server.ask('GET', path, undefined, 'unknown');
    assert.equal(asked.status, 401, path);
  }
});
