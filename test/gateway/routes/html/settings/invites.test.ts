import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accounts } from '../../../../../store/tables.js';
import { Visitor } from '../../../../kit/network/visitor.js';
import { TestServer } from '../../../../kit/services/server.js';
import { makeUser, PASSWORD } from '../../../oauth/stage.js';

const PATH = '/settings/invites';
const SIGN_UP = '/auth/sign_up';

let server: TestServer;
let chief: Visitor;
before(async () => {
  server = await TestServer.start({ REGISTRATIONS: 'closed' });
  await makeUser(server, 'chief', 'admin');
  chief = await signedIn('chief');
});
after(() => server?.stop());

async function signedIn(login: string, where = server): Promise<Visitor> {
  const visitor = new Visitor(where, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  return visitor;
}

/** Makes an invitation, and returns the path of its link. */
async function invitation(maxUses = '1', owner = chief): Promise<string> {
  await owner.get(PATH);
  const made = await owner.submit(PATH, { max_uses: maxUses, lifetime: 'day' });
  assert.equal(made.location, `${PATH}?saved=true`, made.text);
  const { text } = await owner.get(PATH);
  return /(\/invite\/[\w.-]+)</.exec(text)?.[1] ?? '';
}

/** Follows the link of an invitation with a new browser. */
async function follow(link: string, where = server): Promise<Visitor> {
  const visitor = new Visitor(where, { accept: 'text/html' });
  const { location = '' } = await visitor.get(link);
  await visitor.get(location);
  return visitor;
}

const join = (visitor: Visitor, username: string) =>
  visitor.submit(SIGN_UP, { username, email: `${username}@example.org`, password: PASSWORD, agreement: 'true' });
const exists = async (username: string, where = server) =>
  (await where.node.services.registry.find(`acct:${username}`)) !== undefined;

test('an invited person joins a closed server, and the link is used up', async () => {
  assert.equal((await new Visitor(server).get(SIGN_UP)).status, 403);
  const link = await invitation();
  const guest = await follow(link);
  assert.match(guest.page?.text ?? '', /Somebody has invited you/);
  const late = await follow(link);
  const wrong = await join(guest, 'has space');
  assert.deepEqual([wrong.status, guest.hidden(SIGN_UP).invite !== ''], [422, true], 'a fault does not use it up');
  assert.match((await join(guest, 'guest')).text, /Look into your mail/);
  assert.equal(await exists('guest'), true);
  const refused = await join(late, 'late');
  assert.equal(refused.status, 410);
  assert.match(refused.text, /Invitation not valid.*href="\/"/s);
  assert.equal(await exists('late'), false);
  assert.equal((await follow(link)).page?.status, 410);
  assert.match((await chief.get(PATH)).text, /Used 1 of 1 times/);
});

test('many people with one link at once are no more than it allows', async () => {
  const link = await invitation('5');
  const crowd = await Promise.all(Array.from({ length: 12 }, () => follow(link)));
  const answers = await Promise.all(crowd.map((visitor, place) => join(visitor, `crowd${place}`)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
  assert.equal(answers.filter(({ status }) => status === 410).length, 7);
  const joined = await Promise.all(crowd.map((_visitor, place) => exists(`crowd${place}`)));
  assert.equal(joined.filter(Boolean).length, 5);
});

test('forged, foreign and withdrawn invitations get a clear page', async () => {
  const link = await invitation();
  for (const forged of [
    `${link.slice(0, -2)}${link.at(-2) === 'A' ? 'B' : 'A'}${link.at(-1)}`,
    '/invite/x',
    `/invite/1.${'A'.repeat(22)}.${'A'.repeat(43)}`,
  ])
    assert.equal((await follow(forged)).page?.status, 410, forged);
  const guest = await follow(link);
  await chief.get(PATH);
  assert.equal((await chief.submit(`${PATH}/revoke`, { csrf: 'forged' })).status, 403);
  await chief.get(PATH);
  assert.equal((await chief.submit(`${PATH}/revoke`, {})).location, PATH);
  assert.equal((await join(guest, 'withdrawn')).status, 410);
  assert.equal(await exists('withdrawn'), false);
  const { csrf = '' } = guest.hidden(SIGN_UP);
  const twice = await guest.post(SIGN_UP, { csrf, invite: 'x'.repeat(513) });
  assert.ok(twice.status >= 400 && twice.status < 500);
});

test('an expired invitation is refused', async () => {
  const { services } = server.node;
  const id = (await services.registry.find('acct:chief')) ?? '';
  const nonce = 'A'.repeat(22);
  await services.askAccount(id, 'createInvite', { nonce, maxUses: 0, expiresAtMs: 1 });
  const link = `/invite/${services.keyedTokens.make('invite', { account: id, nonce })}`;
  assert.equal((await follow(link)).page?.status, 410);
  assert.match((await chief.get(PATH)).text, /expired/);
});

test('only staff invites, unless the operator lets everyone', async () => {
  await makeUser(server, 'eve');
  const eve = await signedIn('eve');
  assert.equal((await eve.get(PATH)).status, 403);
  await eve.get('/settings/preferences');
  const { csrf = '' } = eve.hidden('/settings/preferences');
  const refused = await eve.post(PATH, { csrf, max_uses: '1', lifetime: 'day' });
  assert.equal(refused.status, 403);
  assert.doesNotMatch((await eve.get('/settings/preferences')).text, /settings\/invites/);
  for (const odd of [{}, { max_uses: '2', lifetime: 'day' }, { max_uses: '1', lifetime: 'x'.repeat(5_000) }]) {
    await chief.get(PATH);
    assert.equal(
      (await chief.submit(PATH, odd as Record<string, string>)).status,
      422,
      JSON.stringify(odd).slice(0, 60),
    );
  }
});

test('an invited person needs no approval, and other people do', async () => {
  const asking = await TestServer.start({ REGISTRATIONS: 'approval', INVITES: 'everyone' });
  try {
    await makeUser(asking, 'anna');
    const anna = await signedIn('anna', asking);
    const guest = await follow(await invitation('1', anna), asking);
    assert.doesNotMatch(guest.page?.text ?? '', /name="reason"/);
    const joined = await join(guest, 'berta');
    assert.doesNotMatch(joined.text, /moderators look at your request/);
    const id = (await asking.node.services.registry.find('acct:berta')) ?? '';
    assert.equal((await asking.node.services.tables.get(accounts, { account: id }))?.approved, true);
    const other = new Visitor(asking, { accept: 'text/html' });
    await other.get(SIGN_UP);
    assert.match((await join(other, 'carla')).text, /moderators look at your request/);
    assert.equal((await asking.get('/api/v1/instance')).body.invites_enabled, true);
  } finally {
    await asking.stop();
  }
});
