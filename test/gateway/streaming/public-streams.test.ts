import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { type MessageEvent, WebSocket } from 'undici';
import { EventStream } from '../../kit/network/event-stream.js';
import { sendForm } from '../../kit/network/multipart.js';
import { urlOf } from '../../kit/network/sockets.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 10_000;
let server: TestServer;
let reader: Person;
let author: Person;
let picture: Buffer;
before(async () => {
  server = await TestServer.start();
  reader = await server.person('reader');
  author = await server.person('author');
  picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00a' } })
    .png()
    .toBuffer();
});
after(() => server.stop());

async function shows(person: Person, status: string): Promise<string> {
  const { body } = await sendForm(person, 'POST', '/api/v1/media', { file: picture });
  return person.says(status, { media_ids: [body.id] });
}
const arrived = (stream: EventStream, id: string) =>
  until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);

test('media streams send public statuses with media only, also after a resume', async () => {
  const early = await shows(author, 'an early picture');
  const since = BigInt(early) - 1n;
  for (const path of ['public', 'public/local']) {
    const stream = await EventStream.open(server, `${path}?only_media=true&since=${since}`, reader.token);
    await arrived(stream, early);
    await author.says('just words');
    const id = await shows(author, 'a picture');
    await arrived(stream, id);
    assert.ok(stream.updates().every((update, index, all) => all.indexOf(update) === index));
    const words = (await reader.get('/api/v1/timelines/public')).body.filter(
      (status: { media_attachments: object[] }) => status.media_attachments.length === 0,
    );
    assert.ok(words.every((status: { id: string }) => !stream.updates().includes(status.id)));
    await stream.close();
  }
  const remote = await EventStream.open(server, 'public/remote?only_media=true', reader.token);
  await remote.close();
});

test('media streams have their own names over WebSocket, and a frame names its stream', async () => {
  const frames: { stream?: string[]; event?: string; payload?: string }[] = [];
  const socket = new WebSocket(`${urlOf(server).replace('http', 'ws')}/api/v1/streaming?access_token=${reader.token}`);
  socket.addEventListener('message', ({ data }: MessageEvent) => void frames.push(JSON.parse(data as string)));
  await until('the socket is open', () => socket.readyState === 1 || undefined, WAIT_MS);
  for (const stream of ['public', 'public:media', 'public:local:media', 'public:remote:media'])
    socket.send(JSON.stringify({ type: 'subscribe', stream }));
  const of = (id: string) =>
    frames.filter(({ payload }) => payload?.includes(`"id":"${id}"`)).map(({ stream }) => stream?.[0]);
  const probes: string[] = [];
  const probe = async () => {
    probes.push(await shows(author, 'probe'));
    return probes.some((id) => of(id).length === 3);
  };
  await until('all are open', probe, WAIT_MS);
  const words = await author.says('words');
  const last = await shows(author, 'last');
  await until('the last one', () => of(last).length === 3 || undefined, WAIT_MS);
  assert.deepEqual(of(words), ['public']);
  assert.deepEqual(of(last), ['public', 'public:media', 'public:local:media']);
  socket.close();
});

test('a silenced account is on public streams for its followers only', async () => {
  const [quiet, fan] = [await server.person('quiet'), await server.person('fan')];
  await fan.follows(quiet);
  const decided = { action: 'silence', by: '', text: '', mail: false };
  await server.node.services.askAccount(quiet.id, 'moderate', decided);
  await until('it is known', () => server.node.services.limits.silenced(quiet.id) || undefined, WAIT_MS);
  const strangers = await EventStream.open(server, 'public', reader.token);
  const tagged = await EventStream.open(server, 'hashtag?tag=hush', reader.token);
  const fans = await EventStream.open(server, 'public', fan.token);
  const said = await quiet.says('a whisper #hush');
  const last = await author.says('aloud #hush');
  for (const stream of [strangers, tagged, fans]) await arrived(stream, last);
  assert.deepEqual([strangers.updates(), tagged.updates()], [[last], [last]]);
  assert.deepEqual(fans.updates(), [said, last]);
  for (const stream of [strangers, tagged, fans]) await stream.close();
});

test('media streams send deletions of statuses with media, also of older ones, and of no others', async () => {
  const shown = await shows(author, 'an old picture');
  const words = await author.says('old words');
  const hidden = await shows(author, 'a picture for all');
  const stream = await EventStream.open(server, 'public?only_media=true', reader.token);
  const all = await EventStream.open(server, 'public', reader.token);
  const whispered = (await sendForm(author, 'POST', '/api/v1/media', { file: picture })).body.id;
  const secret = await author.says('a secret picture', { media_ids: [whispered], visibility: 'private' });
  for (const id of [words, secret, shown, hidden])
    assert.equal((await author.remove(`/api/v1/statuses/${id}`)).status, 200);
  const deleted = ({ events }: EventStream) => events.filter(({ event }) => event === 'delete').map(({ data }) => data);
  await until('the last deletion', () => deleted(stream).includes(hidden) || undefined, WAIT_MS);
  await until('the last deletion among all', () => deleted(all).includes(hidden) || undefined, WAIT_MS);
  assert.deepEqual(
    [deleted(stream), deleted(all)],
    [
      [shown, hidden],
      [words, shown, hidden],
    ],
  );
  for (const one of [stream, all]) await one.close();
});

test('public and hashtag streams send no status that mentions an account that the viewer blocks or mutes', async () => {
  const viewer = await server.person('viewer');
  const [foe, bore] = [await server.person('foe'), await server.person('bore')];
  for (const path of [`${foe.id}/block`, `${bore.id}/mute`])
    assert.equal((await viewer.post(`/api/v1/accounts/${path}`)).status, 200);
  const streams = await Promise.all(
    ['public', 'public/local', 'hashtag?tag=chat'].map((path) => EventStream.open(server, path, viewer.token)),
  );
  await author.says('hello @foe #chat');
  await author.says('hello @bore #chat');
  const last = await author.says('hello @reader #chat');
  for (const stream of streams) {
    await arrived(stream, last);
    assert.deepEqual(stream.updates(), [last]);
    await stream.close();
  }
});

test('the parameter stream may name a stream of server-sent events instead of the path', async () => {
  const stream = await EventStream.open(server, '?stream=public', reader.token);
  await arrived(stream, await author.says('by name'));
  await stream.close();
  const tagged = await EventStream.open(server, '?stream=hashtag&tag=named', reader.token);
  await arrived(tagged, await author.says('by name #named'));
  await tagged.close();
  const status = async (query: string) => {
    const headers = { authorization: `Bearer ${reader.token}` };
    const response = await server.send(`/api/v1/streaming${query}`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  const queries = ['?stream=public', '?stream=nothing', '', '?stream=%ff'];
  assert.deepEqual(await Promise.all(queries.map(status)), [200, 400, 404, 400]);
});
