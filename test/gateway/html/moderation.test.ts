import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Visitor } from '../../kit/network/visitor.js';
import { TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const PATH = '/moderation/reports';
const MARKUP = '<script>alert(1)</script>';
let server: TestServer;
let reportId: string;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'mod', 'moderator');
  await makeUser(server, 'alice');
  const [bob, eve] = [await server.person('bob'), await server.person('eve')];
  const said = await eve.says('a reported post');
  const body = { account_id: eve.id, status_ids: [said], comment: `rude ${MARKUP}` };
  const filed = await bob.post('/api/v1/reports', body);
  assert.equal(filed.status, 200);
  reportId = filed.body.id;
});
after(() => server?.stop());

async function signedIn(login: string): Promise<Visitor> {
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  return visitor;
}

test('a moderator assigns, resolves and reopens a report (/moderation/reports/:id)', async () => {
  const mod = await signedIn('mod');
  const action = `${PATH}/${reportId}`;
  const open = await mod.get(PATH);
  assert.match(open.text, /@eve.*@bob.*rude &lt;script>.*a reported post/s);
  assert.ok(!open.text.includes(MARKUP));
  assert.equal((await mod.submit(action, { action: 'assign' })).status, 303);
  assert.match((await mod.get(PATH)).text, /Assigned to @mod/);
  assert.equal((await mod.submit(action, { action: 'resolve' })).status, 303);
  assert.doesNotMatch((await mod.get(PATH)).text, /@eve/);
  assert.match((await mod.get(`${PATH}?resolved=true`)).text, /@eve/);
  assert.equal((await mod.submit(action, { action: 'reopen' })).status, 303);
  assert.match((await mod.get(PATH)).text, /@eve/);
});

test('forged forms and unknown actions change nothing', async () => {
  const mod = await signedIn('mod');
  const action = `${PATH}/${reportId}`;
  await mod.get(PATH);
  assert.equal((await mod.submit(action, { action: 'resolve', csrf: 'forged' })).status, 403);
  await mod.get(PATH);
  assert.equal((await mod.submit(action, { action: 'explode' })).status, 422);
  assert.match((await mod.get(PATH)).text, /@eve/);
});

test('others see nothing of reports', async () => {
  const alice = await signedIn('alice');
  const refused = await alice.get(PATH);
  assert.equal(refused.status, 403);
  assert.doesNotMatch(refused.text, /eve|rude/);
  const stranger = await new Visitor(server, { accept: 'text/html' }).get(PATH);
  assert.equal(stranger.status, 302);
});
