import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import protobuf from 'protobufjs';
import sharp from 'sharp';
import { sendForm } from '../../../kit/network/multipart.js';
import { type Answered, linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

const NOT_FOUND = { error: 'Record not found' };
const WAIT_MS = 20_000;

let server: TestServer;
let alice: Person;
let bob: Person;

before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
});
after(() => server?.stop());

const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 9, g: 99, b: 9, alpha: 0.5 } } })
    .png()
    .toBuffer();
const upload = async (who: Person = alice) =>
  (await sendForm(who, 'POST', '/api/v2/media', { file: await png(64, 48) })).body;
const withMedia = async (more: object = {}, who: Person = alice) => {
  const media = await upload(who);
  const posted = await who.post('/api/v1/statuses', { status: 'seen', media_ids: [media.id], ...more });
  assert.equal(posted.status, 200, JSON.stringify(posted.body));
  return { id: posted.body.id as string, media };
};
const put = (who: Person, id: string, body: object) => server.ask('PUT', `/api/v1/statuses/${id}`, body, who.token);
const idsOf = ({ body }: Answered): string[] => body.map(({ id }: { id: string }) => id);

test('an edit adds, removes and describes media, and the history shows the earlier ones', async () => {
  const { id, media } = await withMedia();
  const other = await upload();
  const kept = await put(alice, id, { status: 'said', media_ids: [media.id] });
  assert.deepEqual(kept.body.media_attachments, [media]);
  const both = await put(alice, id, {
    status: 'said',
    media_ids: [other.id, media.id],
    media_attributes: [{ id: media.id, description: 'a lawn', focus: '0.5,-0.5' }],
  });
  assert.equal(both.status, 200, JSON.stringify(both.body));
  assert.deepEqual(
    both.body.media_attachments.map((one: { id: string }) => one.id),
    [other.id, media.id],
  );
  assert.deepEqual(
    [both.body.media_attachments[1].description, both.body.media_attachments[1].meta.focus],
    ['a lawn', { x: 0.5, y: -0.5 }],
  );
  const alone = await put(alice, id, { status: '', media_ids: [other.id] });
  assert.equal(alone.status, 200);
  assert.equal((await put(alice, id, { status: '', media_ids: [] })).status, 422, 'nothing is left');
  const { body } = await server.get(`/api/v1/statuses/${id}/history`);
  assert.deepEqual(
    body.map((edit: { media_attachments: object[] }) => edit.media_attachments.length),
    [1, 1, 2, 1],
  );
  await until(
    'what was taken out can be posted',
    async () => {
      const { status } = await alice.post('/api/v1/statuses', { media_ids: [media.id] });
      return status === 200 || undefined;
    },
    WAIT_MS,
  );
  assert.equal((await put(alice, id, { status: 'x', media_ids: [(await upload(bob)).id] })).status, 422);
  const free = await upload();
  const refused = { status: 'x', media_ids: [free.id], media_attributes: [{ id: free.id, focus: '9,9' }] };
  assert.equal((await put(alice, id, refused)).status, 422);
  assert.equal((await alice.post('/api/v1/statuses', { media_ids: [free.id] })).status, 200, 'it was let go');
});

test('an edit without media ids removes all media, because forms cannot send an empty list', async () => {
  const { id } = await withMedia();
  const bare = await put(alice, id, { status: 'words' });
  assert.deepEqual([bare.status, bare.body.media_attachments], [200, []]);
});

test('media and a poll exclude each other, in a new status and in an edit', async () => {
  const { id, media } = await withMedia();
  const poll = { options: ['a', 'b'], expires_in: 600 };
  const other = await upload();
  assert.equal((await alice.post('/api/v1/statuses', { status: 'x', media_ids: [other.id], poll })).status, 422);
  assert.equal((await put(alice, id, { status: 'x', media_ids: [media.id], poll })).status, 422);
});

test('a scheduled status reserves its upload until it is cancelled', async () => {
  const media = await upload();
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const later = await alice.post('/api/v1/statuses', { status: 'later', media_ids: [media.id], scheduled_at });
  assert.deepEqual(later.body.media_attachments, [media]);
  const { id } = later.body;
  assert.equal((await alice.post('/api/v1/statuses', { media_ids: [media.id] })).status, 422);
  assert.equal((await alice.remove(`/api/v1/media/${media.id}`)).status, 422);
  assert.equal((await alice.remove(`/api/v1/scheduled_statuses/${id}`)).status, 200);
  assert.equal((await alice.post('/api/v1/statuses', { media_ids: [media.id] })).status, 200);
});

test('media-only lists contain nothing else, for accounts, public timelines and hashtags', async () => {
  const carol = await server.person('carol');
  const { id } = await withMedia({ status: '#green' }, carol);
  await carol.says('words #green');
  assert.deepEqual(idsOf(await server.get(`/api/v1/accounts/${carol.id}/statuses?only_media=true`)), [id]);
  assert.deepEqual(idsOf(await server.get('/api/v1/timelines/tag/green?only_media=true')), [id]);
  const all = idsOf(await server.get('/api/v1/timelines/public?only_media=true'));
  assert.equal(all[0], id);
  const first = await server.get('/api/v1/timelines/public?only_media=true&limit=1');
  assert.deepEqual(idsOf(first), all.slice(0, 1));
  assert.deepEqual(idsOf(await server.get(linkTo(first, 'next') ?? '')), all.slice(1, 2));
});

/** Schema from the specification, independent of the server's. */
const schema = protobuf.parse(
  `syntax = "proto3"; package ServiceFormat;
enum Format { WEBP = 0; AVIF = 1; JPG = 2; PNG = 3; GIF = 4; }
message Image { bytes key = 1; string full_url = 2; string thumb_url = 3; string blurhash = 4; Format format = 5; uint32 width = 6; uint32 height = 7; }
message Index { repeated Image images = 1; optional string title = 2; optional string desc = 3; }`,
  { keepCase: true },
).root;
const decoded = (bytes: Uint8Array) => {
  const type = schema.lookupType('ServiceFormat.Index');
  return type.toObject(type.decode(bytes), { defaults: true, bytes: String, enums: String });
};
const indexAt = async (path: string, accept?: string, token?: string) => {
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await server.send(path, { headers });
  const type = response.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status } = response;
  return {
    status,
    type,
    headers: response.headers,
    index: type.includes('json') ? JSON.parse(bytes.toString()) : decoded(bytes),
  };
};

test('a status’ image index is protobuf, or equal JSON on request', async () => {
  const { id, media } = await withMedia({ status: 'two lawns', spoiler_text: 'green' });
  const path = `/api/v1/statuses/${id}/media_index`;
  const binary = await indexAt(path);
  assert.deepEqual([binary.status, binary.type], [200, 'application/x-protobuf']);
  const json = await indexAt(path, 'application/json');
  assert.match(json.type, /^application\/json/);
  assert.deepEqual(binary.index, json.index);
  assert.deepEqual(json.index, {
    images: [
      {
        key: Buffer.from(media.id).toString('base64'),
        full_url: media.url,
        thumb_url: media.preview_url,
        blurhash: media.blurhash,
        format: 'PNG',
        width: 64,
        height: 48,
      },
    ],
    title: 'green',
    desc: 'two lawns',
  });
  const wordy = await indexAt(`/api/v1/statuses/${await alice.says('words')}/media_index`, 'application/json');
  assert.deepEqual(wordy.index, { images: [], desc: 'words' });
});

test('an account’s image index is paged, and shows each viewer what they may see', async () => {
  const dan = await server.person('dan');
  const seen = [await withMedia({}, dan), await withMedia({}, dan)];
  const hidden = await withMedia({ visibility: 'private' }, dan);
  const path = `/api/v1/accounts/${dan.id}/media_index`;
  const urls = async (token?: string) =>
    (await indexAt(path, 'application/json', token)).index.images.map((image: { full_url: string }) => image.full_url);
  assert.deepEqual(await urls(), [seen[1]?.media.url, seen[0]?.media.url]);
  assert.deepEqual(await urls(bob.token), await urls());
  assert.equal((await urls(dan.token)).length, 3);
  for (const token of [undefined, bob.token]) {
    const { status, index } = await indexAt(`/api/v1/statuses/${hidden.id}/media_index`, undefined, token);
    assert.deepEqual([status, index], [404, NOT_FOUND]);
  }
  const first = await indexAt(`${path}?limit=1`);
  assert.match(first.headers.get('link') ?? '', /media_index\?limit=1&max_id=\d+>; rel="next"/);
  assert.equal((await indexAt(`/api/v1/accounts/${'9'.repeat(18)}/media_index`)).status, 404);
});

test('avatars and headers are cropped, replaced and removed; a file that is no image changes nothing', async () => {
  const erin = await server.person('erin');
  const update = (
    fields: Record<string, string | Uint8Array>,
    method = 'PATCH',
    path = '/api/v1/accounts/update_credentials',
  ) => sendForm(erin, method, path, fields);
  const changed = await update({
    avatar: await png(900, 600),
    header: await png(300, 300),
    note: 'pictured',
    avatar_description: 'me',
  });
  const unchosen = await update({ avatar: '', header: '', note: 'pictured' });
  assert.deepEqual([unchosen.status, unchosen.body.avatar], [200, changed.body.avatar], 'forms name them all the same');
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const sizeAt = async (url: string) => {
    const answer = await server.send(new URL(url).pathname);
    const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    return [answer.status, width, height];
  };
  assert.deepEqual(await sizeAt(changed.body.avatar), [200, 400, 400]);
  assert.deepEqual(await sizeAt(changed.body.avatar_static), [200, 400, 400]);
  assert.deepEqual(await sizeAt(changed.body.header), [200, 1500, 500]);
  assert.equal((await alice.get(`/api/v1/accounts/${erin.id}`)).body.avatar, changed.body.avatar);
  const bad = await update({ avatar: Buffer.from('<svg/>'), note: 'not this' }, 'PUT');
  assert.equal(bad.status, 422);
  const now = await erin.get('/api/v1/accounts/verify_credentials');
  assert.deepEqual([now.body.avatar, now.body.source.note], [changed.body.avatar, 'pictured']);
  const again = await update({ avatar: await png(10, 10) }, 'PATCH', '/api/v1/profile');
  assert.notEqual(again.body.avatar, changed.body.avatar);
  assert.equal(again.body.avatar_description, 'me');
  const old = new URL(changed.body.avatar).pathname;
  await until('the old one is gone', async () => (await server.send(old)).status === 404 || undefined, WAIT_MS);
  const bare = await erin.remove('/api/v1/profile/avatar');
  assert.match(bare.body.avatar, /missing\.png$/);
  assert.equal(bare.body.header, changed.body.header);
  assert.match((await erin.remove('/api/v1/profile/header')).body.header, /missing\.png$/);
});

test('a picture may come as a data: address in JSON; a malformed one changes nothing', async () => {
  const owl = await server.person('owl');
  const update = (avatar: string) => server.ask('PATCH', '/api/v1/accounts/update_credentials', { avatar }, owl.token);
  const picture = Buffer.from(await png(20, 10)).toString('base64');
  const changed = await update(`data:image/png;base64,${picture}`);
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.match(changed.body.avatar, /\/media\//);
  for (const odd of ['data:image/png;base64,', 'data:image/png;base64,AAAA', picture, 'https://example.org/owl.png'])
    assert.equal((await update(odd)).status, odd.endsWith(',') ? 200 : 422, odd.slice(0, 40));
  assert.equal((await owl.get('/api/v1/accounts/verify_credentials')).body.avatar, changed.body.avatar);
});

test('oEmbed shows public statuses of this server only', async () => {
  const id = await alice.says('shown <elsewhere>');
  const hidden = await alice.says('not shown', { visibility: 'private' });
  const at = (url: string, more = '') => server.get(`/api/oembed?url=${encodeURIComponent(url)}${more}`);
  const { status, body } = await at(`http://localhost/@alice/${id}`, '&maxwidth=300');
  assert.deepEqual([status, body.type, body.version, body.width, body.height], [200, 'rich', '1.0', 300, null]);
  assert.match(body.html, /shown &lt;elsewhere&gt;/);
  assert.doesNotMatch(body.html, /<script|<iframe/);
  for (const url of [
    `http://localhost/@alice/${hidden}`,
    `https://elsewhere.example/@alice/${id}`,
    'http://localhost/',
    'x',
    'http://localhost/@alice/1',
  ]) {
    assert.equal((await at(url)).status, 404, url);
  }
  assert.equal((await server.get('/api/oembed')).status, 422);
});
