import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { Visitor } from '../../../kit/network/visitor.js';
import type { Person, TestServer } from '../../../kit/services/server.js';
import { startAliceAndBob } from './alice-and-bob.js';

let server: TestServer;
let bob: Person;
let aliceId: string;
let alice: Visitor;
before(async () => {
  ({ server, aliceId, bob, alice } = await startAliceAndBob());
});
after(() => server?.stop());

const COMPOSE = '/web/compose';
const TOO_LONG = 'x'.repeat(600);
const REMOVED = 'true';

const dot = () =>
  sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } })
    .gif()
    .toBuffer();

/** Sends the form at `action` of the current page with a picture, as a browser does. */
async function send(action: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const file1 = new Blob([new Uint8Array(await dot())], { type: 'image/gif' });
  const { status, text, location = '' } = await alice.submit(action, { ...fields, file1 });
  return status === 303 ? (/post-(\d+)$/.exec(location)?.[1] ?? '') : text;
}

async function say(fields: Readonly<Record<string, string>>): Promise<string> {
  await alice.get('/web');
  const { location = '', text } = await alice.submit(COMPOSE, fields);
  return /post-(\d+)$/.exec(location)?.[1] ?? assert.fail(text);
}

test('a person edits text, warning, language and sensitivity, and all readers see the versions', async () => {
  const id = await say({ status: 'first words', language: 'de', sensitive: 'false' });
  const form = (await alice.get(`/web/posts/${id}/edit`)).text;
  assert.match(form, /<textarea[^>]*>first words<\/textarea>/);
  assert.match(form, /name="language"[^>]*value="de"/);
  assert.doesNotMatch(form, /name="visibility"/);
  const changes = { status: 'second words', spoiler_text: 'careful', language: 'fr', sensitive: 'true' };
  const edited = await alice.submit(`/web/posts/${id}/edit`, changes);
  assert.equal(edited.location, `/web/posts/${id}#post-${id}`);
  const { body } = await server.get(`/api/v1/statuses/${id}`);
  assert.match(body.content, /second words/);
  assert.deepEqual([body.spoiler_text, body.language, body.sensitive], ['careful', 'fr', true]);
  assert.match((await alice.get(`/web/posts/${id}`)).text, new RegExp(`href="/web/posts/${id}/history"`));
  assert.match((await alice.get(`/web/posts/${id}/history`)).text, /Version 2.*careful.*second words.*first words/s);
});

test('a person changes the description of a file, and removes it', async () => {
  await alice.get('/web');
  const id = await send(COMPOSE, { status: 'with a dot', description1: 'one dot' });
  const path = `/web/posts/${id}/edit`;
  assert.match((await alice.get(path)).text, /name="media1".*name="description1"[^>]*value="one dot"/s);
  await alice.submit(path, { status: 'with a dot', description1: 'a white dot' });
  const media = async () => (await server.get(`/api/v1/statuses/${id}`)).body.media_attachments;
  assert.deepEqual(
    (await media()).map((one: { description: string }) => one.description),
    ['a white dot'],
  );
  assert.match((await alice.get(`/web/posts/${id}/history`)).text, /a white dot.*one dot/s);
  await alice.get(path);
  await alice.submit(path, { status: 'without a dot', description1: 'a white dot', remove1: REMOVED });
  assert.deepEqual(await media(), []);
});

test('an edit of the text keeps the votes of a poll, also of one that hides its counts', async () => {
  const asked = await say({ status: 'which one?', option1: 'tea', option2: 'milk', expires_in: '3600' });
  await bob.post(`/api/v1/polls/${asked}/votes`, { choices: [1] });
  const path = `/web/posts/${asked}/edit`;
  assert.match((await alice.get(path)).text, /name="option2"[^>]*value="milk"/);
  await alice.submit(path, { status: 'which drink?', option1: 'tea', option2: 'milk', expires_in: '86400' });
  const votes = async () => (await server.get(`/api/v1/statuses/${asked}`)).body.poll?.votes_count;
  assert.equal(await votes(), 1);
  await alice.get(path);
  await alice.submit(path, { status: 'which drink?', option1: 'tea', option2: 'water', expires_in: '86400' });
  assert.equal(await votes(), 0);
  await alice.get(path);
  await alice.submit(path, { status: 'no poll', option1: '', option2: '' });
  assert.equal(await votes(), undefined);
  const token = await server.token(aliceId, ['write', 'read']);
  const poll = { options: ['red', 'blue'], expires_in: 3_600, hide_totals: true };
  const hiding = (await server.ask('POST', '/api/v1/statuses', { status: 'a colour?', poll }, token)).body.id;
  await bob.post(`/api/v1/polls/${hiding}/votes`, { choices: [0] });
  await alice.get(`/web/posts/${hiding}/edit`);
  await alice.submit(`/web/posts/${hiding}/edit`, { status: 'which colour?', option1: 'red', option2: 'blue' });
  assert.equal((await server.get(`/api/v1/statuses/${hiding}`)).body.poll.voters_count, 1);
});

test('a refused edit keeps what was typed and changes nothing', async () => {
  const id = await say({ status: 'unchanged' });
  const path = `/web/posts/${id}/edit`;
  await alice.get(path);
  const refused = await alice.submit(path, { status: TOO_LONG, option1: 'tea', option2: 'milk', language: 'fr' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /class="fault" role="alert">[^<]+/);
  for (const kept of [TOO_LONG, 'value="tea"', 'value="milk"', 'value="fr"']) assert.ok(refused.text.includes(kept));
  assert.match((await server.get(`/api/v1/statuses/${id}`)).body.content, /unchanged/);
});

test('a refused new post keeps its poll, its files and their descriptions', async () => {
  await alice.get('/web');
  const fields = { option1: 'tea', option2: 'milk', expires_in: '604800', multiple: 'true', sensitive: 'true' };
  const polled = await alice.submit(COMPOSE, { status: TOO_LONG, ...fields, description2: 'a cup' });
  assert.equal(polled.status, 422);
  assert.match(polled.text, /value="tea".*value="milk".*value="604800" selected/s);
  assert.match(polled.text, /name="multiple" value="true" checked/);
  assert.match(polled.text, /name="description2"[^>]*value="a cup"/);
  await alice.get('/web');
  const text = await send(COMPOSE, { status: TOO_LONG, description1: 'one dot' });
  const upload = /name="media1" value="(\d+)"/.exec(text)?.[1] ?? assert.fail(text);
  assert.match(text, /name="description1"[^>]*value="one dot"/);
  await alice.get('/web');
  const posted = await alice.submit(COMPOSE, { status: 'short now', media1: upload, description1: 'a white dot' });
  const id = /post-(\d+)$/.exec(posted.location ?? '')?.[1] ?? assert.fail(posted.text);
  const [media] = (await server.get(`/api/v1/statuses/${id}`)).body.media_attachments;
  assert.deepEqual([media.id, media.description], [upload, 'a white dot']);
});

test('a field that the schema refuses shows the form again', async () => {
  const id = await say({ status: 'unchanged too' });
  for (const [page, action] of [
    ['/web', COMPOSE],
    [`/web/posts/${id}/edit`, `/web/posts/${id}/edit`],
  ] as const) {
    await alice.get(page);
    const refused = await alice.submit(action, { status: 'typed text', media1: 'nonsense', option1: 'tea' });
    assert.equal(refused.status, 422, action);
    assert.match(refused.text, /typed text.*value="tea"/s, action);
  }
});

test('nobody edits the posts of others, and a hidden post has no versions', async () => {
  const others = await bob.says('not yours');
  const missing = await alice.get('/web/posts/1/edit');
  assert.deepEqual([missing.status, (await alice.get(`/web/posts/${others}/edit`)).text], [404, missing.text]);
  await alice.get('/web');
  const { csrf = '' } = alice.hidden(COMPOSE);
  const path = `/web/posts/${others}/edit`;
  assert.equal((await alice.post(path, { csrf, status: 'forged' })).status, 404);
  assert.equal((await alice.post(path, { csrf: 'x'.repeat(43), status: 'forged' })).status, 403);
  assert.match((await server.get(`/api/v1/statuses/${others}`)).body.content, /not yours/);
  const secret = await bob.says('not for alice', { visibility: 'direct' });
  const [hidden, nothing] = [await alice.get(`/web/posts/${secret}/history`), await alice.get('/web/posts/1/history')];
  assert.deepEqual([hidden.status, hidden.text], [404, nothing.text]);
  for (const part of ['edit', 'history'])
    assert.match((await new Visitor(server).get(`/web/posts/${others}/${part}`)).location ?? '', /^\/auth\/sign_in/);
});
