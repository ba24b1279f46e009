import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WRONG_LINKS_PER_ADDRESS_MAX } from '../../../gateway/oauth/guards.js';
import { PASSWORD_CHECKS_MAX } from '../../../gateway/oauth/passwords.js';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { resetLink } from '../../scenarios/clients/mail.js';
import { authorizePath, codeFor, exchange, makeApp, makeUser, PASSWORD, signIn } from './stage.js';

let open: TestServer;
let limited: TestServer;
before(async () => {
  open = await TestServer.start();
  limited = await TestServer.start({ RATE_LIMITS: 'on' });
});
after(async () => {
  await open?.stop();
  await limited?.stop();
});

/** A browser that has requested a password reset, and the link. */
async function asks(server: TestServer, name: string): Promise<{ visitor: Visitor; path: string }> {
  const visitor = new Visitor(server);
  await visitor.get('/auth/password/new');
  await visitor.submit('/auth/password', { email: `${name}@example.org` });
  const link = new URL(await resetLink([server.folder], `${name}@example.org`));
  return { visitor, path: link.pathname + link.search };
}

const wrongLink = (id: string) => `/auth/password/edit?reset_password_token=${id}.${'A'.repeat(43)}`;

test('many clients with wrong links prevent nobody from signing in', async () => {
  const id = await makeUser(open, 'ada');
  const crowd = await Promise.all(
    Array.from({ length: 2 * PASSWORD_CHECKS_MAX }, async () => {
      const visitor = new Visitor(open);
      await visitor.get(wrongLink(id));
      return visitor;
    }),
  );
  const send = (visitor: Visitor) =>
    visitor.post('/auth/password/edit', {
      csrf: csrfs.get(visitor) ?? '',
      reset_password_token: `${id}.${'A'.repeat(43)}`,
      password: 'a fresh password',
    });
  const csrfs = new Map(crowd.map((visitor) => [visitor, visitor.hidden('/auth/password/edit').csrf ?? '']));
  let isOver = false;
  const pressing = crowd.map(async (visitor) => {
    while (!isOver) assert.equal((await send(visitor)).status, 422);
  });
  for (let round = 0; round < 6; round++) {
    const visitor = new Visitor(open);
    await visitor.get('/auth/sign_in');
    const signed = await visitor.submit('/auth/sign_in', { login: 'ada', password: PASSWORD });
    assert.equal(signed.status, 303, `round ${round}`);
  }
  isOver = true;
  await Promise.all(pressing);
});

test('wrong links count by address, for passwords and confirmations together', async () => {
  const id = await makeUser(limited, 'ben');
  const visitor = new Visitor(limited);
  await visitor.get(wrongLink(id));
  const csrf = visitor.hidden('/auth/password/edit').csrf ?? '';
  const fields = { csrf, reset_password_token: `${id}.${'A'.repeat(43)}`, password: 'a fresh password' };
  const from = (host: number) => ({ 'x-forwarded-for': `203.0.113.${host}` });
  const statuses = new Set<number>();
  for (let tries = 0; tries < WRONG_LINKS_PER_ADDRESS_MAX / 2; tries++) {
    statuses.add((await visitor.post('/auth/password/edit', fields, from(1))).status);
    const confirming = await limited.ask(
      'GET',
      '/auth/confirmation?confirmation_token=1.x',
      undefined,
      undefined,
      from(1),
    );
    statuses.add(confirming.status);
  }
  assert.deepEqual([...statuses], [422]);
  assert.equal((await visitor.post('/auth/password/edit', fields, from(1))).status, 429);
  assert.equal((await visitor.post('/auth/password/edit', fields, from(2))).status, 422);
});

test('earlier codes and links end when the password is changed', async () => {
  await makeUser(open, 'cleo');
  const app = await makeApp(open);
  const code = await codeFor(open, app, 'cleo');
  const { visitor, path } = await asks(open, 'cleo');
  const browser = new Visitor(open);
  await browser.get('/auth/sign_in');
  await browser.submit('/auth/sign_in', { login: 'cleo', password: PASSWORD });
  await browser.get('/auth/password/change');
  const changed = await browser.submit('/auth/password/change', { current: PASSWORD, password: 'another password' });
  assert.equal(changed.status, 200);
  assert.equal((await exchange(open, app, code)).status, 400);
  await visitor.get(path);
  assert.equal((await visitor.submit('/auth/password/edit', { password: 'attacker chose' })).status, 422);
});

test('earlier codes end when a mailed link sets the password', async () => {
  await makeUser(open, 'dora');
  const app = await makeApp(open);
  const code = await codeFor(open, app, 'dora');
  const { visitor, path } = await asks(open, 'dora');
  await visitor.get(path);
  assert.equal((await visitor.submit('/auth/password/edit', { password: 'a fresh password' })).status, 200);
  assert.equal((await exchange(open, app, code)).status, 400);
});

test('a suspended or disabled user gets no session, and an earlier one does not come back', async () => {
  for (const [name, on, off] of [
    ['emil', 'suspend', 'unsuspend'],
    ['fred', 'disable', 'enable'],
  ] as const) {
    const id = await makeUser(open, name);
    const browser = new Visitor(open);
    await browser.get('/auth/sign_in');
    await browser.submit('/auth/sign_in', { login: name, password: PASSWORD });
    assert.equal((await browser.get('/auth/sessions')).status, 200);
    const decide = (action: string) =>
      open.node.services.askAccount(id, 'moderate', { action, by: '7', text: '', mail: false });
    await decide(on);
    const visitor = new Visitor(open);
    await visitor.get('/auth/sign_in');
    const refused = await visitor.submit('/auth/sign_in', { login: name, password: PASSWORD });
    assert.deepEqual([refused.status, visitor.cookies.has('murmuration_session')], [403, false], name);
    await decide(off);
    assert.equal((await browser.get('/auth/sessions')).status, 302, name);
    await signIn(new Visitor(open), authorizePath(await makeApp(open)), name);
  }
});
