import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Settings } from '../../../cli/settings.js';
import { tokenHash } from '../../../gateway/http/authenticator.js';
import { Visitor } from '../../kit/network/visitor.js';
import { bytesOfKeyspace, cassandraSettings, dropKeyspace } from '../../kit/services/cassandra.js';
import { TestServer } from '../../kit/services/server.js';
import { bytesOfFolder, placesOf, type StoredPiece } from '../../kit/services/stored-bytes.js';
import { confirmationLink, resetLink } from '../../scenarios/clients/mail.js';
import { authorizePath, codeFor, exchange, makeApp, makeUser, PASSWORD, signIn } from './stage.js';

/** All secrets that users, browsers and applications get or choose, by description. */
type Secrets = Record<string, string>;

const tokenIn = (link: string, parameter: string) => new URL(link).searchParams.get(parameter) ?? '';
/** Returns the part of a token without the account's id. */
const secretOf = (token: string) => token.slice(token.lastIndexOf('.') + 1);

/** Runs application, sign-up, sign-in, consent and a password reset; returns all secrets that these produce. */
async function story(server: TestServer): Promise<Secrets> {
  const app = await makeApp(server);
  const granted = { ...app, grant_type: 'client_credentials', scope: 'read write' };
  const appToken = (await server.ask('POST', '/oauth/token', granted)).body.access_token;
  const wanted = { username: 'ada', email: 'ada@example.org', password: `${PASSWORD} of ada`, agreement: true };
  const key = { 'idempotency-key': 'the key of a sign-up' };
  const signedUp = await server.ask('POST', '/api/v1/accounts', wanted, appToken, key);
  const signUpToken = signedUp.body.access_token;
  const first = await confirmationLink([server.folder], 'ada@example.org');
  await server.ask('POST', '/api/v1/accounts', { ...wanted, username: 'ben', email: 'ben@example.org' }, appToken);
  const second = await confirmationLink([server.folder], 'ben@example.org');
  assert.equal((await server.get(new URL(first).pathname + new URL(first).search)).status, 200);

  await makeUser(server, 'cleo');
  const browser = new Visitor(server);
  await signIn(browser, authorizePath(app), 'cleo');
  const session = browser.cookies.get('murmuration_session') ?? '';
  const visit = browser.cookies.get('murmuration_visit') ?? '';
  const openCode = await codeFor(server, app, 'cleo');
  const usedCode = await codeFor(server, app, 'cleo');
  const userToken = (await exchange(server, app, usedCode)).body.access_token;
  const grant = { ...app, grant_type: 'password', username: 'cleo', password: PASSWORD, scope: 'read' };
  const passwordToken = (await server.ask('POST', '/oauth/token', grant)).body.access_token;

  for (const name of ['ada', 'cleo']) {
    await browser.get('/auth/password/new');
    await browser.submit('/auth/password', { email: `${name}@example.org` });
  }
  await makeUser(server, 'dan');
  const phone = new Visitor(server);
  await signIn(phone, '/auth/sign_in', 'dan');
  const { text } = await phone.get('/settings/otp');
  const otpSecret = /<code class="out">([A-Z2-7]{32})</.exec(text)?.[1] ?? '';
  const enabling = { password: PASSWORD, code: new TOTP({ secret: otpSecret }).generate() };
  const { text: codes } = await phone.submit('/settings/otp', enabling);
  const recoveryCode = /<code>([a-z2-7-]{19})</.exec(codes)?.[1] ?? '';
  const usedReset = await resetLink([server.folder], 'ada@example.org');
  const openReset = await resetLink([server.folder], 'cleo@example.org');
  const fresh = 'a password that ada chose anew';
  await browser.get(new URL(usedReset).pathname + new URL(usedReset).search);
  assert.equal((await browser.submit('/auth/password/edit', { password: fresh })).status, 200);
  return {
    'an application secret': app.client_secret,
    'an application token': appToken,
    'a token of a sign-up': signUpToken,
    'a password': wanted.password,
    'a fresh password': fresh,
    'a used confirmation token': secretOf(tokenIn(first, 'confirmation_token')),
    'an open confirmation token': secretOf(tokenIn(second, 'confirmation_token')),
    'a session cookie': session,
    'a visit cookie': visit,
    'an open authorization code': secretOf(openCode),
    'a used authorization code': secretOf(usedCode),
    'a user token': userToken,
    'a token of the password grant': passwordToken,
    'the secret of a second factor': otpSecret,
    'a recovery code': recoveryCode,
    'a recovery code without hyphens': recoveryCode.replaceAll('-', ''),
    'a used reset token': secretOf(tokenIn(usedReset, 'reset_password_token')),
    'an open reset token': secretOf(tokenIn(openReset, 'reset_password_token')),
  };
}

function assertUnreadable(secrets: Secrets, pieces: readonly StoredPiece[]): void {
  const found = Object.entries(secrets).map(([what, secret]) => {
    assert.ok(secret.length >= 16, `${what}: ${secret}`);
    return [what, [...new Set(placesOf(secret, pieces))]] as const;
  });
  assert.deepEqual(
    found.filter(([, places]) => places.length > 0),
    [],
  );
  // The search itself finds values that are stored.
  assert.notDeepEqual(placesOf(tokenHash(secrets['a user token'] ?? ''), pieces), []);
  assert.notDeepEqual(placesOf('ada@example.org', pieces), []);
}

/** Runs the story on a node, drains it, and searches its store before and afterwards. */
async function search(settings: Partial<Settings>, stored: (server: TestServer) => Promise<StoredPiece[]>) {
  const server = await TestServer.start({ PASSWORD_GRANT: 'on', ...settings });
  let secrets: Secrets = {};
  try {
    secrets = await story(server);
    assertUnreadable(secrets, await stored(server));
  } finally {
    await server.node.drain();
  }
  assertUnreadable(secrets, await stored(server));
  await rm(server.folder, { recursive: true, force: true });
}

test('no secret that a node handed out is readable in the files of an embedded store', () =>
  search({}, (server) => bytesOfFolder(join(server.folder, 'store'))));

test('no secret that a node handed out is readable in any row of a Cassandra keyspace', async () => {
  const keyspace = `secrets_${randomBytes(6).toString('hex')}`;
  try {
    await search({ ...cassandraSettings(keyspace), CLUSTER_SECRET: 'a secret of this cluster' }, () =>
      bytesOfKeyspace(keyspace),
    );
  } finally {
    await dropKeyspace(keyspace);
  }
});
