import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const FILTERS = '/settings/filters';
const DOMAINS = '/settings/domain_blocks';

let server: TestServer;
let bob: Person;
let alice: Visitor;
let token: string;
before(async () => {
  server = await TestServer.start();
  const id = await makeUser(server, 'alice');
  token = await server.token(id, ['read', 'write', 'follow']);
  bob = await server.person('bob');
  alice = new Visitor(server, { accept: 'text/html' });
  await alice.get('/auth/sign_in');
  await alice.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
});
after(() => server?.stop());

const filters = async () => (await server.ask('GET', '/api/v2/filters', undefined, token)).body;

const FIELDS = { title: 'Spoilers', 'context[]': 'home', filter_action: 'hide', expires: 'never' };

test('a person creates, changes and deletes a filter', async () => {
  assert.match((await alice.get(FILTERS)).text, /You have no filters/);
  await alice.get(`${FILTERS}/new`);
  const made = await alice.submit(FILTERS, { ...FIELDS, words: 'the end\r\nfinale\r\n', parts: 'spoil' });
  assert.equal(made.location, `${FILTERS}?saved=true`);
  const [stored] = await filters();
  const keywords = stored.keywords.map((one: { keyword: string; whole_word: boolean }) => [
    one.keyword,
    one.whole_word,
  ]);
  assert.deepEqual(keywords, [
    ['the end', true],
    ['finale', true],
    ['spoil', false],
  ]);
  assert.deepEqual([stored.context, stored.filter_action, stored.expires_at], [['home'], 'hide', null]);
  assert.match(
    (await alice.get(made.location ?? '')).text,
    /Saved\..*Spoilers.*Left out · Home and lists · 3 keywords/s,
  );

  const id = stored.id;
  const path = `/settings/filters/${id}`;
  const form = (await alice.get(path)).text;
  assert.match(form, /value="Spoilers".*value="home" checked.*value="keep" selected.*the end\nfinale<\/textarea>/s);
  assert.equal((await alice.submit(path, { ...FIELDS, title: 'Ends', expires: '3600', words: 'finale' })).status, 303);
  const [changed] = await filters();
  assert.deepEqual(changed.keywords, [stored.keywords[1]], 'a keyword that stays keeps its id');
  assert.ok(changed.expires_at !== null && changed.title === 'Ends');

  await alice.get(path);
  assert.equal((await alice.submit(`/settings/filters/${id}/delete`, {})).status, 303);
  assert.deepEqual(await filters(), []);
  assert.equal((await alice.get(path)).status, 404);
});

test('a refused filter keeps what was typed, with a message at the field', async () => {
  for (const [fields, message] of [
    [{ title: ' ', words: 'kept & typed' }, /id="title-wrong" role="alert">[^<]+/],
    [{ 'context[]': 'nowhere', words: 'kept & typed' }, /id="context-wrong" role="alert">[^<]+/],
    [{ words: `kept & typed\n${'x'.repeat(600)}` }, /id="words-wrong" role="alert">[^<]+/],
    [{ words: `kept & typed\n${Array.from({ length: 400 }, (_, one) => `w${one}`).join('\n')}` }, /role="alert">[^<]+/],
    [{ filter_action: 'burn', words: 'kept & typed' }, /class="fault" role="alert">[^<]+/],
    [{ expires: 'soon', words: 'kept & typed' }, /class="fault" role="alert">[^<]+/],
  ] as const) {
    await alice.get(`${FILTERS}/new`);
    const refused = await alice.submit(FILTERS, { ...FIELDS, ...fields });
    assert.equal(refused.status, 422, JSON.stringify(fields).slice(0, 80));
    assert.match(refused.text, message);
    assert.match(refused.text, /kept &amp; typed/);
  }
  assert.deepEqual(await filters(), []);
});

for (const [kind, verb, undo] of [
  ['mutes', 'mute', (id: string) => `/settings/mutes/${id}/undo`],
  ['blocks', 'block', (id: string) => `/settings/blocks/${id}/undo`],
] as const)
  test(`a person sees ${kind} and undoes one`, async () => {
    await server.ask('POST', `/api/v1/accounts/${bob.id}/${verb}`, { duration: 3_600 }, token);
    const path = `/settings/${kind}`;
    assert.match((await alice.get(path)).text, /@bob/);
    if (kind === 'mutes') assert.match(alice.page?.text ?? '', /until <time/);
    assert.equal((await alice.submit(undo(bob.id), {})).location, path);
    assert.doesNotMatch((await alice.get(path)).text, /@bob/);
  });

test('long lists have pages', async () => {
  for (const name of ['one', 'two', 'three']) {
    const { id } = await server.person(name);
    await server.ask('POST', `/api/v1/accounts/${id}/mute`, {}, token);
  }
  const first = (await alice.get('/settings/mutes?limit=2')).text;
  assert.match(first, /@three.*@two/s);
  const older = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.match((await alice.get(older)).text, /@one/);
});

test('a person blocks a server and undoes it; a wrong name stays in the field', async () => {
  await alice.get(DOMAINS);
  assert.equal((await alice.submit(DOMAINS, { domain: 'Birds.Example' })).location, DOMAINS);
  assert.match((await alice.get(DOMAINS)).text, /<bdi>birds\.example<\/bdi>/);
  const refused = await alice.submit(DOMAINS, { domain: 'no "name' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /value="no &quot;name".*id="domain-wrong" role="alert">[^<]+.*birds\.example/s);
  assert.equal((await alice.submit(`${DOMAINS}/undo`, { domain: 'birds.example' })).location, DOMAINS);
  assert.doesNotMatch((await alice.get(DOMAINS)).text, /birds\.example/);
});

test('forms without the token of the session change nothing, and strangers are led to the sign-in', async () => {
  for (const path of [FILTERS, DOMAINS, `/settings/blocks/${bob.id}/undo`]) {
    const forged = { ...FIELDS, domain: 'forged.example', csrf: 'x'.repeat(43) };
    assert.equal((await alice.post(path, forged)).status, 403, path);
    assert.equal((await new Visitor(server).post(path, forged)).status, 403, path);
  }
  assert.deepEqual(await filters(), []);
  for (const path of [FILTERS, `${FILTERS}/new`, '/settings/mutes', '/settings/blocks', DOMAINS])
    assert.match((await new Visitor(server).get(path)).location ?? '', /^\/auth\/sign_in\?return_to=/);
});
