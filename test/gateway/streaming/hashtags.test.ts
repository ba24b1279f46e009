import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MessageEvent, WebSocket } from 'undici';
import { EventStream } from '../../kit/network/event-stream.js';
import { urlOf } from '../../kit/network/sockets.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 10_000;
let server: TestServer;
let reader: Person;
let author: Person;
let nuisance: Person;
before(async () => {
  server = await TestServer.start();
  reader = await server.person('reader');
  author = await server.person('author');
  nuisance = await server.person('nuisance');
  await reader.post(`/api/v1/accounts/${nuisance.id}/block`);
});
after(() => server.stop());

const arrived = (stream: EventStream, id: string) =>
  until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);

test('a hashtag’s stream sends public statuses with it, and none by accounts that the viewer blocks', async () => {
  for (const path of ['hashtag', 'hashtag/local']) {
    const stream = await EventStream.open(server, `${path}?tag=Owl`, reader.token);
    await nuisance.says('an #owl');
    await author.says('#night');
    await author.says('#owl', { visibility: 'unlisted' });
    const id = await author.says('an #OWL');
    await arrived(stream, id);
    assert.deepEqual(stream.updates(), [id]);
    assert.equal((await author.remove(`/api/v1/statuses/${id}`)).status, 200);
    const gone = () => stream.events.some(({ event, data }) => event === 'delete' && data === id) || undefined;
    await until('its deletion', gone, WAIT_MS);
    await stream.close();
  }
});

test('any, all and none combine hashtags in a stream as in the timeline, also after a resume', async () => {
  const early = await author.says('#bat #night');
  const query = `tag=owl&any[]=bat&all[]=night&none[]=rain&since=${BigInt(early) - 1n}`;
  const stream = await EventStream.open(server, `hashtag?${query}`, reader.token);
  await arrived(stream, early);
  await author.says('#owl');
  await author.says('#owl #night #rain');
  const id = await author.says('#owl #night');
  await arrived(stream, id);
  assert.deepEqual(stream.updates(), [early, id]);
  await stream.close();
});

test('one connection carries several hashtags, each frame with its own; a malformed one is refused', async () => {
  const frames: { stream?: string[]; payload?: string; status?: number }[] = [];
  const socket = new WebSocket(`${urlOf(server).replace('http', 'ws')}/api/v1/streaming?access_token=${reader.token}`);
  socket.addEventListener('message', ({ data }: MessageEvent) => void frames.push(JSON.parse(data as string)));
  await until('the socket is open', () => socket.readyState === 1 || undefined, WAIT_MS);
  const send = (message: object) => socket.send(JSON.stringify({ type: 'subscribe', ...message }));
  send({ stream: 'hashtag', tag: 'Heron' });
  send({ stream: 'hashtag:local', tag: 'stork' });
  for (const tag of [undefined, '', '2026', ['heron'], 'a b']) send({ stream: 'hashtag', tag });
  await until('the refusals', () => frames.length === 5 || undefined, WAIT_MS);
  assert.deepEqual(new Set(frames.map(({ status }) => status)), new Set([400]));
  frames.length = 0;
  const id = await author.says('#heron #stork');
  await until('two frames', () => frames.length === 2 || undefined, WAIT_MS);
  assert.deepEqual(frames.map(({ stream }) => stream).sort(), [
    ['hashtag', 'Heron'],
    ['hashtag:local', 'stork'],
  ]);
  assert.ok(frames.every(({ payload = '{}' }) => JSON.parse(payload).id === id));
  socket.close();
  const headers = { authorization: `Bearer ${reader.token}` };
  assert.equal((await server.send(`/api/v1/streaming/hashtag`, { headers })).status, 400);
});

test('statuses with a followed hashtag are streamed to home, and so are their deletions', async () => {
  await reader.post('/api/v1/tags/wren/follow');
  const stream = await EventStream.open(server, 'user', reader.token);
  await nuisance.says('#wren');
  const id = await author.says('a #wren');
  await arrived(stream, id);
  assert.deepEqual(stream.updates(), [id]);
  await author.remove(`/api/v1/statuses/${id}`);
  const gone = () => stream.events.some(({ event, data }) => event === 'delete' && data === id) || undefined;
  await until('its deletion', gone, WAIT_MS);
  await stream.close();
});
