import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { isProblem, Unavailable } from '../../../actors/domain/problem.js';
import { sendForm } from '../../kit/network/multipart.js';
import { type Answered, type Person, TestServer } from '../../kit/services/server.js';

let server: TestServer;
let alice: Person;
let bob: Person;
let moderator: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
  moderator = await server.staff('moderator', 'admin');
});
after(() => server?.stop());

type Ask = (id: string, command: string, ...more: unknown[]) => Promise<unknown>;
type Asks = Record<'askAccount' | 'askConversation' | 'askInstance' | 'askReport', Ask>;

/** Runs the next command of that name and drops its answer, so that the caller does not know the outcome. */
function losesAnswer(to: keyof Asks, command: string): void {
  const asks = server.node.services as unknown as Asks;
  const ask = asks[to];
  asks[to] = async (id, asked, ...more) => {
    const reply = await ask(id, asked, ...more);
    if (asked !== command) return reply;
    asks[to] = ask;
    if (isProblem(reply)) throw new Error(reply.detail);
    throw new Unavailable('its owner died before it answered');
  };
}

let keys = 0;
/** Sends a request whose outcome stays unknown, then repeats it twice with the same key; returns the answer. */
async function twiceAfterDoubt(
  to: keyof Asks,
  command: string,
  send: (headers: Readonly<Record<string, string>>) => Promise<Answered>,
): Promise<Answered> {
  const headers = { 'idempotency-key': `doubt ${keys++}` };
  losesAnswer(to, command);
  assert.equal((await send(headers)).status, 503);
  const [second, third] = [await send(headers), await send(headers)];
  assert.equal(second.status, 200, JSON.stringify(second.body));
  assert.deepEqual([third.status, third.body], [200, second.body]);
  return second;
}

const idsOf = async (path: string, by = alice) => ((await by.get(path)).body as { id: string }[]).map(({ id }) => id);

test('a status, immediate or scheduled, is posted once', async () => {
  const path = `/api/v1/accounts/${alice.id}/statuses`;
  const posted = await twiceAfterDoubt('askAccount', 'post', (key) =>
    alice.post('/api/v1/statuses', { status: 'once' }, key),
  );
  assert.deepEqual(await idsOf(path), [posted.body.id]);
  const later = { status: 'once', scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
  const kept = await twiceAfterDoubt('askAccount', 'schedule', (key) => alice.post('/api/v1/statuses', later, key));
  assert.deepEqual(await idsOf('/api/v1/scheduled_statuses'), [kept.body.id]);
});

test('a key belongs to the account, whichever of its tokens sends it', async () => {
  const other = await server.token(alice.id, ['write']);
  const say = (token: string) =>
    server.ask('POST', '/api/v1/statuses', { status: 'one' }, token, { 'idempotency-key': 'across tokens' });
  assert.equal((await say(alice.token)).body.id, (await say(other)).body.id);
});

test('a list, filters and their parts are created once', async () => {
  const list = await twiceAfterDoubt('askAccount', 'createList', (key) =>
    alice.post('/api/v1/lists', { title: 'friends' }, key),
  );
  assert.deepEqual(await idsOf('/api/v1/lists'), [list.body.id]);
  const wanted = { title: 'x', context: ['home'] };
  const filter = await twiceAfterDoubt('askAccount', 'saveFilter', (key) => alice.post('/api/v2/filters', wanted, key));
  assert.deepEqual(await idsOf('/api/v2/filters'), [filter.body.id]);
  const path = `/api/v2/filters/${filter.body.id}`;
  const keyword = await twiceAfterDoubt('askAccount', 'saveKeyword', (key) =>
    alice.post(`${path}/keywords`, { keyword: 'word' }, key),
  );
  assert.deepEqual(await idsOf(`${path}/keywords`), [keyword.body.id]);
  const status_id = await bob.says('to be hidden');
  const hidden = await twiceAfterDoubt('askAccount', 'addFilteredStatus', (key) =>
    alice.post(`${path}/statuses`, { status_id }, key),
  );
  assert.deepEqual(await idsOf(`${path}/statuses`), [hidden.body.id]);
  const old = await twiceAfterDoubt('askAccount', 'savePhrase', (key) =>
    bob.post('/api/v1/filters', { phrase: 'word', context: ['home'] }, key),
  );
  assert.deepEqual(await idsOf('/api/v1/filters', bob), [old.body.id]);
});

test('a collection, its accounts and a featured hashtag are created once', async () => {
  const willing = await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, bob.token);
  assert.equal(willing.status, 200);
  const made = await twiceAfterDoubt('askAccount', 'createCollection', (key) =>
    alice.post('/api/v1/collections', { name: 'people' }, key),
  );
  const { id } = made.body.collection;
  const item = await twiceAfterDoubt('askAccount', 'addToCollection', (key) =>
    alice.post(`/api/v1/collections/${id}/items`, { account_id: bob.id }, key),
  );
  const { collections } = (await alice.get(`/api/v1/accounts/${alice.id}/collections`)).body;
  assert.deepEqual(
    collections.map((one: { id: string; items: { id: string }[] }) => [one.id, one.items.map((there) => there.id)]),
    [[id, [item.body.collection_item.id]]],
  );
  const tag = await twiceAfterDoubt('askAccount', 'featureTag', (key) =>
    alice.post('/api/v1/featured_tags', { name: 'once' }, key),
  );
  assert.deepEqual(await idsOf('/api/v1/featured_tags'), [tag.body.id]);
});

test('a repeated vote is answered as counted, not refused as a second vote', async () => {
  const poll = { options: ['yes', 'no'], expires_in: 3_600 };
  const id = await alice.says('well?', { poll });
  const voted = await twiceAfterDoubt('askConversation', 'vote', (key) =>
    bob.post(`/api/v1/polls/${id}/votes`, { choices: [1] }, key),
  );
  assert.deepEqual([voted.body.own_votes, voted.body.votes_count], [[1], 1]);
});

test('a report is filed once, under one id', async () => {
  const filed = await twiceAfterDoubt('askReport', 'file', (key) =>
    alice.post('/api/v1/reports', { account_id: bob.id, comment: 'once' }, key),
  );
  assert.deepEqual(await idsOf('/api/v1/admin/reports', moderator), [filed.body.id]);
});

test('entries of moderators are created once', async () => {
  const blocked = await twiceAfterDoubt('askInstance', 'putEntry', (key) =>
    moderator.post('/api/v1/admin/domain_blocks', { domain: 'bad.example' }, key),
  );
  assert.deepEqual(await idsOf('/api/v1/admin/domain_blocks', moderator), [blocked.body.id]);
});

test('an upload is stored once, and no file is orphaned', async () => {
  const picture = (background: string) =>
    sharp({ create: { width: 32, height: 24, channels: 3, background } })
      .png()
      .toBuffer();
  const files = async () =>
    (await readdir(join(server.folder, 'media'), { recursive: true })).filter((name) => name.includes('.')).sort();
  const send = async (key: Readonly<Record<string, string>>, background = '#f80') =>
    sendForm(alice, 'POST', '/api/v2/media', { file: await picture(background) }, key);
  const fresh = await send({});
  const perUpload = (await files()).length;
  const stored = await twiceAfterDoubt('askAccount', 'addMedia', send);
  assert.notEqual(stored.body.id, fresh.body.id);
  assert.equal((await files()).length, 2 * perUpload);

  // A repeat with other bytes, which a client should not send, gets the first answer, and the first file stays.
  const headers = { 'idempotency-key': 'other bytes' };
  losesAnswer('askAccount', 'addMedia');
  assert.equal((await send(headers)).status, 503);
  const before = await files();
  const again = await send(headers, '#08f');
  assert.equal(again.status, 200);
  assert.deepEqual(await files(), before);
  assert.equal((await server.send(new URL(again.body.url).pathname)).status, 200);
});

test('a repeated sign-up with unknown outcome gets its token, and no other client does', async () => {
  const app = (
    await server.ask('POST', '/api/v1/apps', {
      client_name: 'app',
      redirect_uris: 'urn:ietf:wg:oauth:2.0:oob',
      scopes: 'read write',
    })
  ).body;
  const granted = await server.ask('POST', '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: app.client_id,
    client_secret: app.client_secret,
    scope: 'read write',
  });
  const wanted = { username: 'newcomer', email: 'new@example.org', password: 'a long enough one', agreement: true };
  const key = { 'idempotency-key': 'sign-up' };
  const send = (body: object, headers: Readonly<Record<string, string>> = key) =>
    server.ask('POST', '/api/v1/accounts', body, granted.body.access_token, headers);
  losesAnswer('askAccount', 'register');
  assert.equal((await send(wanted)).status, 503);
  const [second, third] = [await send(wanted), await send(wanted)];
  assert.deepEqual([second.status, third.status], [200, 200], JSON.stringify([second.body, third.body]));
  const whoIs = async ({ body }: Answered) =>
    (await server.ask('GET', '/api/v1/apps/verify_credentials', undefined, body.access_token)).status;
  assert.deepEqual([await whoIs(second), await whoIs(third)], [200, 200]);
  for (const other of [
    send({ ...wanted, password: 'another long one' }),
    send(wanted, { 'idempotency-key': 'other' }),
    send(wanted, {}),
  ])
    assert.equal((await other).status, 422);
});
