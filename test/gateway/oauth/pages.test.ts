import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import { hashPassword } from '../../../gateway/oauth/passwords.js';
import { sessionOf } from '../../../gateway/oauth/session.js';
import { signUp } from '../../../gateway/oauth/sign-up.js';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { authorizePath, makeApp, makeUser, PASSWORD, signIn } from './stage.js';

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

test('a page runs no scripts, cannot be framed and reveals nothing to other sites', async () => {
  const { headers } = await new Visitor(server).get(authorizePath(await makeApp(server)));
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(part));
  assert.doesNotMatch(policy, /unsafe|script-src/);
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
  assert.doesNotMatch(some, /Notify|whom you follow|settings/);
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
