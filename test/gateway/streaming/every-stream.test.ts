import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { WebSocket } from 'ws';
import { isProblem } from '../../../actors/domain/problem.js';
import { putEntry, removeEntry } from '../../../gateway/settings/changes.js';
import { STREAM_KINDS } from '../../../gateway/streaming/stream-kinds.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { sendForm } from '../../kit/network/multipart.js';
import { urlOf } from '../../kit/network/sockets.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 20_000;
const TAG = 'birds';
const SCRIPT = {
  /** A public status with a picture and a hashtag is posted, edited and deleted. */
  picture: ['update picture', 'status.update picture', 'delete picture'],
  /** A public status without either. */
  text: ['update text', 'update last'],
  /** A direct status that mentions the viewers. */
  direct: ['update direct'],
  conversation: ['conversation direct'],
  notifications: ['notification', 'notifications_merged'],
  home: ['filters_changed', 'announcement', 'announcement.reaction', 'announcement.delete'],
} as const;

interface Row {
  /** Path of server-sent events, and its query. */
  readonly path: string;
  readonly query?: string;
  /** Further names of the stream in frames. */
  readonly labels?: (viewer: Viewer) => readonly string[];
  readonly events: readonly (keyof typeof SCRIPT)[];
}

/** Events that each stream sends while the script is played. */
const TABLE: Readonly<Record<string, Row>> = {
  user: { path: 'user', events: ['picture', 'text', 'direct', 'notifications', 'home'] },
  'user:notification': { path: 'user/notification', events: ['notifications'] },
  public: { path: 'public', events: ['picture', 'text'] },
  'public:media': { path: 'public', query: 'only_media=true', events: ['picture'] },
  'public:local': { path: 'public/local', events: ['picture', 'text'] },
  'public:local:media': { path: 'public/local', query: 'only_media=true', events: ['picture'] },
  'public:remote': { path: 'public/remote', events: [] },
  'public:remote:media': { path: 'public/remote', query: 'only_media=true', events: [] },
  hashtag: { path: 'hashtag', query: `tag=${TAG}`, labels: () => [TAG], events: ['picture'] },
  'hashtag:local': { path: 'hashtag/local', query: `tag=${TAG}`, labels: () => [TAG], events: ['picture'] },
  list: { path: 'list', query: 'list=LIST', labels: ({ list }) => [list], events: ['picture', 'text'] },
  direct: { path: 'direct', events: ['conversation'] },
};

interface Viewer {
  readonly person: Person;
  readonly list: string;
}

interface Frame {
  readonly stream: readonly string[];
  readonly event: string;
  readonly payload?: string;
  readonly error?: string;
}

/** An open stream: how it was opened, and what it has received. */
interface Opened {
  readonly name: string;
  readonly how: string;
  readonly viewer: Viewer;
  events(): readonly { readonly event: string; readonly data: string; readonly stream?: readonly string[] }[];
  close(): Promise<void>;
}

let server: TestServer;
let author: Person;
let stranger: Person;
let sockets: Viewer;
let readers: Viewer;

before(async () => {
  server = await TestServer.start();
  author = await server.person('author');
  stranger = await server.person('stranger');
  [sockets, readers] = [await viewer('ada'), await viewer('ben')];
});
after(() => server?.stop());

/** Creates an account that follows the author, has them in a list, and lets a mention by a stranger wait. */
async function viewer(name: string): Promise<Viewer> {
  const person = await server.person(name);
  await person.follows(author);
  const list = (await person.post('/api/v1/lists', { title: 'few' })).body.id as string;
  assert.equal((await person.post(`/api/v1/lists/${list}/accounts`, { account_ids: [author.id] })).status, 200);
  const policy = await person.server.ask(
    'PATCH',
    '/api/v2/notifications/policy',
    { for_not_following: 'filter' },
    person.token,
  );
  assert.equal(policy.status, 200);
  await stranger.says(`@${name} hello`);
  const requests = async () => (await person.get('/api/v1/notifications/requests')).body.length === 1;
  await until('the waiting mention', requests, WAIT_MS);
  return { person, list };
}

const queryOf = ({ query = '' }: Row, { list }: Viewer) => query.replace('LIST', list);
const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('&');

type TokenBy = 'header' | 'query' | 'protocol';

/** Opens a WebSocket, and subscribes by a message if one is given. */
async function socket(
  name: string,
  how: string,
  path: string,
  query: string,
  by: TokenBy,
  ...messages: readonly object[]
): Promise<Opened> {
  const { token } = sockets.person;
  const address = joined(query, by === 'query' ? `access_token=${token}` : '');
  const open = new WebSocket(
    `${urlOf(server).replace('http', 'ws')}/api/v1/streaming${path}?${address}`,
    by === 'protocol' ? [token] : [],
    by === 'header' ? { headers: { authorization: `Bearer ${token}` } } : {},
  );
  const frames: Frame[] = [];
  open.on('message', (bytes) => void frames.push(JSON.parse(String(bytes)) as Frame));
  await once(open, 'open');
  for (const message of messages) open.send(JSON.stringify({ type: 'subscribe', ...message }));
  if (messages.length > 0) {
    open.ping();
    await once(open, 'pong');
  }
  return {
    name,
    how: `WebSocket, ${how}, token by ${by}`,
    viewer: sockets,
    events: () => frames.map(({ payload = '', ...frame }) => ({ data: payload, ...frame })),
    close: async () => {
      open.close();
      await once(open, 'close');
    },
  };
}

async function socketsOf(name: string, row: Row): Promise<Opened[]> {
  const query = queryOf(row, sockets);
  const message = { stream: name, ...Object.fromEntries(new URLSearchParams(query)) };
  const all: Opened[] = [];
  for (const by of ['header', 'query', 'protocol'] as const) {
    all.push(await socket(name, 'named in the address', '', joined(`stream=${name}`, query), by));
    all.push(await socket(name, 'named in a message', '', '', by, message));
  }
  all.push(await socket(name, 'at the path', `/${row.path}`, query, 'query'));
  return all;
}

async function eventSources(name: string, row: Row): Promise<Opened[]> {
  const { token } = readers.person;
  const query = queryOf(row, readers);
  const opened: Opened[] = [];
  for (const by of ['header', 'query'] as const)
    for (const path of [`${row.path}?${query}`, `?${joined(`stream=${name}`, query)}`]) {
      const target = { send: (at: string, init?: RequestInit) => fetch(`${urlOf(server)}${at}`, withToken(init, by)) };
      const stream = await EventStream.open(target, by === 'query' ? `${path}&access_token=${token}` : path, token);
      const how = `server-sent events at ${path}, token by ${by}`;
      opened.push({ name, how, viewer: readers, events: () => stream.events, close: () => stream.close() });
    }
  return opened;
}

/** Removes the token from the headers if it is in the address. */
function withToken(init: RequestInit = {}, by: TokenBy): RequestInit {
  const headers = new Headers(init.headers);
  if (by === 'query') headers.delete('authorization');
  return { ...init, headers };
}

/** Makes every event happen once for both viewers. Returns the names of the statuses by id. */
async function play(): Promise<ReadonlyMap<string, string>> {
  const file = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00a' } })
    .png()
    .toBuffer();
  const media = [(await sendForm(author, 'POST', '/api/v1/media', { file })).body.id as string];
  const picture = await author.says(`a picture #${TAG}`, { media_ids: media });
  const text = await author.says('text');
  const edited = await author.put(`/api/v1/statuses/${picture}`, { status: `the picture #${TAG}`, media_ids: media });
  assert.equal(edited.status, 200, JSON.stringify(edited.body));
  const direct = await author.says('@ada @ben psst', { visibility: 'direct' });
  for (const { person } of [sockets, readers]) {
    const filter = { title: 'none', context: ['home'], keywords_attributes: [{ keyword: 'nowhere' }] };
    assert.equal((await person.post('/api/v2/filters', filter)).status, 200);
    const [{ id }] = (await person.get('/api/v1/notifications/requests')).body;
    assert.equal((await person.post(`/api/v1/notifications/requests/${id}/accept`)).status, 200);
  }
  const announcement = { text: 'News', allDay: false, startsAtMs: 0, endsAtMs: 0 };
  const made = await putEntry(server.node.services, '', { collection: 'announcements', announcement });
  assert.ok(!isProblem(made));
  const reaction = `/api/v1/announcements/${made.id}/reactions/${encodeURIComponent('👍')}`;
  assert.equal((await author.put(reaction)).status, 200);
  await removeEntry(server.node.services, '', 'announcements', made.id);
  assert.equal((await author.remove(`/api/v1/statuses/${picture}`)).status, 200);
  const last = await author.says('last');
  return new Map([
    [picture, 'picture'],
    [text, 'text'],
    [direct, 'direct'],
    [last, 'last'],
  ]);
}

/** Returns the events as the script names them. */
function named(events: ReturnType<Opened['events']>, statuses: ReadonlyMap<string, string>): string[] {
  return events.map(({ event, data }) => {
    if (event === 'delete') return `delete ${statuses.get(data)}`;
    if (event === 'conversation') return `conversation ${statuses.get(JSON.parse(data).last_status.id)}`;
    const isStatus = event === 'update' || event === 'status.update';
    return isStatus ? `${event} ${statuses.get(JSON.parse(data).id)}` : event;
  });
}

test('the table has a row for each stream', () => {
  assert.deepEqual(Object.keys(TABLE).sort(), STREAM_KINDS.map(({ name }) => name).sort());
});

test('each stream sends its events over each transport, whichever way it is named and the token is given', async () => {
  const opened: Opened[] = [];
  for (const [name, row] of Object.entries(TABLE)) {
    opened.push(...(await socketsOf(name, row)), ...(await eventSources(name, row)));
  }
  const statuses = await play();
  for (const { name, how, viewer: by, events } of opened) {
    const row = TABLE[name] as Row;
    const expected = row.events.flatMap((part) => [...SCRIPT[part]]).sort();
    const received = () => named(events(), statuses).sort();
    await until(`the events of ${name}, ${how}`, () => received().length >= expected.length, WAIT_MS).catch(() => {});
    assert.deepEqual(received(), expected, `${name}, ${how}`);
    const labels = [name, ...(row.labels?.(by) ?? [])];
    for (const { stream } of events()) if (stream !== undefined) assert.deepEqual(stream, labels);
  }
  await Promise.all(opened.map((one) => one.close()));
});

test('one WebSocket carries all streams, with one frame for each subscription that an event belongs to', async () => {
  const messages = Object.entries(TABLE).map(([stream, row]) => ({
    stream,
    ...Object.fromEntries(new URLSearchParams(queryOf(row, sockets))),
  }));
  const all = await socket('all', 'all at once', '', '', 'query', ...messages, ...messages);
  const text = await author.says('to all of them');
  const receivers = () =>
    all
      .events()
      .filter(({ data }) => data.includes(`"${text}"`))
      .map(({ stream }) => stream?.[0]);
  const expected = Object.keys(TABLE).filter((name) => TABLE[name]?.events.includes('text'));
  await until('a frame for each', () => receivers().length >= expected.length, WAIT_MS);
  const end = await author.says('the end');
  await until('the end', () => all.events().filter(({ data }) => data.includes(`"${end}"`)).length >= 4, WAIT_MS);
  assert.deepEqual(receivers().sort(), expected.sort());
  await all.close();
});
