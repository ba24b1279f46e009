import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Document, type Peer, type PeerActor, PUBLIC } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { EventStream } from '../../kit/network/event-stream.js';
import type { Send } from '../../kit/network/injection.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const SEEN_MS_MAX = 30_000;

const send: Send = (path, init) => fetch(`${server.url}${path}`, init);

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ada: Person;
let ann: PeerActor;
let annId: string;

before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  ann = peer.actor('ann');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  annId = await followed(ann);
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

const api = (method: string, path: string, body?: object) =>
  call(server.url, ada, method, `/api/${path}`, body) as Promise<Document>;
const get = (path: string) => api('GET', path);
const inbox = () => `${server.url}/inbox`;
const create = (who: PeerActor, note: Document) =>
  who.activity('Create', note, { to: note.to, cc: note.cc, published: note.published });
const seen = async <T>(what: string, condition: () => Promise<T>) =>
  (await until(what, condition, SEEN_MS_MAX)) as NonNullable<T>;
const home = () => get('v1/timelines/home') as unknown as Promise<Document[]>;
const contents = async () => (await home()).map(({ content }) => content);

/** Has ada find and follow somebody of the peer, who accepts. */
async function followed(who: PeerActor): Promise<string> {
  const address = encodeURIComponent(`@${who.name}@${peer.host}`);
  const { id } = (await get(`v2/search?q=${address}&resolve=true`)).accounts[0];
  await api('POST', `v1/accounts/${id}/follow`);
  const follow = await until(
    'a Follow',
    async () => peer.delivered('Follow').find(({ activity }) => activity.object === who.uri),
    SEEN_MS_MAX,
  );
  assert.equal(await who.post(inbox(), who.activity('Accept', follow.activity)), 202);
  const isFollowing = async () => {
    const relations = (await get(`v1/accounts/relationships?id[]=${id}`)) as unknown as Document[];
    return relations[0]?.following === true;
  };
  await seen('a follow', isFollowing);
  return id;
}

test('a status of a followed person is in home, in streams and federated timelines, once', async () => {
  const streams = await Promise.all(
    ['user', 'public', 'public/remote', 'public/local'].map((name) => EventStream.open({ send }, name, ada.token)),
  );
  try {
    const activity = create(ann, ann.note('<p>hello</p>'));
    for (let time = 0; time < 2; time++) assert.equal(await ann.post(inbox(), activity), 202);
    await seen('it at home', async () => (await contents()).includes('<p>hello</p>'));
    assert.equal((await contents()).filter((content) => content === '<p>hello</p>').length, 1);
    const updates = (index: number) => streams[index]?.events.filter(({ event }) => event === 'update') ?? [];
    for (const index of [0, 1, 2]) await seen('it on a stream', async () => updates(index).length > 0);
    assert.deepEqual(
      [0, 1, 2, 3].map((index) => updates(index).length),
      [1, 1, 1, 0],
    );
    const { id, account } = (await home())[0] ?? {};
    assert.equal(account.id, annId);
    const listed = (await get('v1/timelines/public?remote=true')) as unknown as Document[];
    assert.ok(listed.some((one) => one.id === id));
  } finally {
    await Promise.all(streams.map((stream) => stream.close()));
  }
});

test('an edit changes the status and leaves its history; an older one has no effect', async () => {
  const published = new Date(Date.now() - 60_000).toISOString();
  const note = ann.note('<p>first</p>', { published });
  await ann.post(inbox(), create(ann, note));
  const status = await seen('it', async () => (await home()).find(({ uri }) => uri === note.id));
  const at = (seconds: number) => new Date(Date.parse(published) + seconds * 1_000).toISOString();
  const edit = (content: string, seconds: number) =>
    ann.post(inbox(), ann.activity('Update', { ...note, content, updated: at(seconds) }, { to: note.to, cc: note.cc }));
  const now = () => get(`v1/statuses/${status.id}`);
  assert.equal(await edit('<p>second<script>x</script></p>', 2), 202);
  await seen('the edit', async () => (await now()).content === '<p>second</p>');
  assert.equal(await edit('<p>older</p>', 1), 202);
  const history = (await get(`v1/statuses/${status.id}/history`)) as unknown as Document[];
  assert.deepEqual(
    history.map(({ content }) => content),
    ['<p>first</p>', '<p>second</p>'],
  );
  assert.equal((await now()).content, '<p>second</p>');
  assert.ok((await now()).edited_at);
});

test('an edit that comes before its Create is the status, and the Create changes nothing', async () => {
  const note = ann.note('<p>at first</p>');
  const edited = { ...note, content: '<p>in the end</p>', updated: new Date().toISOString() };
  assert.equal(await ann.post(inbox(), ann.activity('Update', edited, { to: note.to, cc: note.cc })), 202);
  await seen('the edit', async () => (await contents()).includes('<p>in the end</p>'));
  assert.equal(await ann.post(inbox(), create(ann, note)), 202);
  const next = ann.note('<p>the next</p>');
  await ann.post(inbox(), create(ann, next));
  await seen('the next', async () => (await contents()).includes('<p>the next</p>'));
  const own = (await home()).filter(({ uri }) => uri === note.id).map(({ content }) => content);
  assert.deepEqual(own, ['<p>in the end</p>']);
});

test('a deletion removes the status, and a Create after it has no effect', async () => {
  const note = ann.note('<p>gone soon</p>');
  await ann.post(inbox(), create(ann, note));
  const status = await seen('it', async () => (await home()).find(({ uri }) => uri === note.id));
  const gone = () => ann.activity('Delete', { id: note.id, type: 'Tombstone' }, { to: [PUBLIC] });
  assert.equal(await ann.post(inbox(), gone()), 202);
  await seen('no status', async () => !(await home()).some(({ id }) => id === status.id));
  const never = ann.note('<p>never seen</p>');
  const early = ann.activity('Delete', { id: never.id, type: 'Tombstone' }, { to: [PUBLIC] });
  assert.equal(await ann.post(inbox(), early), 202);
  for (const late of [note, never]) assert.equal(await ann.post(inbox(), create(ann, late)), 202);
  const last = ann.note('<p>last</p>');
  await ann.post(inbox(), create(ann, last));
  await seen('the last', async () => (await contents()).includes('<p>last</p>'));
  assert.ok(!(await contents()).some((content) => content === '<p>gone soon</p>' || content === '<p>never seen</p>'));
});

test('only those who may see a status see it', async () => {
  const followers = ann.document.followers as string;
  const forFollowers = ann.note('<p>for followers</p>', { to: [followers], cc: [] });
  const direct = ann.note('<p>for ada</p>', { to: [`${server.url}/users/ada`], cc: [] });
  for (const note of [forFollowers, direct]) await ann.post(inbox(), create(ann, note));
  await seen('both', async () => (await contents()).includes('<p>for ada</p>'));
  const [first, second] = await home();
  assert.deepEqual([first?.visibility, second?.visibility], ['direct', 'private']);
  for (const status of [first, second]) {
    const answer = await fetch(`${server.url}/api/v1/statuses/${status?.id}`);
    assert.equal(answer.status, 404);
  }
  const open = (await (await fetch(`${server.url}/api/v1/accounts/${annId}/statuses`)).json()) as Document[];
  assert.ok(!open.some(({ visibility }) => visibility !== 'public'));
});

test('a reply joins the thread that it answers, also when its parent is not known yet', async () => {
  const zoe = peer.actor('zoe');
  const root = zoe.note('<p>root</p>');
  const reply = ann.note('<p>reply</p>', { inReplyTo: root.id });
  await ann.post(inbox(), create(ann, reply));
  // Home shows no replies to people who are not followed.
  const shown = () => get(`v1/accounts/${annId}/statuses`) as unknown as Promise<Document[]>;
  const found = await seen('the reply', async () => (await shown()).find(({ uri }) => uri === reply.id));
  const { ancestors } = await get(`v1/statuses/${found.id}/context`);
  assert.deepEqual(
    ancestors.map(({ content }: Document) => content),
    ['<p>root</p>'],
  );
  const own = await api('POST', 'v1/statuses', { status: 'mine', visibility: 'public' });
  const answer = ann.note('<p>to you</p>', {
    inReplyTo: own.uri,
    tag: [{ type: 'Mention', href: `${server.url}/users/ada` }],
  });
  await ann.post(inbox(), create(ann, answer));
  await seen('an answer', async () => {
    const { descendants } = await get(`v1/statuses/${own.id}/context`);
    return descendants.some(({ content }: Document) => content === '<p>to you</p>');
  });
  assert.equal((await get(`v1/statuses/${own.id}`)).replies_count, 1);
});

test('a deleted account disappears with its statuses', async () => {
  const eva = peer.actor('eva');
  const evaId = await followed(eva);
  const note = eva.note('<p>by eva</p>');
  await eva.post(inbox(), create(eva, note));
  await seen('it', async () => (await contents()).includes('<p>by eva</p>'));
  assert.equal(await eva.post(inbox(), eva.activity('Delete', eva.uri, { to: [PUBLIC] })), 202);
  await seen('nothing', async () => !(await contents()).includes('<p>by eva</p>'));
  assert.equal((await get(`v1/accounts/${evaId}`)).suspended, true);
});
