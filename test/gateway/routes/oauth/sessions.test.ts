import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tokenHash } from '../../../../gateway/http/authenticator.js';
import { tokenUses } from '../../../../store/sign-in-tables.js';
import { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';
import { makeUser, PASSWORD } from '../../oauth/stage.js';

const SIGN_IN = '/auth/sign_in?return_to=%2Fauth%2Fsessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

const verify = async (token: string) =>
  (await server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token)).status;

async function signedIn(login: string): Promise<Visitor> {
  const visitor = new Visitor(server, { 'user-agent': FIREFOX });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  return visitor;
}

test('a page lists the browsers and applications of an account, and revokes their access', async () => {
  const id = await makeUser(server, 'ada');
  const token = await server.token(id, ['read', 'write']);
  const other = await signedIn('ada');
  const visitor = await signedIn('ada');
  const { status, text } = await visitor.get('/auth/sessions');
  assert.deepEqual([status, text.match(/>Firefox, Linux</g)?.length, text.match(/this one/g)?.length], [200, 2, 1]);
  assert.match(text, /<code>read write<\/code>/);
  assert.ok(!text.includes(token), 'no token is shown');
  assert.equal((await visitor.submit('/auth/sessions/revoke', { token: tokenHash(token) })).status, 303);
  assert.equal(await verify(token), 401);
  assert.doesNotMatch((await visitor.get('/auth/sessions')).text, /read write/);
  const hashes = [...(visitor.page?.text ?? '').matchAll(/name="token" value="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  assert.equal(hashes.length, 2);
  await visitor.submit('/auth/sessions/revoke', { token: hashes[1] ?? '' });
  assert.equal((await other.get('/auth/sessions')).status, 302, 'the other browser is signed out');
  await visitor.get('/auth/sessions');
  await visitor.submit('/auth/sessions/revoke', { token: hashes[0] ?? '' });
  assert.equal((await visitor.get('/auth/sessions')).location, SIGN_IN);
});

test('nobody sees or revokes another account’s tokens, nor with a form of another page', async () => {
  const ben = await makeUser(server, 'ben');
  await makeUser(server, 'eve');
  const token = await server.token(ben, ['read']);
  const eve = await signedIn('eve');
  assert.doesNotMatch((await eve.get('/auth/sessions')).text, /<code>read<\/code>/);
  assert.equal((await eve.submit('/auth/sessions/revoke', { token: tokenHash(token) })).status, 303);
  assert.equal(await verify(token), 200);
  const own = await signedIn('ben');
  await own.get('/auth/sessions');
  assert.equal((await own.post('/auth/sessions/revoke', { csrf: 'guessed', token: tokenHash(token) })).status, 403);
  const foreign = { origin: 'https://evil.example' };
  assert.equal((await own.submit('/auth/sessions/revoke', { token: tokenHash(token) }, foreign)).status, 403);
  assert.equal(await verify(token), 200);
  const nobody = new Visitor(server);
  assert.equal((await nobody.get('/auth/sessions')).location, SIGN_IN);
  assert.equal((await nobody.post('/auth/sessions/revoke', { csrf: '', token: tokenHash(token) })).status, 403);
});

test('a person ends all other browsers and applications at once', async () => {
  const id = await makeUser(server, 'cleo');
  const token = await server.token(id, ['read']);
  const other = await signedIn('cleo');
  const visitor = await signedIn('cleo');
  const { text } = await visitor.get('/auth/sessions');
  assert.match(text, /End all others/);
  assert.match(text, /href="\/auth\/password\/change"/);
  assert.doesNotMatch(text, /mark danger/, 'the own browser is no danger');
  const forged = await visitor.submit('/auth/sessions/end_others', { csrf: 'guessed' });
  assert.deepEqual([forged.status, await verify(token)], [403, 200]);
  await visitor.get('/auth/sessions');
  assert.equal((await visitor.submit('/auth/sessions/end_others', {})).location, '/auth/sessions?ended=true');
  assert.equal(await verify(token), 401);
  assert.equal((await other.get('/auth/sessions')).status, 302);
  const after = await visitor.get('/auth/sessions?ended=true');
  assert.match(after.text, /All others are signed out/);
  assert.doesNotMatch(after.text, /End all others/, 'there is nothing left to end');
});

test('each entry shows its last use, which ends with the token', async () => {
  const id = await makeUser(server, 'dina');
  const token = await server.token(id, ['read']);
  const hash = tokenHash(token);
  const { tables } = server.node.services;
  const noted = () => tables.get(tokenUses, { hash });
  assert.equal(await noted(), undefined);
  await verify(token);
  const used = await until('the use', async () => await noted(), 5_000);
  const visitor = await signedIn('dina');
  const { text } = await visitor.get('/auth/sessions');
  assert.ok(text.includes(`last used <time datetime="${new Date(used.atMs).toISOString()}">`), text);
  await visitor.submit('/auth/sessions/revoke', { token: hash });
  assert.equal(await noted(), undefined);
});
