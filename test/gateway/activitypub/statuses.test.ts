import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendForm } from '../../kit/network/multipart.js';
import { type Person, TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
const PUBLIC = 'https://www.w3.org/ns/activitystreams#Public';
let server: TestServer;
let ann: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start({ BASE_URL: BASE, DOMAIN: 'example' });
  ann = await server.person('ann');
  ben = await server.person('ben');
});
after(() => server?.stop());

const fetched = (path: string) =>
  server.ask('GET', path, undefined, undefined, { accept: 'application/activity+json' });
const object = async (id: string, of = 'ann') => (await fetched(`/users/${of}/statuses/${id}`)).body;
const uriOf = (id: string, of = 'ann') => `${BASE}/users/${of}/statuses/${id}`;

test('a status is a Note with its text, names and addressees', async () => {
  const first = await ben.says('hello');
  const id = await ann.says('@ben #スター・ウォーズ <i>', {
    in_reply_to_id: first,
    spoiler_text: 'a warning',
    language: 'ja',
    sensitive: true,
  });
  const note = await object(id);
  assert.deepEqual([note.id, note.type, note.url], [uriOf(id), 'Note', `${BASE}/@ann/${id}`]);
  assert.deepEqual([note.attributedTo, note.inReplyTo], [`${BASE}/users/ann`, uriOf(first, 'ben')]);
  assert.deepEqual([note.summary, note.sensitive], ['a warning', true]);
  assert.match(note.content, /&lt;i&gt;/);
  assert.deepEqual(note.contentMap, { ja: note.content });
  assert.deepEqual([note.to, note.cc], [[PUBLIC], [`${BASE}/users/ann/followers`, `${BASE}/users/ben`]]);
  const [mention, tag] = note.tag;
  assert.deepEqual(mention, { type: 'Mention', href: `${BASE}/users/ben`, name: '@ben@example' });
  assert.deepEqual([tag.type, tag.name], ['Hashtag', '#スター・ウォーズ']);
  assert.equal(tag.href, `${BASE}/tags/${encodeURIComponent('スター・ウォーズ')}`);
  assert.match(note.published, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.equal(note.updated, undefined);
  assert.deepEqual((await fetched(`/@ann/${id}`)).body, note, 'the page serves the same document');
  await ann.put(`/api/v1/statuses/${id}`, { status: 'edited' });
  const edited = await object(id);
  assert.match(edited.content, /edited/);
  assert.ok(edited.updated >= note.published);
});

test('the activity of a status is its Create, and that of a reblog an Announce', async () => {
  const id = await ann.says('to be shared', { visibility: 'unlisted' });
  const create = (await fetched(`/users/${ann.name}/statuses/${id}/activity`)).body;
  assert.deepEqual([create.type, create.id, create.actor], ['Create', `${uriOf(id)}/activity`, `${BASE}/users/ann`]);
  const { '@context': _context, ...note } = await object(id);
  assert.deepEqual(create.object, note);
  assert.deepEqual([create.to, create.cc], [[`${BASE}/users/ann/followers`], [PUBLIC]]);
  const reblog = (await ben.post(`/api/v1/statuses/${id}/reblog`)).body;
  assert.equal(reblog.uri, `${uriOf(reblog.id, 'ben')}/activity`);
  const announce = (await fetched(`/users/ben/statuses/${reblog.id}/activity`)).body;
  assert.deepEqual([announce.type, announce.id, announce.object], ['Announce', reblog.uri, uriOf(id)]);
  const followers = `${BASE}/users/ben/followers`;
  assert.deepEqual(
    [announce.to, announce.cc],
    [[followers], [PUBLIC, `${BASE}/users/ann`]],
    'as visible as the status',
  );
  assert.equal((await fetched(`/users/ben/statuses/${reblog.id}`)).status, 404, 'a reblog is no object');
});

test('attachments have type, size, focus, blurhash and description', async () => {
  const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const fields = {
    file: new Uint8Array(png),
    description: 'a teal picture',
    focus: '0.5,-0.5',
  };
  const media = await sendForm(ann, 'POST', '/api/v2/media', fields);
  const [attachment] = (await object(await ann.says('look', { media_ids: [media.body.id] }))).attachment;
  const { type, mediaType, url, name, width, height, focalPoint, blurhash } = attachment;
  assert.deepEqual([type, mediaType, name], ['Document', 'image/png', 'a teal picture']);
  assert.deepEqual([width, height, focalPoint], [40, 30, [0.5, -0.5]]);
  assert.equal(url, media.body.url);
  assert.ok(blurhash.length > 5);
});

test('a poll is a Question whose hidden totals stay hidden', async () => {
  const poll = (hide_totals: boolean, multiple: boolean) => ({
    poll: { options: ['tea', 'coffee'], expires_in: 3_600, multiple, hide_totals },
  });
  for (const [hides, many] of [
    [false, false],
    [true, true],
  ] as const) {
    const id = await ann.says('which?', poll(hides, many));
    await ben.post(`/api/v1/polls/${id}/votes`, { choices: [1] });
    const question = await object(id);
    const options = question[many ? 'anyOf' : 'oneOf'];
    assert.equal(question.type, 'Question');
    assert.deepEqual(
      options.map((one: { name: string; replies: { totalItems: number } }) => [one.name, one.replies.totalItems]),
      [
        ['tea', 0],
        ['coffee', hides ? 0 : 1],
      ],
    );
    assert.deepEqual([question.votersCount, question.closed], [1, undefined]);
    assert.ok(question.endTime > question.published);
  }
});

test('a quote names the quoted status, and a policy names who may quote', async () => {
  const quoted = await ben.says('quote me', { quote_approval_policy: 'followers' });
  const open = await ben.says('quote me, too');
  assert.deepEqual((await object(quoted, 'ben')).interactionPolicy.canQuote.automaticApproval, [
    `${BASE}/users/ben/followers`,
  ]);
  const note = await object(await ann.says('see this', { quoted_status_id: open }));
  assert.deepEqual([note.quote, note.quoteUri, note._misskey_quote], Array(3).fill(uriOf(open, 'ben')));
});

test('statuses that not everybody may see are answered as missing ones', async () => {
  const missing = await fetched('/users/ann/statuses/1');
  assert.equal(missing.status, 404);
  const kept = [
    await ann.says('followers', { visibility: 'private' }),
    await ann.says('@ben psst', { visibility: 'direct' }),
  ];
  const others = await ben.says('of ben');
  const paths = [...kept, others].flatMap((id) => [`/users/ann/statuses/${id}`, `/@ann/${id}`]);
  for (const path of [...paths, ...kept.map((id) => `/users/ann/statuses/${id}/activity`)]) {
    const found = await fetched(path);
    assert.deepEqual([found.status, found.body], [missing.status, missing.body], path);
  }
  const gone = await ann.says('soon deleted');
  await ann.remove(`/api/v1/statuses/${gone}`);
  assert.equal((await fetched(`/users/ann/statuses/${gone}`)).status, 404);
});

test('an answer to a deleted status names no parent', async () => {
  const parent = await ann.says('a parent');
  const answer = await ben.says('an answer', { in_reply_to_id: parent });
  assert.equal((await object(answer, 'ben')).inReplyTo, uriOf(parent));
  await ann.remove(`/api/v1/statuses/${parent}`);
  assert.equal((await object(answer, 'ben')).inReplyTo, null);
});

test('a public answer to a status for followers does not name it', async () => {
  const parent = await ann.says('for followers', { visibility: 'private' });
  const answer = await ann.says('for all', { in_reply_to_id: parent, visibility: 'public' });
  assert.equal((await object(answer)).inReplyTo, null);
});
