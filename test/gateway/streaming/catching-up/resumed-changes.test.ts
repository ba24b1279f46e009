import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { type MessageEvent, WebSocket } from 'undici';
import { makeId } from '../../../../actors/domain/ids.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { urlOf } from '../../../kit/network/sockets.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

const WAIT_MS = 10_000;
const HOUR_MS = 3_600_000;

let server: TestServer;
let ann: Person;
let ben: Person;
let eve: Person;
before(async () => {
  server = await TestServer.start();
  [ann, ben, eve] = [await server.person('ann'), await server.person('ben'), await server.person('eve')];
  await ann.follows(ben);
});
after(() => server.stop());

const edit = async (whose: Person, id: string, status: string) =>
  assert.equal((await whose.put(`/api/v1/statuses/${id}`, { status })).status, 200);
const remove = async (whose: Person, id: string) =>
  assert.equal((await whose.remove(`/api/v1/statuses/${id}`)).status, 200);
const textsOf = (data: readonly string[]) =>
  data.map((json) => (JSON.parse(json) as { content: string }).content.replace(/<[^>]*>/g, ''));

/** Opens ann's stream and waits until it has sent a new status, so that it has a position. */
async function opened(since?: string): Promise<EventStream> {
  const stream = await EventStream.open(server, 'user', ann.token, since);
  const seen = await ben.says('seen');
  await until('the status', () => stream.updates().includes(seen), WAIT_MS);
  return stream;
}
/** Returns the position of a stream that is closed again. */
async function left(): Promise<string> {
  const stream = await opened();
  await stream.close();
  return stream.position ?? '';
}

interface Frame {
  readonly stream: readonly string[];
  readonly event: string;
  readonly payload?: string;
  readonly event_id?: string;
}
/** Opens a WebSocket that sends `first` and collects frames. */
async function socket(query: string, first?: object): Promise<{ frames: Frame[]; close(): void }> {
  const open = new WebSocket(
    `${urlOf(server).replace('http', 'ws')}/api/v1/streaming?access_token=${ann.token}${query}`,
  );
  const frames: Frame[] = [];
  open.addEventListener('message', ({ data }: MessageEvent) => frames.push(JSON.parse(data as string) as Frame));
  await until('the socket', () => open.readyState === WebSocket.OPEN, WAIT_MS);
  if (first !== undefined) open.send(JSON.stringify(first));
  return { frames, close: () => open.close() };
}
const payloads = (frames: readonly Frame[], name: string) =>
  frames.filter(({ event }) => event === name).map(({ payload }) => payload ?? '');

/** Changes statuses that ann may have seen, and others, while she is away. */
async function changes(): Promise<{ gone: string[]; after: string }> {
  const [old, edited, removed] = [await ben.says('old'), await ben.says('first'), await ben.says('removed')];
  const [strange, unseen] = [await eve.says('strange'), await eve.says('unseen')];
  const direct = await ben.says('@ann hello', { visibility: 'direct' });
  const reblog = (await ben.post(`/api/v1/statuses/${strange}/reblog`)).body.id as string;
  const position = await left();
  for (const [whose, id] of [
    [ben, old],
    [ben, removed],
    [eve, unseen],
    [ben, direct],
  ] as const)
    await remove(whose, id);
  await edit(ben, edited, 'second');
  await edit(ben, edited, 'third');
  assert.equal((await ben.post(`/api/v1/statuses/${strange}/unreblog`)).status, 200);
  await edit(eve, strange, 'strange still');
  return { gone: [old, removed, direct, reblog], after: position };
}

test('server-sent events resumed by Last-Event-ID begin with edits and deletions of statuses that the client may show', async () => {
  const { gone, after: position } = await changes();
  const stream = await opened(position);
  assert.deepEqual(stream.dataOf('delete').sort(), gone.sort());
  assert.deepEqual(textsOf(stream.dataOf('status.update')), ['third']);
  assert.deepEqual(stream.dataOf('reset'), []);
  await stream.close();
});

test('a WebSocket resumed by its address or by a message gets the edits and deletions, too', async () => {
  const { gone, after: position } = await changes();
  for (const [query, first] of [
    [`&stream=user&since=${position}`, undefined],
    ['', { type: 'subscribe', stream: 'user', since: position }],
  ] as const) {
    const { frames, close } = await socket(query, first);
    const seen = await ben.says('after');
    await until(
      'a later status',
      () => payloads(frames, 'update').some((json) => JSON.parse(json).id === seen),
      WAIT_MS,
    );
    for (const id of gone) assert.equal(payloads(frames, 'delete').filter((one) => one === id).length, 1);
    assert.ok(textsOf(payloads(frames, 'status.update')).includes('third'));
    close();
  }
});

test('a status that was posted and edited while the client was away comes once, in its current form', async () => {
  const position = await left();
  const posted = await ben.says('draft');
  await edit(ben, posted, 'final');
  const passing = await ben.says('passing');
  await remove(ben, passing);
  const stream = await opened(position);
  assert.deepEqual(
    stream.updates().filter((id) => id === posted),
    [posted],
  );
  assert.deepEqual(textsOf(stream.dataOf('update')).includes('draft'), false);
  assert.equal(textsOf(stream.dataOf('status.update')).includes('final'), false);
  assert.equal(stream.dataOf('delete').includes(passing), false);
  await stream.close();
});

test('a public stream gets changes of public statuses only', async () => {
  const [shown, secret] = [await eve.says('shown'), await eve.says('secret', { visibility: 'private' })];
  const position = await left();
  await remove(eve, shown);
  await remove(eve, secret);
  const stream = await EventStream.open(server, 'public', ann.token, position);
  await until('the deletion', () => stream.dataOf('delete').includes(shown), WAIT_MS);
  const later = await eve.says('later');
  await until('a later status', () => stream.updates().includes(later), WAIT_MS);
  assert.equal(stream.dataOf('delete').includes(secret), false);
  await stream.close();
});

test('the deletion of a direct status reaches a mentioned user whose stream began after the status', async () => {
  const direct = await ben.says('@ann psst', { visibility: 'direct' });
  const cat = await server.person('cat');
  await cat.follows(ben);
  const [anns, cats] = [await opened(), await EventStream.open(server, 'user', cat.token)];
  await remove(ben, direct);
  await until('the deletion', () => anns.dataOf('delete').includes(direct), WAIT_MS);
  const own = await ben.says('own');
  await until('what comes after', () => cats.updates().includes(own), WAIT_MS);
  assert.deepEqual(cats.dataOf('delete'), []);
  for (const stream of [anns, cats]) await stream.close();
});

test('a client whose position is out of reach gets reset, then later events', async () => {
  const before = await ben.says('before');
  const old = makeId(Date.now() - HOUR_MS - 1_000, 0, 0);
  for (const position of ['1', old, `${old}~5~2`, makeId(Date.now() + HOUR_MS, 0, 0)]) {
    const stream = await opened(position);
    assert.deepEqual([stream.events[0]?.event, stream.events[0]?.data], ['reset', '{}'], position);
    assert.equal(stream.updates().includes(before), false);
    await stream.close();
    const again = await opened(stream.events[0]?.id);
    assert.deepEqual(again.dataOf('reset'), []);
    assert.equal(again.updates().length, 2, 'what came after the reset, and no more');
    await again.close();
  }
});

test('a WebSocket gets reset for each stream whose position is out of reach', async () => {
  const { frames, close } = await socket('&stream=user&since=1', { type: 'subscribe', stream: 'public', since: '1' });
  const resets = () => frames.filter(({ event }) => event === 'reset');
  await until('two of them', () => resets().length === 2, WAIT_MS);
  assert.deepEqual(
    resets()
      .map(({ stream }) => stream)
      .sort(),
    [['public'], ['user']],
  );
  for (const frame of resets()) assert.deepEqual(Object.keys(frame), ['stream', 'event', 'event_id']);
  close();
});

test('edits and deletions from before a restart of the server reach a client that resumes after it', async () => {
  const first = await TestServer.start();
  const { folder } = first;
  let second: TestServer | undefined;
  try {
    const [cat, dan] = [await first.person('cat'), await first.person('dan')];
    await cat.follows(dan);
    const [removed, edited] = [await dan.says('removed'), await dan.says('first')];
    const stream = await EventStream.open(first, 'user', cat.token);
    const seen = await dan.says('seen');
    await until('the status', () => stream.updates().includes(seen), WAIT_MS);
    await stream.close();
    await first.ask('DELETE', `/api/v1/statuses/${removed}`, undefined, dan.token);
    await first.ask('PUT', `/api/v1/statuses/${edited}`, { status: 'second' }, dan.token);
    await first.node.drain();
    second = await TestServer.start({ DATA_DIR: folder });
    const resumed = await EventStream.open(second, 'user', cat.token, stream.position);
    await until('both', () => resumed.events.length >= 2, WAIT_MS);
    assert.deepEqual(resumed.dataOf('delete'), [removed]);
    assert.deepEqual(textsOf(resumed.dataOf('status.update')), ['second']);
    await resumed.close();
  } finally {
    await (second ?? first).stop();
    await rm(folder, { recursive: true, force: true });
  }
});
