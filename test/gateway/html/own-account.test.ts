import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Peer } from '../../kit/federation/peer.js';
import { mailsIn } from '../../kit/mail/parsed-mail.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const ACCOUNT = '/settings/account';
const EMAIL = '/settings/account/email';
const ALIASES = '/settings/aliases';
const MIGRATION = '/settings/migration';
const DELETE = '/settings/delete';
/** Bound of the wait for a mail, which is an effect after the reply. */
const MAIL_MS_MAX = 30_000;

let server: TestServer;
let peer: Peer;
let bob: Person;
before(async () => {
  peer = await Peer.open();
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  bob = await server.person('bob');
});
after(async () => {
  await server?.stop();
  await peer?.close();
});

async function signedIn(login: string, role = 'user'): Promise<Visitor> {
  await makeUser(server, login, role);
  return signIn(login);
}

async function signIn(login: string, status = 303): Promise<Visitor> {
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  assert.equal((await visitor.submit('/auth/sign_in', { login, password: PASSWORD })).status, status);
  return visitor;
}

const mailsTo = async (to: string) => (await mailsIn(server.folder)).filter((mail) => mail.to === to);
const mailTo = (to: string, subject: RegExp) =>
  until(`a mail to ${to}`, async () => (await mailsTo(to)).find((mail) => subject.test(mail.subject)), MAIL_MS_MAX);

test('another e-mail address counts once the link of its mail is opened, and the former one gets a notice', async () => {
  const ann = await signedIn('ann');
  assert.match((await ann.get(ACCOUNT)).text, /<strong>ann@example\.org<\/strong>/);
  const asked = await ann.submit(EMAIL, { email: ' New.Ann@example.net ', current: PASSWORD });
  assert.equal(asked.location, `${ACCOUNT}?sent=true`);
  assert.match((await ann.get(asked.location ?? '')).text, /<strong>ann@example\.org<.*role="status">Open the link/s);
  const { text } = await mailTo('new.ann@example.net', /Confirm your new e-mail address/);
  const link = /\/auth\/email\/confirmation\?\S+/.exec(text)?.[0] ?? '';
  assert.match((await ann.get(ACCOUNT)).text, /<strong>ann@example\.org<\/strong>/, 'not before');
  const stranger = new Visitor(server, { accept: 'text/html' });
  for (const wrong of [`${link}x`, '/auth/email/confirmation?token=forged'])
    assert.equal((await stranger.get(wrong)).status, 422);
  assert.equal((await stranger.get(link)).status, 200);
  assert.match((await ann.get(ACCOUNT)).text, /<strong>new\.ann@example\.net<\/strong>/);
  assert.match((await mailTo('ann@example.org', /was changed/)).text, /write to \S+ at once/);
  const again = await stranger.get(link);
  assert.equal(again.status, 200, 'the first answer may be lost');
  assert.match(again.text, /Your account has the new e-mail address/);
  assert.equal((await mailsTo('ann@example.org')).filter(({ subject }) => /was changed/.test(subject)).length, 1);
  const { keyedTokens } = server.node.services;
  const { nonce = '' } =
    keyedTokens.read('email', new URL(link, 'http://localhost').searchParams.get('token') ?? '') ?? {};
  const foreign = keyedTokens.make('email', { account: bob.id, nonce });
  for (const wrong of [`${link}x`, `/auth/email/confirmation?token=${foreign}`])
    assert.equal((await stranger.get(wrong)).status, 422, 'forged, or of another account');
  await signIn('new.ann@example.net');
  await signIn('ann@example.org', 422);
  assert.equal(await server.node.services.registry.isTaken('email:ann@example.org', bob.id), false);
});

test('a taken address gets the same answer as a free one, and no mail', async () => {
  const cat = await signedIn('cat');
  await cat.get(ACCOUNT);
  const asked = await cat.submit(EMAIL, { email: 'bob@example.org', current: PASSWORD });
  assert.equal(asked.location, `${ACCOUNT}?sent=true`);
  await cat.get(ACCOUNT);
  await cat.submit(EMAIL, { email: 'cat@example.net', current: PASSWORD });
  await mailTo('cat@example.net', /Confirm/);
  assert.deepEqual(await mailsTo('bob@example.org'), []);
});

test('a wrong password and an address that cannot be are refused with what was typed', async () => {
  const dan = await signedIn('dan');
  await dan.get(ACCOUNT);
  for (const [email, current, message] of [
    ['dan@example.net', 'wrong', /current password is wrong.*value="dan@example\.net"/s],
    ['no "address', PASSWORD, /not an e-mail address.*value="no &quot;address"/s],
    ['DAN@example.org', PASSWORD, /your present address/],
  ] as const) {
    const refused = await dan.submit(EMAIL, { email, current });
    assert.equal(refused.status, 422, email);
    assert.match(refused.text, message);
    assert.doesNotMatch(refused.text, /wrong"|correct horse/);
  }
  assert.deepEqual(await mailsTo('dan@example.net'), []);
});

test('aliases are named by their addresses, also of other servers, and removed', async () => {
  const eve = await signedIn('eve');
  const far = peer.actor('far');
  await eve.get(ALIASES);
  assert.equal((await eve.submit(ALIASES, { acct: `far@${peer.host}` })).location, ALIASES);
  assert.ok((await eve.get(ALIASES)).text.includes(`<bdi>${far.document.id}</bdi>`));
  const missing = await eve.submit(ALIASES, { acct: '<b>@localhost' });
  assert.equal(missing.status, 422);
  assert.match(missing.text, /no such account.*value="&lt;b>@localhost"/s);
  await eve.get(ALIASES);
  assert.equal((await eve.submit(`${ALIASES}/remove`, { uri: far.document.id })).location, ALIASES);
  assert.match((await eve.get(ALIASES)).text, /named no former account/);
});

test('an account moves to one that names it, and comes back', async () => {
  const [finn, gil] = [await signedIn('finn'), await signedIn('gil')];
  await finn.get(MIGRATION);
  const unnamed = await finn.submit(MIGRATION, { acct: 'gil@localhost', current: PASSWORD });
  assert.match(unnamed.text, /does not name this one.*value="gil@localhost"/s);
  await gil.get(ALIASES);
  await gil.submit(ALIASES, { acct: 'finn' });
  await finn.get(MIGRATION);
  assert.equal((await finn.submit(MIGRATION, { acct: 'gil', current: 'wrong' })).status, 422);
  await finn.get(MIGRATION);
  assert.equal((await finn.submit(MIGRATION, { acct: 'gil', current: PASSWORD })).location, MIGRATION);
  assert.match((await finn.get(MIGRATION)).text, /has moved to <bdi>http:\/\/localhost\/users\/gil<\/bdi>/);
  const notice = /<p class="notice"><bdi>finn<\/bdi> moved to <a href="\/@gil">@gil<\/a><\/p>/;
  const stranger = new Visitor(server, { accept: 'text/html' });
  for (const path of ['/@finn', '/@finn/followers']) assert.match((await stranger.get(path)).text, notice, path);
  assert.equal((await server.get('/api/v1/accounts/lookup?acct=finn')).body.moved.username, 'gil');
  assert.equal((await finn.submit(`${MIGRATION}/end`, {})).location, MIGRATION);
  assert.doesNotMatch((await finn.get(MIGRATION)).text, /has moved to/);
  const again = await finn.submit(MIGRATION, { acct: 'gil', current: PASSWORD });
  assert.match(again.text, /last 30 days/);
});

test('an account is deleted with its password only, and signed out everywhere', async () => {
  const hal = await signedIn('hal');
  const other = await signIn('hal');
  const { id } = (await server.get('/api/v1/accounts/lookup?acct=hal')).body;
  const token = await server.token(id, ['read', 'write']);
  await hal.get(DELETE);
  assert.equal((await hal.submit(DELETE, { current: 'wrong' })).status, 422);
  assert.equal((await server.get(`/@hal`)).status, 200);
  const gone = await hal.submit(DELETE, { current: PASSWORD });
  assert.equal(gone.status, 200);
  assert.match(gone.text, /Your account is deleted/);
  assert.equal((await hal.get(ACCOUNT)).status, 302);
  assert.equal((await other.get(ACCOUNT)).status, 302);
  assert.equal((await server.ask('GET', '/api/v1/accounts/verify_credentials', undefined, token)).status, 401);
  assert.equal((await server.get('/@hal')).status, 410);
  await mailTo('hal@example.org', /deleted/);
  await signIn('hal', 422);
});

test('the owner of the server stays', async () => {
  const chief = await signedIn('chief', 'owner');
  await chief.get(DELETE);
  const kept = await chief.submit(DELETE, { current: PASSWORD });
  assert.equal(kept.status, 422);
  assert.match(kept.text, /You own this server/);
  assert.equal((await chief.get(ACCOUNT)).status, 200);
});

test('strangers and forged forms get nothing and change nothing', async () => {
  const ivy = await signedIn('ivy');
  const fields = { email: 'x@example.net', acct: 'bob', uri: 'x', current: PASSWORD, csrf: 'x'.repeat(43) };
  for (const path of [EMAIL, ALIASES, `${ALIASES}/remove`, MIGRATION, `${MIGRATION}/end`, DELETE])
    assert.equal((await ivy.post(path, fields)).status, 403, path);
  for (const path of [ACCOUNT, ALIASES, MIGRATION, DELETE])
    assert.match((await new Visitor(server).get(path)).location ?? '', /^\/auth\/sign_in\?return_to=/);
  assert.equal((await ivy.get(ACCOUNT)).status, 200);
});
