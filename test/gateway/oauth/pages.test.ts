import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import { scriptPath } from '../../../gateway/html/script-files.js';
import { hashPassword } from '../../../gateway/oauth/passwords.js';
import { sessionOf } from '../../../gateway/oauth/session.js';
import { signUp } from '../../../gateway/oauth/sign-up.js';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { authorizePath, exchange, makeApp, makeUser, PASSWORD, signIn } from './stage.js';

const DAY_MS = 86_400_000;

let server: TestServer;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
});
after(() => server?.stop());

test('a user waiting for approval learns it after the right password, and only then', async () => {
  const made = await signUp(server.node.services, {
    username: 'pending',
    email: 'pending@example.org',
    password: PASSWORD,
    role: 'user',
    confirmed: true,
    approved: false,
    locale: 'en',
    hash: (password) => hashPassword(password, { cheap: true }),
  });
  assert.ok(!isProblem(made));
  const visitor = new Visitor(server);
  await visitor.get('/auth/sign_in');
  const wrong = await visitor.submit('/auth/sign_in', { login: 'pending', password: 'not the password' });
  assert.equal(wrong.status, 422);
  assert.doesNotMatch(wrong.text, /approval/);
  const right = await visitor.submit('/auth/sign_in', { login: 'pending', password: PASSWORD });
  assert.equal(right.status, 403);
  assert.match(right.text, /role="alert">This account is waiting for approval/);
  assert.equal(visitor.cookies.has('murmuration_session'), false);
});

test('a session ends after a month even if the browser retains its cookie', async () => {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(await makeApp(server)), 'alice');
  const headers = { cookie: `murmuration_session=${visitor.cookies.get('murmuration_session')}` };
  const { services } = server.node;
  const after = (days: number) => {
    const clock = { ...services.clock, nowMs: () => services.clock.nowMs() + days * DAY_MS };
    return sessionOf({ ...services, clock }, headers);
  };
  assert.equal((await after(29))?.account.username, 'alice');
  assert.equal(await after(30), undefined);
});

test('a session’s token is no bearer token', async () => {
  const visitor = new Visitor(server);
  await signIn(visitor, authorizePath(await makeApp(server)), 'alice');
  const token = visitor.cookies.get('murmuration_session') ?? '';
  assert.notEqual(token, '');
  const answer = await server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token);
  assert.equal(answer.status, 401);
});

test('cookies are protected from scripts, other sites and, with TLS, plain HTTP', async () => {
  const plain = (await new Visitor(server).get('/auth/sign_in')).headers.get('set-cookie') ?? '';
  assert.match(plain, /; Path=\/; HttpOnly; SameSite=Lax;/);
  assert.doesNotMatch(plain, /Secure|Domain/);
  const secured = await TestServer.start({ BASE_URL: 'https://social.example' });
  try {
    const set = (await new Visitor(secured).get('/auth/sign_in')).headers.get('set-cookie') ?? '';
    assert.match(set, /; HttpOnly; SameSite=Lax;.*; Secure$/);
  } finally {
    await secured.stop();
  }
});

test('a sign-in runs the script of passkeys only, cannot be framed and reveals nothing to other sites', async () => {
  const { headers, text } = await new Visitor(server).get(authorizePath(await makeApp(server)));
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(part));
  assert.doesNotMatch(policy, /unsafe/);
  assert.deepEqual(policy.match(/script-src[^;]*/g), ["script-src 'self'"]);
  assert.deepEqual(
    [...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag),
    [`<script type="module" src="${scriptPath('passkeys')}">`],
  );
  assert.equal(headers.get('referrer-policy'), 'same-origin');
  assert.match(headers.get('cache-control') ?? '', /no-store/);
});

test('the consent page states what each scope allows, exactly, and where the redirect leads', async () => {
  const app = await makeApp(server, { scopes: 'read write follow push' });
  const asked = async (scope: string) =>
    (await signIn(new Visitor(server), authorizePath(app, { scope }), 'alice')).text;
  const some = await asked('read:accounts write:statuses write:media');
  assert.match(
    some,
    /Act in your name<\/strong><span class="mark">can change things<\/span><\/p><p>Only: statuses, media</,
  );
  assert.match(some, /Read<\/strong><\/p><p>Only: accounts</);
  assert.doesNotMatch(some, /Notify|whom you follow|your settings/);
  const all = await asked('read write follow push');
  assert.match(all, /change your settings/);
  assert.equal(all.split('class="mark"').length - 1, 2, 'write and follow');
  assert.match(all, /you then go to <strong>client\.example</);
});

test('a wrong, truncated or unknown confirmation link is refused with a page', async () => {
  const id = await makeUser(server, 'bea');
  for (const token of ['', 'x', id, `${id}.wrong`, '123456789012345678.wrong', '<script>']) {
    const shown = await new Visitor(server).get(
      `/auth/confirmation?${new URLSearchParams({ confirmation_token: token })}`,
    );
    assert.equal(shown.status, 422, token);
    assert.match(shown.text, /role="alert"/);
    assert.doesNotMatch(shown.text, /<script/);
  }
});

test('an ordinary person signs in to a client that asks for admin scopes, and grants none', async () => {
  const scope = 'read write follow admin:read admin:write';
  const app = await makeApp(server, { scopes: scope });
  const visitor = new Visitor(server);
  const consent = await signIn(visitor, authorizePath(app, { scope }), 'alice');
  assert.equal(consent.status, 200);
  assert.doesNotMatch(consent.text, /moderators|admin:read<|powers/);
  const decided = await visitor.submit('/oauth/authorize', { decision: 'authorize' });
  const code = new URL(decided.location ?? '').searchParams.get('code') ?? '';
  const { body } = await exchange(server, app, code);
  assert.equal(body.scope, 'read write follow');
  const listed = await server.ask('GET', '/api/v1/admin/accounts', undefined, body.access_token);
  assert.equal(listed.status, 403);
  const posted = await server.ask('POST', '/api/v1/statuses', { status: 'hello' }, body.access_token);
  assert.equal(posted.status, 200);
});

test('a refusal is explained in the language of the browser, with a link', async () => {
  const app = await makeApp(server, { redirect_uris: 'urn:ietf:wg:oauth:2.0:oob' });
  const visitor = new Visitor(server, { 'accept-language': 'de' });
  await signIn(visitor, authorizePath(app, { redirect_uri: 'urn:ietf:wg:oauth:2.0:oob' }), 'alice');
  const denied = await visitor.submit('/oauth/authorize', { decision: 'deny' });
  assert.equal(denied.status, 400);
  assert.match(denied.text, /<html lang="de">.*<h1>Zugriff abgelehnt<\/h1>.*bekommt keinen Zugriff/s);
  for (const path of ['/oauth/authorize', '/auth/confirmation?confirmation_token=x', '/auth/mails/reports?token=x']) {
    const { status, text } = await new Visitor(server).get(path);
    assert.ok(status >= 400, path);
    assert.match(text, /<main.*<a href="\/.*<\/main>/s, path);
  }
});

test('the name of an application cannot reverse the text around it', async () => {
  const app = await makeApp(server, { client_name: 'Good\u202egnp.exe\u2066 app' });
  const { text } = await signIn(new Visitor(server), authorizePath(app), 'alice');
  assert.match(text, /<title>Authorize Goodgnp\.exe app – /);
  assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069]/u);
});

test('somebody whose address is not confirmed can have the mail sent again, and goes on', async () => {
  const made = await signUp(server.node.services, {
    username: 'fresh',
    email: 'fresh@example.org',
    password: PASSWORD,
    role: 'user',
    confirmed: false,
    approved: true,
    locale: 'en',
    hash: (password) => hashPassword(password, { cheap: true }),
  });
  assert.ok(!isProblem(made));
  const visitor = new Visitor(server);
  const asked = await signIn(visitor, authorizePath(await makeApp(server)), 'fresh');
  assert.equal(asked.status, 403);
  assert.match(asked.text, /fresh@example\.org/);
  const again = await visitor.submit('/auth/confirmation/again', {});
  assert.equal(again.status, 200);
  assert.match(again.text, /href="\/oauth\/authorize\?response_type=code/);
});
