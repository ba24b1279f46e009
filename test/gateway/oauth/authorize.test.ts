import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formActionOf } from '../../../gateway/oauth/redirects.js';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { type App, authorizePath, CALLBACK, codeFor, exchange, makeApp, makeUser, signIn } from './stage.js';

let server: TestServer;
let app: App;

before(async () => {
  server = await TestServer.start({ RATE_LIMITS: 'on' });
  app = await makeApp(server);
  await makeUser(server, 'alice');
});
after(() => server.stop());

const verify = (token: string) => server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token);

test('after sign-in, consent and code, an app gets a token for what the user granted, and its state back', async () => {
  const visitor = new Visitor(server);
  const consent = await signIn(visitor, authorizePath(app), 'alice@example.org');
  assert.match(consent.text, /An app/);
  assert.match(consent.text, /@alice/);
  assert.match(consent.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/client.example/);
  assert.equal(consent.headers.get('x-frame-options'), 'DENY');
  const decided = await visitor.submit('/oauth/authorize', { decision: 'authorize' });
  const back = new URL(decided.location ?? '');
  assert.equal(back.origin + back.pathname, CALLBACK);
  assert.equal(back.searchParams.get('state'), 'the state');
  const token = await exchange(server, app, back.searchParams.get('code') ?? '');
  assert.equal(token.status, 200, JSON.stringify(token.body));
  assert.equal(token.body.scope, 'read write');
  assert.equal(token.body.token_type, 'Bearer');
  assert.equal((await verify(token.body.access_token)).body.username, 'alice');
});

test('a denial redirects with access_denied', async () => {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(app), 'alice');
  const decided = await visitor.submit('/oauth/authorize', { decision: 'deny' });
  const back = new URL(decided.location ?? '');
  assert.equal(back.searchParams.get('error'), 'access_denied');
  assert.equal(back.searchParams.get('state'), 'the state');
});

test('an out-of-band request shows the code on a page, also in its address, and nothing else', async () => {
  const uri = 'urn:ietf:wg:oauth:2.0:oob';
  const oob = await makeApp(server, { redirect_uris: uri });
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(oob, { redirect_uri: uri }), 'alice');
  const decided = await visitor.submit('/oauth/authorize', { decision: 'authorize' });
  const { pathname, search, searchParams } = new URL(decided.location ?? '');
  assert.deepEqual([pathname, searchParams.get('state')], ['/oauth/authorize/native', 'the state']);
  const shown = await visitor.get(pathname + search);
  const code = /<code class="out">([^<]+)</.exec(shown.text)?.[1] ?? '';
  assert.equal(code, searchParams.get('code'));
  for (const text of ['', 'Call+me', `${code}!`])
    assert.equal((await visitor.get(`${pathname}?code=${text}`)).status, 422, text);
  assert.equal((await exchange(server, oob, code, { redirect_uri: uri })).status, 200);
});

test('a code is valid once, and its second use revokes its token', async () => {
  const code = await codeFor(server, app, 'alice');
  const first = await exchange(server, app, code);
  assert.equal(first.status, 200);
  const again = await exchange(server, app, code);
  assert.equal(again.status, 400);
  assert.equal(again.body.error, 'invalid_grant');
  assert.equal((await verify(first.body.access_token)).status, 401);
});

test('a code is refused for another client, another address, or without the verifier', async () => {
  const other = await makeApp(server);
  const code = await codeFor(server, app, 'alice');
  for (const [client, more] of [
    [other, {}],
    [app, { redirect_uri: 'https://client.example/other' }],
    [app, { code_verifier: '' }],
    [app, { code_verifier: 'x'.repeat(50) }],
  ] as const) {
    const refused = await exchange(server, client, code, more);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error, 'invalid_grant');
  }
  assert.equal((await exchange(server, app, code)).status, 200);
});

test('a redirect address must match the registered one exactly, otherwise nothing is sent', async () => {
  for (const uri of [`${CALLBACK}/more`, `${CALLBACK}?x=1`, 'https://client.example', 'https://evil.example/', '']) {
    const shown = await new Visitor(server).get(authorizePath(app, { redirect_uri: uri }));
    assert.equal(shown.status, 400, uri);
    assert.equal(shown.location, undefined);
  }
  assert.equal((await new Visitor(server).get(authorizePath({ ...app, client_id: 'nobody' }))).status, 400);
});

test('excess scopes, plain PKCE and other response types redirect nowhere before consent', async () => {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(app), 'alice');
  const fields = visitor.hidden('/oauth/authorize');
  for (const [more, error] of [
    [{ scope: 'read push' }, 'invalid_scope'],
    [{ scope: 'read nonsense' }, 'invalid_scope'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
  ] as const) {
    for (const browser of [new Visitor(server), visitor]) {
      const shown = await browser.get(authorizePath(app, more));
      assert.deepEqual([shown.status, shown.location], [400, undefined], error);
    }
    const sent = await visitor.post('/oauth/authorize', { ...fields, ...more, decision: 'authorize' });
    assert.equal(new URL(sent.location ?? '').searchParams.get('error'), error);
  }
});

test('only staff can grant scopes of moderators', async () => {
  const admin = await makeApp(server, { scopes: 'read admin:read' });
  const visitor = new Visitor(server);
  const shown = await signIn(visitor, authorizePath(admin, { scope: 'admin:read' }), 'alice');
  assert.deepEqual([shown.status, shown.location], [400, undefined]);
});

test('a grant omits the scopes of moderators, and the token names the rest', async () => {
  const admin = await makeApp(server, { scopes: 'read write admin:read admin:write' });
  const visitor = new Visitor(server);
  const path = authorizePath(admin, { scope: 'read write admin:read admin:write' });
  const shown = await signIn(visitor, path, 'alice');
  assert.equal(shown.status, 200);
  const decided = await visitor.submit('/oauth/authorize', { decision: 'authorize' });
  const code = new URL(decided.location ?? '').searchParams.get('code') ?? '';
  const token = await exchange(server, admin, code);
  assert.deepEqual([token.status, token.body.scope], [200, 'read write']);
  const refused = await server.ask('GET', '/api/v1/admin/accounts', undefined, token.body.access_token);
  assert.equal(refused.status, 403);
});

test('a form without its token, from another browser or from another site changes nothing', async () => {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(app), 'alice');
  const fields: Record<string, string> = { ...visitor.hidden('/oauth/authorize'), decision: 'authorize' };
  assert.equal((await visitor.post('/oauth/authorize', { ...fields, csrf: '' })).status, 403);
  assert.equal((await visitor.post('/oauth/authorize', fields, { origin: 'https://evil.example' })).status, 403);
  assert.equal((await visitor.post('/oauth/authorize', fields, { origin: 'null' })).status, 403);
  assert.equal((await new Visitor(server).post('/oauth/authorize', fields)).status, 403);
  const login = { login: 'alice', password: 'whatever', csrf: fields.csrf ?? '', next: '' };
  assert.equal((await new Visitor(server).post('/auth/sign_in', login)).status, 403);
  assert.equal((await visitor.post('/oauth/authorize', fields)).status, 302);
});

test('a sign-in continues only to the authorization page of this server', async () => {
  for (const next of ['https://evil.example/', '//evil.example', '/../evil?x=//evil.example']) {
    const visitor = new Visitor(server);
    await visitor.get('/auth/sign_in');
    const { csrf = '' } = visitor.hidden('/auth/sign_in');
    const signed = await visitor.post('/auth/sign_in', {
      csrf,
      next,
      login: 'alice',
      password: 'correct horse battery',
    });
    assert.match(signed.location ?? '', /^\/oauth\/authorize\?/);
  }
});

test('names from outside are escaped on every page', async () => {
  const hostile = await makeApp(server, { client_name: '<script>alert(1)</script>"' });
  const visitor = new Visitor(server);
  const shown = await signIn(visitor, authorizePath(hostile, { state: '"><img src=x onerror=alert(1)>' }), 'alice');
  assert.equal(shown.status, 200);
  assert.ok(!shown.text.includes('<script'));
  assert.ok(!shown.text.includes('<img src=x'));
  const again = await visitor.submit('/auth/sign_out', {});
  assert.equal(again.status, 303);
});

test('a sign-in begins a session of its own; a sign-out ends it', async () => {
  const visitor = new Visitor(server);
  visitor.cookies.set('murmuration_session', 'planted-by-somebody-else-before');
  await signIn(visitor, authorizePath(app), 'alice');
  const session = visitor.cookies.get('murmuration_session');
  assert.notEqual(session, 'planted-by-somebody-else-before');
  await visitor.submit('/auth/sign_out', {});
  visitor.cookies.set('murmuration_session', session ?? '');
  const shown = await visitor.get(authorizePath(app));
  assert.match(shown.text, /Password/);
});

test('a wrong password and an unknown account get the same answer, and guessing is stopped', async () => {
  await makeUser(server, 'victim');
  const visitor = new Visitor(server);
  await visitor.get('/auth/sign_in');
  const attempt = (login: string) => visitor.submit('/auth/sign_in', { login, password: 'wrong password' });
  const [known, unknown] = [await attempt('victim'), await attempt('nobody-here')];
  assert.equal(known.status, 422);
  assert.equal(unknown.status, 422);
  // Each page asks passkeys another challenge.
  const challenge = /&quot;challenge&quot;:&quot;[\w-]+&quot;/;
  const without = (text: string, login: string) => text.replaceAll(login, '').replace(challenge, '');
  assert.equal(without(known.text, 'victim'), without(unknown.text, 'nobody-here'));
  for (let guess = 0; guess < 25; guess++) await attempt('victim');
  assert.equal(visitor.page?.status, 429);
  const right = await visitor.submit('/auth/sign_in', { login: 'victim', password: 'correct horse battery' });
  assert.equal(right.status, 429, 'the limit holds for the right password, too');
});

test('an address that guesses too often cannot lock out the accounts that it attacks', async () => {
  await makeUser(server, 'patient');
  const attempt = async (from: string, login: string, password: string) => {
    const visitor = new Visitor(server);
    await visitor.get('/auth/sign_in');
    return visitor.submit('/auth/sign_in', { login, password }, { 'x-forwarded-for': from });
  };
  for (let guess = 0; guess < 61; guess++) await attempt('203.0.113.1', `nobody${guess}`, 'wrong password');
  for (let guess = 0; guess < 25; guess++) {
    assert.equal((await attempt('203.0.113.1', 'patient', 'wrong password')).status, 429);
  }
  assert.equal((await attempt('203.0.113.2', 'patient', 'correct horse battery')).status, 303);
});

test('the consent form may lead to every address that an app may register, including an IPv6 loopback', () => {
  assert.equal(formActionOf('https://a.example/back?x=1'), "'self' https://a.example");
  assert.equal(formActionOf('app://back'), "'self' app:");
  assert.equal(formActionOf('http://[::1]:8080/back'), "'self' http:");
});
