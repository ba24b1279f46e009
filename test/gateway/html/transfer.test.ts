import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Peer } from '../../kit/federation/peer.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const IMPORT = '/settings/import';

let server: TestServer;
let peer: Peer;
let alice: Visitor;
let token: string;
let bob: Person;
let cleo: Person;
before(async () => {
  peer = await Peer.open();
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  token = await server.token(await makeUser(server, 'alice'), ['read', 'write', 'follow']);
  bob = await server.person('bob');
  cleo = await server.person('cleo');
  alice = await signedIn(server);
});
after(async () => {
  await server?.stop();
  await peer?.close();
});

async function signedIn(at: TestServer): Promise<Visitor> {
  const visitor = new Visitor(at, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
  return visitor;
}

const api = async (method: string, path: string, body?: object) => (await server.ask(method, path, body, token)).body;
const file = async (kind: string) => (await alice.get(`/settings/exports/${kind}.csv`)).text;

async function take(kind: string, rows: string, mode = 'merge', visitor = alice) {
  await visitor.get(IMPORT);
  return visitor.submit(IMPORT, { kind, rows, mode });
}

test('each list leaves in the form of Mastodon and comes back', async () => {
  await api('POST', `/api/v1/accounts/${bob.id}/follow`, { reblogs: false, notify: true, languages: ['de', 'en'] });
  await api('POST', `/api/v1/accounts/${cleo.id}/mute`, { notifications: false });
  await api('POST', `/api/v1/accounts/${cleo.id}/block`);
  await api('POST', '/api/v1/domain_blocks', { domain: 'bad.example' });
  const post = await bob.says('worth reading');
  await api('POST', `/api/v1/statuses/${post}/bookmark`);
  const { id: list } = await api('POST', '/api/v1/lists', { title: 'Friends, good' });
  await api('POST', `/api/v1/lists/${list}/accounts`, { account_ids: [bob.id] });
  const bobsPost = `http://localhost/users/bob/statuses/${post}`;
  const expected = {
    follows: 'Account address,Show boosts,Notify on new posts,Languages\nbob@localhost,false,true,"de, en"\n',
    mutes: 'Account address,Hide notifications\ncleo@localhost,false\n',
    blocks: 'cleo@localhost\n',
    domain_blocks: 'bad.example\n',
    bookmarks: `${bobsPost}\n`,
    lists: '"Friends, good",bob@localhost\n',
  };
  for (const [kind, text] of Object.entries(expected)) assert.equal(await file(kind), text);
  assert.match(alice.page?.headers.get('content-disposition') ?? '', /filename="lists\.csv"/);
  assert.match((await alice.get('/settings/export')).text, /href="\/settings\/exports\/follows\.csv"/);

  await api('POST', `/api/v1/accounts/${cleo.id}/unmute`);
  await api('POST', `/api/v1/accounts/${cleo.id}/unblock`);
  await api('POST', `/api/v1/accounts/${bob.id}/unfollow`);
  await api('DELETE', '/api/v1/domain_blocks', { domain: 'bad.example' });
  await api('POST', `/api/v1/statuses/${post}/unbookmark`);
  await api('DELETE', `/api/v1/lists/${list}`);
  for (const [kind, text] of Object.entries(expected)) {
    const { status, text: shown } = await take(kind, text);
    assert.equal(status, 200, kind);
    assert.match(shown, /role="status">1 entry imported\./, kind);
    assert.doesNotMatch(shown, /could not be imported/, kind);
  }
  for (const [kind, text] of Object.entries(expected)) assert.equal(await file(kind), text, kind);
});

test('an import replaces what the file does not name, or leaves it', async () => {
  const dan = await server.person('dan');
  await api('POST', `/api/v1/accounts/${bob.id}/follow`);
  const merged = await take('follows', `dan@localhost\nnobody@localhost\n<b>@x\n`);
  assert.match(merged.text, /1 entry imported\..*2 could not be imported.*nobody@localhost.*&lt;b>@x/s);
  assert.match(await file('follows'), /bob@localhost.*dan@localhost/s);
  const replaced = await take('follows', 'Account address\ndan\n@dan@localhost\n', 'overwrite');
  assert.match(replaced.text, /2 entries imported\. 1 earlier entry removed\./);
  assert.doesNotMatch(await file('follows'), /bob@localhost/);
  assert.match(await file('follows'), /dan@localhost/);
  await api('POST', `/api/v1/accounts/${dan.id}/unfollow`);
});

test('people of other servers are looked up there', async () => {
  const far = peer.actor('far');
  const shown = await take('follows', `far@${peer.host}\nmissing@${peer.host}\n`);
  assert.match(shown.text, /1 entry imported\..*1 could not be imported.*missing@/s);
  assert.equal((await peer.gets('Follow'))[0]?.activity.object, far.document.id);
});

test('a browser sends the file itself', async () => {
  await alice.get(IMPORT);
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...alice.hidden(IMPORT), kind: 'domain_blocks', mode: 'overwrite' }))
    form.set(name, value);
  form.set('data', new Blob(['#domain\r\nworse.example\r\n'], { type: 'text/csv' }), 'blocks.csv');
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, accept: 'text/html' };
  const sent = await server.send(IMPORT, { method: 'POST', body: form, headers });
  assert.equal(sent.status, 200, await sent.text());
  assert.equal(await file('domain_blocks'), 'worse.example\n');
  for (const [bytes, message] of [
    ['x'.repeat(900_001), /must be a CSV file/],
    [new Uint8Array([0xff, 0xfe, 0x00]), /must be a CSV file/],
    ['\n\n', /names nothing/],
    [Array.from({ length: 10_001 }, (_, one) => `d${one}.example`).join('\n'), /more than 10000/],
  ] as const) {
    form.set('data', new Blob([bytes]), 'blocks.csv');
    const refused = await server.send(IMPORT, { method: 'POST', body: form, headers });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), message);
  }
  assert.equal(await file('domain_blocks'), 'worse.example\n');
});

test('a long list goes on where the last step ended, and waits when there were too many requests', async () => {
  const bounded = await TestServer.start({ RATE_LIMITS: '{"token":{"limit":120,"seconds":3600}}' });
  try {
    await makeUser(bounded, 'alice');
    const visitor = await signedIn(bounded);
    const names = Array.from({ length: 400 }, (_, one) => `d${one}.example`);
    const first = await take('domain_blocks', names.join('\n'), 'merge', visitor);
    assert.match(first.text, /1\d\d entries imported\..*\d+ to go.*some minutes/s);
    const [, left] = /(\d+) to go/.exec(first.text) ?? [];
    const { rows = '', mode } = visitor.hidden(IMPORT);
    assert.equal(rows.trim().split('\n').length, Number(left));
    assert.equal(mode, 'merge');
  } finally {
    await bounded.stop();
  }
  const names = Array.from({ length: 300 }, (_, one) => `d${one}.example`);
  const first = await take('domain_blocks', names.join('\n'), 'overwrite');
  assert.match(first.text, /249 entries imported\. 1 earlier entry removed\..*51 to go/s);
  const second = await alice.submit(IMPORT, {});
  assert.match(second.text, /51 entries imported/);
  assert.equal((await file('domain_blocks')).trim().split('\n').length, 300);
});

test('strangers and forged forms get nothing and change nothing', async () => {
  const stranger = new Visitor(server, { accept: 'text/html' });
  for (const path of ['/settings/export', IMPORT, '/settings/exports/follows.csv'])
    assert.match((await stranger.get(path)).location ?? '', /^\/auth\/sign_in\?return_to=/);
  const fields = { kind: 'blocks', mode: 'merge', rows: 'bob@localhost', csrf: 'x'.repeat(43) };
  assert.equal((await alice.post(IMPORT, fields)).status, 403);
  assert.doesNotMatch(await file('blocks'), /bob/);
  assert.equal((await alice.get('/settings/exports/secrets.csv')).status, 404);
});
