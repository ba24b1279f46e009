import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendForm } from '../../../kit/network/multipart.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

/** Checksum of PNG chunks; Node 20 has no function for it. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

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

const png = (width: number, height: number, background = '#f80') =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

const upload = async (who: Person = alice, fields: object = {}) => {
  const answer = await sendForm(who, 'POST', '/api/v2/media', { file: await png(800, 600), ...fields });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};
const fileAt = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  server.send(new URL(url).pathname, { headers });

test('an image returns with its sizes, a preview, a blurhash, its description and its focus', async () => {
  const fields = { file: await png(1600, 1200), description: ' a wall ', focus: '-0.5,1.0' };
  const { status, body } = await sendForm(alice, 'POST', '/api/v1/media', fields);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.type, body.description, body.meta.focus], ['image', 'a wall', { x: -0.5, y: 1 }]);
  assert.deepEqual(
    [body.meta.original.width, body.meta.original.height, body.meta.original.size],
    [1600, 1200, '1600x1200'],
  );
  assert.ok(body.meta.small.width * body.meta.small.height <= 640 * 360);
  assert.match(body.blurhash, /^[\w#$%*+,\-.:;=?@[\]^_{|}~]{20,}$/);
  const read = await alice.get(`/api/v1/media/${body.id}`);
  assert.deepEqual([read.status, read.body], [200, body]);
  const original = await fileAt(body.url);
  assert.equal(original.headers.get('content-type'), 'image/png');
  assert.equal((await sharp(Buffer.from(await original.arrayBuffer())).metadata()).width, 1600);
  const preview = await fileAt(body.preview_url);
  assert.equal((await sharp(Buffer.from(await preview.arrayBuffer())).metadata()).width, body.meta.small.width);
});

test('place and camera are removed from a photograph, and its orientation is applied', async () => {
  const sideways = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#08f' } })
    .jpeg()
    .withExif({ IFD0: { Make: 'Spy' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  assert.notEqual((await sharp(sideways).metadata()).exif, undefined);
  const body = await upload(alice, { file: sideways });
  assert.deepEqual([body.meta.original.width, body.meta.original.height], [40, 60]);
  const { exif, orientation, format } = await sharp(
    Buffer.from(await (await fileAt(body.url)).arrayBuffer()),
  ).metadata();
  assert.deepEqual([exif, orientation, format], [undefined, undefined, 'jpeg']);
});

test('files are served without execution, in ranges, and cacheable for ever', async () => {
  const { url } = await upload();
  const whole = await fileAt(url);
  assert.equal(whole.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
  assert.match(whole.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const etag = whole.headers.get('etag') ?? '';
  assert.equal((await fileAt(url, { 'if-none-match': etag })).status, 304);
  for (const [range, from, to] of [
    ['bytes=0-9', 0, 10],
    ['bytes=10-', 10, bytes.length],
    ['bytes=-5', bytes.length - 5, bytes.length],
    [`bytes=5-${bytes.length * 2}`, 5, bytes.length],
  ] as const) {
    const part = await fileAt(url, { range });
    assert.equal(part.status, 206, range);
    assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${bytes.length}`);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(from, to));
  }
  const past = await fileAt(url, { range: `bytes=${bytes.length}-` });
  assert.deepEqual([past.status, past.headers.get('content-range')], [416, `bytes */${bytes.length}`]);
  assert.equal((await fileAt(url, { range: 'bytes=0-1,4-5' })).status, 200);
  assert.equal((await fileAt(url, { range: 'bytes=0-9', 'if-range': '"another"' })).status, 200);
  for (const name of ['x', `${'0'.repeat(32)}.png`, `${'0'.repeat(32)}.svg`, '..%2f..%2fetc%2fpasswd']) {
    assert.equal((await server.send(`/media/${name}`)).status, 404, name);
  }
});

test('the content decides, not the name: pictures that run code, and files that are no pictures, are refused', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const half = (await png(300, 300)).subarray(0, 200);
  // The header states 40,000 pixels of width and height, with a matching checksum.
  const bomb = Buffer.from(await png(8, 8));
  bomb.writeUInt32BE(40_000, 16);
  bomb.writeUInt32BE(40_000, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  for (const file of [
    svg,
    half,
    bomb,
    Buffer.from('hello'),
    Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd'),
    Buffer.alloc(0),
  ]) {
    const { status, body } = await sendForm(alice, 'POST', '/api/v2/media', { file });
    assert.equal(status, 422, `${file.subarray(0, 12)}`);
    assert.match(body.error, /^Validation failed: File /);
  }
  const tooLarge = Buffer.concat([await png(10, 10), Buffer.alloc(16 * 1_048_576)]);
  assert.equal((await sendForm(alice, 'POST', '/api/v1/media', { file: tooLarge })).status, 422);
  assert.equal((await alice.post('/api/v1/media', { file: 'text' })).status, 422);
  assert.equal((await alice.post('/api/v1/media', {})).status, 422);
  const nowhere = { file: await png(9, 9), focus: '' };
  assert.equal((await sendForm(alice, 'POST', '/api/v1/media', nowhere)).status, 200, 'a field that nobody filled in');
  for (const focus of ['2,0', 'x', '0', '0,0,0']) {
    assert.equal((await sendForm(alice, 'POST', '/api/v1/media', { file: await png(9, 9), focus })).status, 422, focus);
  }
  const description = 'x'.repeat(1_501);
  assert.equal((await sendForm(alice, 'POST', '/api/v1/media', { file: await png(9, 9), description })).status, 422);
});

/** Above the size that is processed before the answer. */
async function large(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const create = { width: 1500, height: 1500, channels: 3, background: '#000', noise } as const;
  const file = await sharp({ create }).png().toBuffer();
  assert.ok(file.length > 2 * 1_048_576);
  return file;
}

const ready = (id: string) =>
  until(
    'the image is ready',
    async () => {
      const answer = await alice.get(`/api/v1/media/${id}`);
      assert.ok(answer.status === 200 || answer.status === 206, `${answer.status}`);
      return answer.status === 200 ? answer.body : undefined;
    },
    WAIT_MS,
  );

test('a large image may be processed after the answer: 202, then 206 until it is ready', async () => {
  const begun = await sendForm(alice, 'POST', '/api/v2/media', { file: await large(), description: 'noise' });
  assert.deepEqual([begun.status, begun.body.url, begun.body.preview_url], [202, null, null]);
  const early = await alice.post('/api/v1/statuses', { status: 'early', media_ids: [begun.body.id] });
  if (early.status !== 200) assert.match(early.body.error, /have not finished processing/);
  const done = await ready(begun.body.id);
  assert.equal(done.description, 'noise');
  assert.equal((await fileAt(done.url)).status, 200);
  const file = await fileAt(done.url);
  assert.equal(Buffer.from(await file.arrayBuffer()).length, Number(file.headers.get('content-length')));
});

const stored = async () => {
  const all = await readdir(join(server.folder, 'media'), { recursive: true, withFileTypes: true });
  return new Set(all.filter((entry) => entry.isFile()).map(({ name }) => name));
};

test('a refused upload leaves no files, not even its thumbnail', async () => {
  const before = await stored();
  const thumbnail = await png(90, 160, '#00f');
  const broken = (await png(60, 40)).subarray(0, 60);
  const tooLong = 'x'.repeat(1_501);
  for (const fields of [{ file: Buffer.from('no image') }, { file: broken }, { description: tooLong }]) {
    const sent = { file: await png(60, 40), thumbnail, ...fields };
    const { status, body } = await sendForm(alice, 'POST', '/api/v2/media', sent);
    assert.equal(status, 422, JSON.stringify(body));
  }
  assert.deepEqual(
    [...(await stored())].filter((name) => !before.has(name)),
    [],
  );
});

test('an image with its own thumbnail stores no other one, also if it is processed after the answer', async () => {
  const before = await stored();
  const thumbnail = await png(90, 160, '#00f');
  const quick = await upload(alice, { thumbnail });
  const begun = await sendForm(alice, 'POST', '/api/v2/media', { file: await large(), thumbnail });
  assert.equal(begun.status, 202);
  const slow = await ready(begun.body.id);
  const shown = [quick, slow].flatMap(({ url, preview_url }) => [url, preview_url]);
  for (const { meta } of [quick, slow]) assert.deepEqual([meta.small.width, meta.small.height], [90, 160]);
  const expected = shown.map((url) => basename(new URL(url).pathname)).sort();
  const added = async () => [...(await stored())].filter((name) => !before.has(name)).sort();
  await until('what came is gone', async () => (await added()).length <= expected.length || undefined, WAIT_MS);
  assert.deepEqual(await added(), expected);
});

test('only its owner reads, describes and deletes an upload; deletion removes its files', async () => {
  const media = await upload();
  for (const [method, path] of [
    ['GET', `/api/v1/media/${media.id}`],
    ['PUT', `/api/v1/media/${media.id}`],
    ['DELETE', `/api/v1/media/${media.id}`],
  ] as const) {
    const answer = await server.ask(method, path, method === 'PUT' ? { description: 'mine' } : undefined, bob.token);
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], method);
  }
  const thumbnail = await png(90, 160, '#00f');
  const changed = await sendForm(alice, 'PUT', `/api/v1/media/${media.id}`, {
    description: 'new',
    focus: '0.1,0.2',
    thumbnail,
  });
  assert.deepEqual([changed.body.description, changed.body.meta.small.width], ['new', 90]);
  assert.notEqual(changed.body.preview_url, media.preview_url);
  assert.deepEqual((await alice.remove(`/api/v1/media/${media.id}`)).body, {});
  assert.equal((await alice.get(`/api/v1/media/${media.id}`)).status, 404);
  await until('its file is gone', async () => (await fileAt(media.url)).status === 404 || undefined, WAIT_MS);
});

test('a status may consist of media alone; others’ uploads, attached ones and mixtures are refused', async () => {
  const [one, two, others] = [await upload(), await upload(), await upload(bob)];
  const posted = await alice.post('/api/v1/statuses', { media_ids: [two.id, one.id] });
  assert.equal(posted.status, 200, JSON.stringify(posted.body));
  assert.deepEqual(posted.body.media_attachments, [two, one]);
  assert.equal(posted.body.content, '');
  const read = await server.get(`/api/v1/statuses/${posted.body.id}`);
  assert.deepEqual(read.body.media_attachments, [two, one]);
  const refused = async (media_ids: readonly string[]) => {
    const { status, body } = await alice.post('/api/v1/statuses', { status: 'x', media_ids });
    assert.match(body.error, /^Validation failed: Media/);
    return status;
  };
  assert.equal(await refused([one.id]), 422, 'attached already');
  assert.equal(await refused([others.id]), 422, 'somebody else’s');
  assert.equal(await refused(['1']), 422, 'nobody’s');
  const five: { id: string }[] = [];
  while (five.length < 5) five.push(await upload());
  assert.equal(await refused(five.map(({ id }) => id)), 422, 'five');
  assert.equal((await alice.remove(`/api/v1/media/${one.id}`)).status, 422, 'in use');
  assert.equal((await alice.get(`/api/v1/media/${one.id}`)).status, 200);
});

test('media of a deleted status can be attached again, unless they were deleted with it', async () => {
  const media = await upload();
  const post = async () => (await alice.post('/api/v1/statuses', { media_ids: [media.id] })).body.id as string;
  const first = await post();
  const deleted = await alice.remove(`/api/v1/statuses/${first}`);
  assert.equal(deleted.body.media_attachments[0].id, media.id);
  const again = await until(
    'it is free again',
    async () => (await alice.post('/api/v1/statuses', { media_ids: [media.id] })).body.id,
    WAIT_MS,
  );
  assert.equal((await alice.remove(`/api/v1/statuses/${again}?delete_media=true`)).status, 200);
  await until('its file is gone', async () => (await fileAt(media.url)).status === 404 || undefined, WAIT_MS);
});

test('a request without the scope or a token is refused', async () => {
  const token = await server.token(alice.id, ['read', 'write:statuses']);
  for (const [method, path] of [
    ['POST', '/api/v1/media'],
    ['POST', '/api/v2/media'],
    ['GET', '/api/v1/media/1'],
    ['PUT', '/api/v1/media/1'],
    ['DELETE', '/api/v1/media/1'],
  ] as const) {
    assert.equal((await server.ask(method, path, undefined, token)).status, 403, path);
    assert.equal((await server.ask(method, path)).status, 401, path);
  }
});
