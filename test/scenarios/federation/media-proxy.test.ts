import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n0123456789', 'latin1');
const image = { 'content-type': 'image/png' };
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

const SEEN_MS_MAX = 30_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ada: Person;
let ann: PeerActor;
let account: Document;

before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  for (const name of ['avatar', 'header', 'emoji', 'photo', 'secret'])
    peer.answer(`/${name}.png`, { status: 200, headers: image, body: PNG });
  ann = peer.actor('ann', {
    icon: { type: 'Image', url: `${peer.url}/avatar.png` },
    image: { type: 'Image', url: `${peer.url}/header.png` },
  });
  server = await loopback.server({ FEDERATION_ALLOW_CIDRS: '127.0.0.1' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  const address = encodeURIComponent(`@ann@${peer.host}`);
  account = (await get(`v2/search?q=${address}&resolve=true`)).accounts[0];
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

const get = (path: string) => call(server.url, ada, 'GET', `/api/${path}`) as Promise<Document>;

/** Posts a note of ann to ada with these files; returns the status as ada reads it. */
async function received(files: readonly string[], more: Document = {}): Promise<Document> {
  const attachment = files.map((url) => ({ type: 'Document', mediaType: 'image/png', url }));
  const uri = `${server.url}/users/ada`;
  const tag = [...(more.tag ?? []), { type: 'Mention', href: uri }];
  const note = ann.note('<p>look :cat:</p>', { ...more, attachment, tag, cc: [uri] });
  const activity = ann.activity('Create', note, { to: note.to, cc: note.cc });
  assert.equal(await ann.post(`${server.url}/inbox`, activity), 202);
  const told = async () => {
    const all = (await get('v1/notifications')) as unknown as Document[];
    return all.find(({ status }) => status?.uri === note.id)?.status as Document | undefined;
  };
  return (await until('a status', told, SEEN_MS_MAX)) as Document;
}

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

test('media, pictures and emoji come from this server, which fetches each once', async () => {
  const emoji = { type: 'Emoji', name: ':cat:', icon: { type: 'Image', url: `${peer.url}/emoji.png` } };
  const status = await received([`${peer.url}/photo.png`], { tag: [emoji] });
  const [media] = status.media_attachments;
  assert.deepEqual([media.preview_url, media.remote_url], [media.url, `${peer.url}/photo.png`]);
  const shown = {
    photo: media.url,
    emoji: status.emojis[0].url,
    avatar: status.account.avatar_static,
    header: account.header,
  };
  for (const [name, url] of Object.entries(shown)) {
    assert.ok(url.startsWith(`${server.url}/media_proxy/`), url);
    assert.equal(peer.asked(`/${name}.png`).length, 0, 'nothing is fetched before it is seen');
    for (let time = 0; time < 2; time++) {
      const answer = await fetch(url);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/png']);
      assert.deepEqual(await bytesOf(answer), PNG);
    }
    assert.equal(peer.asked(`/${name}.png`).length, 1);
  }
  const { headers } = await fetch(media.url);
  assert.match(headers.get('content-security-policy') ?? '', /sandbox/);
  assert.equal(headers.get('cache-control'), 'public, max-age=86400');
  const part = await fetch(media.url, { headers: { range: 'bytes=8-11' } });
  assert.deepEqual([part.status, String(await bytesOf(part))], [206, '0123']);
  const etag = headers.get('etag') as string;
  assert.equal((await fetch(media.url, { headers: { 'if-none-match': etag } })).status, 304);
  await server.kill();
  await server.restart();
  assert.deepEqual(await bytesOf(await fetch(media.url)), PNG);
  assert.equal(peer.asked('/photo.png').length, 1, 'it was kept');
});

test('the proxy fetches nothing that no record names', async () => {
  const { id, media_attachments } = await received([`${peer.url}/photo.png`]);
  const hash = media_attachments[0].url.split('/').at(-1);
  const zeros = '0'.repeat(32);
  const before = peer.received.length;
  const secret = encodeURIComponent(`${peer.url}/secret.png`);
  for (const path of [
    `/media_proxy/statuses/${id}/${zeros}`,
    `/media_proxy/statuses/1/${hash}`,
    `/media_proxy/accounts/${id}/${hash}`,
    `/media_proxy/accounts/${ada.id}/${hash}`,
    `/media_proxy/statuses/${id}/${secret}`,
    `/media_proxy/statuses/${id}/${hash}?url=${secret}`,
    `/media_proxy/statuses/x/${hash}`,
  ]) {
    const answer = await fetch(`${server.url}${path}`);
    await answer.arrayBuffer();
    assert.equal(answer.status, path.includes('?') ? 200 : 404, path);
  }
  assert.equal(peer.received.length, before);
});

test('hostile files are answered as missing ones', async () => {
  const canary = await loopback.canary();
  const away = `https://127.0.0.2:${canary.port}/x.png`;
  const html = { 'content-type': 'text/html' };
  peer.answer('/a.svg', { status: 200, headers: { 'content-type': 'image/svg+xml' }, body: SVG });
  peer.answer('/b.png', { status: 200, headers: image, body: '<html><script>alert(1)</script>' });
  peer.answer('/c.png', { status: 200, headers: html, body: PNG });
  peer.answer('/d.png', { status: 302, headers: { location: away } });
  peer.answer('/e.png', { status: 200, headers: { ...image, 'content-length': `${41 * 2 ** 20}` }, body: PNG });
  const here = ['/a.svg', '/b.png', '/c.png', '/d.png', '/e.png', '/none.png'].map((path) => peer.url + path);
  const status = await received([...here, away]);
  assert.equal(status.media_attachments.length, 7);
  for (const { url } of status.media_attachments) {
    for (let time = 0; time < 2; time++) assert.equal((await fetch(url)).status, 404, url);
  }
  for (const path of ['/a.svg', '/b.png', '/none.png']) assert.equal(peer.asked(path).length, 1, 'it is remembered');
  assert.equal(canary.connections, 0);
  // The same address reaches it: the check can fail.
  await fetch(away).catch(() => undefined);
  assert.equal(canary.connections, 1);
  await canary.close();
});

test('files of deleted statuses are not served', async () => {
  const status = await received([`${peer.url}/photo.png`]);
  const [{ url }] = status.media_attachments;
  assert.equal((await fetch(url)).status, 200);
  const gone = ann.activity('Delete', { id: status.uri, type: 'Tombstone' });
  assert.equal(await ann.post(`${server.url}/inbox`, gone), 202);
  await until('no file', async () => (await fetch(url)).status === 404, SEEN_MS_MAX);
});
