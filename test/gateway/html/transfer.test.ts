import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { en } from '../../../gateway/html/texts/en/index.js';
import { put, type Tables, WRITE_ROWS_MAX } from '../../../store/port.js';
import { bookmarks } from '../../../store/tables.js';
import { Peer } from '../../kit/federation/peer.js';
import { urlOf } from '../../kit/network/sockets.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const IMPORT = '/settings/import';
/** More than any list with a limit has. */
const BOOKMARKS = 10_050;
/** Each row is a command. */
const IMPORTED_MS_MAX = 60_000;
const NAMES: Readonly<Record<string, string>> = en.settings.data.transfer.kinds;

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

async function signedIn(at: TestServer, login = 'alice'): Promise<Visitor> {
  const visitor = new Visitor(at, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login, password: PASSWORD });
  return visitor;
}

const api = async (method: string, path: string, body?: object) => (await server.ask(method, path, body, token)).body;
const file = async (kind: string) => (await alice.get(`/settings/exports/${kind}.csv`)).text;

const failedRows = (kind: string) => alice.get(`/settings/imports/${kind}.csv`);

/** Sends a file, as a browser does. */
async function send(kind: string, file: BlobPart, mode = 'merge', visitor = alice) {
  await visitor.get(IMPORT);
  return visitor.submit(IMPORT, { kind, mode, data: new Blob([file], { type: 'text/csv' }) });
}

/** Imports a file, and returns the part of the page that tells the result. */
async function take(kind: string, rows: string, mode = 'merge') {
  const sent = await send(kind, rows, mode);
  assert.equal(sent.status, 303, sent.text);
  return until(
    'the import',
    async () => {
      const { text } = await alice.get(IMPORT);
      assert.match(text, new RegExp(NAMES[kind] ?? ''));
      const [part] = text.split('<div class="card">').filter((one) => one.includes(`<h2>${NAMES[kind]}</h2>`));
      return part?.includes('The import is complete.') === true ? part : undefined;
    },
    IMPORTED_MS_MAX,
  );
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
    const shown = await take(kind, text);
    assert.match(shown, /role="status">The import is complete\. 1 entry imported\./, kind);
    assert.doesNotMatch(shown, /could not be imported/, kind);
  }
  for (const [kind, text] of Object.entries(expected)) assert.equal(await file(kind), text, kind);
});

test('an import replaces what the file does not name, or leaves it', async () => {
  const dan = await server.person('dan');
  await api('POST', `/api/v1/accounts/${bob.id}/follow`);
  const merged = await take('follows', `dan@localhost\nnobody@localhost\n<b>@x\n`);
  assert.match(merged, /1 entry imported\..*2 could not be imported.*href="\/settings\/imports\/follows\.csv"/s);
  const failed = await failedRows('follows');
  assert.match(failed.text, /^Account address,.*\nnobody@localhost.*\n<b>@x.*\n$/);
  assert.match(failed.headers.get('content-disposition') ?? '', /filename="follows-failures\.csv"/);
  assert.match(await file('follows'), /dan@localhost.*bob@localhost/s, 'newest first');
  const replaced = await take('follows', 'Account address\ndan\n@dan@localhost\n', 'overwrite');
  assert.match(replaced, /2 entries imported\. 1 earlier entry removed\./);
  assert.doesNotMatch(await file('follows'), /bob@localhost/);
  assert.match(await file('follows'), /dan@localhost/);
  await api('POST', `/api/v1/accounts/${dan.id}/unfollow`);
});

test('a list without a limit leaves whole, in parts that the client accepts', async () => {
  const { services } = server.node;
  const reader = await makeUser(server, 'reader');
  const statusId = await bob.says('worth reading again');
  const mark = (one: number) => makeId(services.clock.nowMs() + Math.floor(one / 16), 1, one % 16);
  const rows = Array.from({ length: BOOKMARKS }, (_, one) => {
    const id = mark(one);
    return put(bookmarks, { account: reader, era: eraOfId(id), mark: id }, { statusId });
  });
  while (rows.length > 0) await (services.tables as Tables).write(rows.splice(0, WRITE_ROWS_MAX));
  const visitor = await signedIn(server, 'reader');
  const headers = { cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const path = '/settings/exports/bookmarks.csv';
  const answer = await fetch(urlOf(server) + path, { headers });
  assert.deepEqual([answer.status, answer.headers.get('transfer-encoding')], [200, 'chunked']);
  const lines = (await answer.text()).trim().split('\n');
  assert.deepEqual([lines.length, new Set(lines).size], [BOOKMARKS, 1]);
  const head = await fetch(urlOf(server) + path, { headers, method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  const none = await fetch(`${urlOf(server)}/settings/exports/blocks.csv`, { headers });
  assert.deepEqual([none.status, await none.text()], [200, '']);
});

test('people of other servers are looked up there', async () => {
  const far = peer.actor('far');
  const shown = await take('follows', `far@${peer.host}\nmissing@${peer.host}\n`);
  assert.match(shown, /1 entry imported\..*1 could not be imported/s);
  assert.equal((await peer.gets('Follow'))[0]?.activity.object, far.document.id);
});

test('a file that does not fit gets a message at its field, and changes nothing', async () => {
  await take('domain_blocks', '#domain\r\nworse.example\r\n', 'overwrite');
  for (const [bytes, message] of [
    ['x'.repeat(900_001), /must be a CSV file/],
    [new Uint8Array([0xff, 0xfe, 0x00]), /must be a CSV file/],
    ['\n\n', /names nothing/],
    [Array.from({ length: 10_001 }, (_, one) => `d${one}.example`).join('\n'), /more than 10000/],
  ] as const) {
    const refused = await send('domain_blocks', bytes, 'overwrite');
    assert.equal(refused.status, 422);
    assert.match(refused.text, new RegExp(`id="data-wrong" role="alert">[^<]*${message.source}`));
    assert.match(refused.text, /The import is complete\./, 'the last result stays');
  }
  assert.equal(await file('domain_blocks'), 'worse.example\n');
});

test('a long list is imported in steps, one import of a list at a time, and can be cancelled', async () => {
  const bounded = await TestServer.start({ RATE_LIMITS: '{"token":{"limit":120,"seconds":3600}}' });
  try {
    await makeUser(bounded, 'alice');
    const visitor = await signedIn(bounded);
    const names = Array.from({ length: 400 }, (_, one) => `d${one}.example`);
    const sendTo = (kind: string, rows: string) => send(kind, rows, 'merge', visitor);
    assert.equal((await sendTo('domain_blocks', names.join('\n'))).status, 303);
    const { text } = await until(
      'the pause',
      async () => {
        const shown = await visitor.get(IMPORT);
        return shown.text.includes('The import pauses') ? shown : undefined;
      },
      IMPORTED_MS_MAX,
    );
    assert.match(text, /The import is running\. 120 entries imported\..*280 to go/s);
    const other = await sendTo('domain_blocks', 'x.example');
    assert.equal(other.status, 409);
    assert.match(other.text, /id="data-wrong" role="alert">An import of this list is running/);
    assert.equal((await sendTo('blocks', 'x@x.example')).status, 303, 'another list');
    await visitor.get(IMPORT);
    const { csrf = '', file: job = '' } = visitor.hidden(`${IMPORT}/cancel`);
    assert.equal((await visitor.post(`${IMPORT}/cancel`, { csrf: 'x'.repeat(43), file: job })).status, 403);
    const stranger = { csrf, file: 'of somebody else' };
    assert.equal((await visitor.post(`${IMPORT}/cancel`, stranger)).status, 303, 'no such import');
    assert.equal((await visitor.post(`${IMPORT}/cancel`, { csrf, file: job })).status, 303);
    assert.match((await visitor.get(IMPORT)).text, /You have cancelled the import\. 120 entries imported\./);
    assert.equal((await visitor.get('/api/v1/instance')).status, 200, 'other requests have a limit of their own');
  } finally {
    await bounded.stop();
  }
});

test('more entries than one step does are replaced', async () => {
  const names = (letter: string) => Array.from({ length: 250 }, (_, one) => `${letter}${one}.example`).join('\n');
  assert.match(await take('domain_blocks', names('d'), 'overwrite'), /250 entries imported\. 1 earlier entry removed/);
  assert.match(
    await take('domain_blocks', names('e'), 'overwrite'),
    /250 entries imported\. 250 earlier entries removed/,
  );
  assert.deepEqual((await file('domain_blocks')).trim().split('\n').sort(), names('e').split('\n').sort());
});

test('strangers and forged forms get nothing and change nothing', async () => {
  const stranger = new Visitor(server, { accept: 'text/html' });
  for (const path of ['/settings/export', IMPORT, '/settings/exports/follows.csv', '/settings/imports/follows.csv'])
    assert.match((await stranger.get(path)).location ?? '', /^\/auth\/sign_in\?return_to=/);
  await alice.get('/');
  assert.equal((await send('blocks', 'bob@localhost', 'merge', new Visitor(server))).status, 403);
  assert.doesNotMatch(await file('blocks'), /bob/);
  for (const path of ['exports/secrets.csv', 'imports/secrets.csv', 'imports/mutes', 'imports/%00.csv'])
    assert.ok((await alice.get(`/settings/${path}`)).status >= 400, path);
});
