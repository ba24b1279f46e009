import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailsIn } from '../../../kit/mail/parsed-mail.js';
import { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { confirmationLink, resetLink } from '../../../scenarios/clients/mail.js';
import { makeApp, makeUser, PASSWORD } from '../../oauth/stage.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start({ PASSWORD_GRANT: 'on' });
});
after(() => server?.stop());

async function signsIn(login: string, password: string): Promise<boolean> {
  const visitor = new Visitor(server);
  await visitor.get('/auth/sign_in');
  return (await visitor.submit('/auth/sign_in', { login, password })).status === 303;
}

test('a mailed link resets a password, without revealing if the account exists', async () => {
  await makeUser(server, 'ada');
  const visitor = new Visitor(server);
  await visitor.get('/auth/password/new');
  const known = await visitor.submit('/auth/password', { email: 'ada@example.org' });
  await visitor.get('/auth/password/new');
  const unknown = await visitor.submit('/auth/password', { email: 'nobody@example.org' });
  assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
  const link = new URL(await resetLink([server.folder], 'ada@example.org'));
  const fresh = 'a fresh password';
  await visitor.get(link.pathname + link.search);
  assert.equal((await visitor.submit('/auth/password/edit', { password: 'short' })).status, 422);
  await visitor.get(link.pathname + link.search);
  assert.equal((await visitor.submit('/auth/password/edit', { password: fresh })).status, 200);
  assert.deepEqual([await signsIn('ada', fresh), await signsIn('ada', PASSWORD)], [true, false]);
  await visitor.get(link.pathname + link.search);
  assert.equal((await visitor.submit('/auth/password/edit', { password: fresh })).status, 422, 'once');
});

test('a signed-in user changes the password with the current one, and is signed out everywhere', async () => {
  const id = await makeUser(server, 'ben');
  const token = await server.token(id, ['read']);
  const visitor = new Visitor(server);
  assert.equal((await visitor.get('/auth/password/change')).status, 302);
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login: 'ben', password: PASSWORD });
  await visitor.get('/auth/password/change');
  const change = (current: string) =>
    visitor.submit('/auth/password/change', { current, password: 'another password' });
  assert.equal((await change('not this')).status, 422);
  await visitor.get('/auth/password/change');
  assert.equal((await change(PASSWORD)).status, 200);
  assert.equal(await signsIn('ben', 'another password'), true);
  assert.equal((await server.ask('GET', '/api/v1/timelines/home', undefined, token)).status, 401);
});

test('only the application of the sign-up can have the confirmation mailed to another address', async () => {
  const app = await makeApp(server);
  const granted = { ...app, grant_type: 'client_credentials', scope: 'read write' };
  const appToken = (await server.ask('POST', '/oauth/token', granted)).body.access_token;
  const wanted = { username: 'cleo', email: 'wrong@example.org', password: PASSWORD, agreement: true };
  const { access_token } = (await server.ask('POST', '/api/v1/accounts', wanted, appToken)).body;
  const resend = (token: string, email?: string) =>
    server.ask('POST', '/api/v1/emails/confirmations', email === undefined ? {} : { email }, token);
  const id = await server.node.services.registry.find('acct:cleo');
  assert.equal((await resend(await server.token(id ?? '', ['read', 'write']), 'x@example.org')).status, 403);
  assert.equal((await resend(access_token, 'no address')).status, 422);
  assert.equal((await resend(access_token, 'right@example.org')).status, 200);
  const check = async () =>
    (await server.ask('GET', '/api/v1/emails/check_confirmation', undefined, access_token)).body;
  assert.equal(await check(), false);
  const link = new URL(await confirmationLink([server.folder], 'right@example.org'));
  assert.equal((await server.get(link.pathname + link.search)).status, 200);
  assert.equal((await server.ask('GET', '/api/v1/timelines/home', undefined, access_token)).status, 200);
  assert.equal(await check(), true);
  assert.equal((await resend(access_token)).status, 403, 'it is confirmed');
  assert.equal(await server.node.services.registry.find('email:wrong@example.org'), undefined);
});

test('a user who changes the address does not learn if another account has it', async () => {
  await makeUser(server, 'dora');
  const app = await makeApp(server);
  const granted = { ...app, grant_type: 'client_credentials', scope: 'read write' };
  const appToken = (await server.ask('POST', '/oauth/token', granted)).body.access_token;
  const told = async (username: string, email: string) => {
    const wanted = { username, email: `${username}@example.org`, password: PASSWORD, agreement: true };
    const { access_token } = (await server.ask('POST', '/api/v1/accounts', wanted, appToken)).body;
    const ask = async (body: object) => {
      const answered = await server.ask('POST', '/api/v1/emails/confirmations', body, access_token);
      return [answered.status, answered.body];
    };
    const answers = [
      await ask({ email }),
      await ask({ email: 'ada@example.org' }),
      await ask({ email: 'new@example.org' }),
    ];
    const check = await server.ask('GET', '/api/v1/emails/check_confirmation', undefined, access_token);
    return [...answers, await ask({ email }), await ask({}), check.body];
  };
  assert.deepEqual(await told('emil', 'dora@example.org'), await told('fred', 'nobodys@example.org'));
  await confirmationLink([server.folder], 'nobodys@example.org');
  const toDora = (await mailsIn(server.folder)).filter((mail) => mail.to === 'dora@example.org');
  assert.equal(toDora.length, 0);
  assert.equal(await signsIn('dora@example.org', PASSWORD), true, 'it stays hers');
});
