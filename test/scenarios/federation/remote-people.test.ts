import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, Peer } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { call, makePeople, type Person } from '../cluster/people.js';

let loopback: TrustedLoopback;
let [here, there]: SecureServer[] = [];
let peer: Peer;
let ada: Person;
let ben: Person;

before(async () => {
  loopback = await TrustedLoopback.open();
  [here, there] = [await loopback.server(), await loopback.server()];
  peer = await loopback.peer();
  [ada] = (await makePeople(here.dataDir, ['ada'])) as [Person];
  [ben] = (await makePeople(there.dataDir, ['ben'])) as [Person];
});
after(async () => {
  await Promise.all([here?.dispose(), there?.dispose(), peer?.close()]);
  await loopback?.close();
});

const at = (server: SecureServer | undefined) => server?.url ?? '';
const get = (path: string) => call(at(here), ada, 'GET', path) as Promise<Document>;
const search = (q: string, more = '&resolve=true') => get(`/api/v2/search?q=${encodeURIComponent(q)}${more}`);

test('people of another server of ours are found by name and address, with their profiles', async () => {
  await call(at(there), ben, 'PATCH', '/api/v1/accounts/update_credentials', {
    display_name: 'Ben ☃',
    note: 'I am https://ben.example',
    fields_attributes: [{ name: 'home', value: 'https://ben.example' }],
    bot: true,
  });
  const host = new URL(at(there)).host;
  const found = await search(`@ben@${host}`);
  const [account] = found.accounts as Document[];
  assert.equal(found.accounts.length, 1);
  const { acct, display_name, url, uri, bot, locked, group, note, fields } = account ?? {};
  assert.deepEqual(
    { acct, display_name, url, uri, bot, locked, group },
    {
      acct: `ben@${host}`,
      display_name: 'Ben ☃',
      url: `${at(there)}/@ben`,
      uri: `${at(there)}/users/ben`,
      bot: true,
      locked: false,
      group: false,
    },
  );
  assert.match(note, /<a href="https:\/\/ben\.example\/"[^>]* rel="nofollow noopener"/);
  assert.equal(fields[0].name, 'home');
  for (const address of [`${at(there)}/users/ben`, `${at(there)}/@ben`])
    assert.deepEqual((await search(address)).accounts[0].id, account?.id, address);
  assert.equal((await get(`/api/v1/accounts/lookup?acct=ben@${host}`)).id, account?.id);
  assert.equal((await search('ben', '')).accounts[0].id, account?.id);
  // Others do not count it among the accounts of this server.
  assert.equal((await get('/api/v1/instance')).stats.user_count, 1);
});

test('a status of another server is found by its address, with its thread, and shows in timelines', async () => {
  const post = (text: string, more = {}) =>
    call(at(there), ben, 'POST', '/api/v1/statuses', { status: text, ...more }) as Promise<Document>;
  const root = await post('a thread begins #owls');
  const reply = await post('and goes on', { in_reply_to_id: root.id });
  const found = (await search(reply.url as string)).statuses[0];
  assert.equal(found.uri, reply.uri);
  assert.equal(found.content, '<p>and goes on</p>');
  const { ancestors } = await get(`/api/v1/statuses/${found.id}/context`);
  assert.deepEqual(
    ancestors.map((one: Document) => one.uri),
    [root.uri],
  );
  const [parent] = ancestors;
  const ids = (list: Document) => list.map((one: Document) => one.id);
  assert.deepEqual(ids(await get(`/api/v1/accounts/${found.account.id}/statuses`)), [found.id, parent.id]);
  assert.deepEqual(ids(await get('/api/v1/timelines/public')), [found.id, parent.id]);
  assert.deepEqual(ids(await get('/api/v1/timelines/public?remote=true')), [found.id, parent.id]);
  assert.deepEqual(ids(await get('/api/v1/timelines/public?local=true')), []);
  assert.deepEqual(ids(await get('/api/v1/timelines/tag/owls')), [parent.id]);
  assert.deepEqual(ids(await get('/api/v1/timelines/tag/owls?local=true')), []);
  assert.deepEqual((await search(root.uri as string)).statuses[0].id, parent.id, 'it is one status');
});

test('people of other servers and their posts count in no number of this server', async () => {
  assert.equal((await search(`@ben@${new URL(at(there)).host}`)).accounts.length, 1);
  assert.notEqual((await get('/api/v1/timelines/public?remote=true')).length, 0);
  for (const version of ['2.0', '2.1']) {
    const { users, localPosts } = (await get(`/nodeinfo/${version}`)).usage;
    assert.deepEqual([users.total, localPosts], [1, 0], version);
  }
  const { stats } = await get('/api/v1/instance');
  assert.deepEqual([stats.user_count, stats.status_count], [1, 0]);
});

test('a document of another server shows only what the allow-list has', async () => {
  const eve = peer.actor('eve', { name: '<b>Eve</b>', summary: '<p>x<script>alert(1)</script></p>' });
  const image = {
    type: 'Document',
    mediaType: 'image/png',
    url: `${peer.url}/a.png`,
    name: 'a <b>',
    width: 4,
    height: 2,
  };
  const note = eve.note('<p onclick="x">hello <a href="javascript:x">you</a> <script>alert(1)</script></p>', {
    summary: 'careful',
    sensitive: true,
    attachment: [image],
    tag: [
      { type: 'Emoji', name: ':blob:', icon: { url: `${peer.url}/blob.png` } },
      { type: 'Hashtag', name: '#Test', href: 'https://x' },
      { type: 'Mention', href: `${at(here)}/users/ada`, name: '@ada' },
    ],
    published: '2100-01-01T00:00:00Z',
    contentMap: { de: '<p onclick="x">hello <a href="javascript:x">you</a> <script>alert(1)</script></p>' },
  });
  const [status] = (await search(note.id)).statuses as Document[];
  assert.equal(status?.content, '<p>hello you </p>');
  const { spoiler_text, sensitive, language, tags, mentions, emojis, account, media_attachments } = status ?? {};
  assert.deepEqual([spoiler_text, sensitive, language], ['careful', true, 'de']);
  assert.deepEqual(
    tags.map(({ name }: Document) => name),
    ['test'],
  );
  assert.deepEqual(
    mentions.map(({ acct }: Document) => acct),
    ['ada'],
  );
  assert.equal(emojis[0].shortcode, 'blob');
  assert.deepEqual([account.display_name, account.note], ['Eve', '<p>x</p>']);
  assert.equal(media_attachments[0].type, 'image');
  assert.equal(media_attachments[0].remote_url, `${peer.url}/a.png`);
  assert.equal(media_attachments[0].description, 'a <b>');
  assert.ok(Date.parse(status?.created_at) <= Date.now());
  const notices = (await get('/api/v1/notifications')) as unknown as Document[];
  assert.deepEqual(
    notices.map(({ type, status: of }) => [type, of.id]),
    [['mention', status?.id]],
  );
});

test('an old status is in the lists of its author, but no news', async () => {
  const old = peer.actor('old');
  const note = old.note('<p>long ago</p>', { published: '2020-01-01T00:00:00Z' });
  const [status] = (await search(note.id)).statuses as Document[];
  assert.equal(status?.created_at, '2020-01-01T00:00:00.000Z');
  const ids = (list: Document) => list.map((one: Document) => one.id);
  assert.ok(!ids(await get('/api/v1/timelines/public')).includes(status?.id));
  assert.deepEqual(ids(await get(`/api/v1/accounts/${status?.account.id}/statuses`)), [status?.id]);
});

test('a poll of another server shows its options and votes', async () => {
  const pia = peer.actor('pia');
  const votes = (name: string, totalItems: number) => ({
    type: 'Note',
    name,
    replies: { type: 'Collection', totalItems },
  });
  const note = pia.note('which?', {
    type: 'Question',
    oneOf: [votes('a', 3), votes('b', -4)],
    endTime: '2100-01-01T00:00:00Z',
    votersCount: 3,
  });
  const { poll } = (await search(note.id)).statuses[0];
  assert.deepEqual(
    [poll.options, poll.voters_count, poll.expired, poll.multiple],
    [
      [
        { title: 'a', votes_count: 3 },
        { title: 'b', votes_count: 0 },
      ],
      3,
      false,
      false,
    ],
  );
});

test('documents that another server must not write are not believed', async () => {
  const [mal, vic] = [peer.actor('mal'), await loopback.peer()];
  try {
    const victim = vic.actor('vic');
    const genuine = victim.note('genuine');
    const forged = (more: Document) => peer.serves({ ...mal.note('forged'), id: peer.uri('forged'), ...more });
    const nothing = async (q: string, why: string) => {
      const { accounts, statuses } = await search(q);
      assert.deepEqual([accounts, statuses], [[], []], why);
    };
    await nothing(forged({ attributedTo: victim.uri }).id, 'attributed to another server');
    await nothing(forged({ attributedTo: [mal.uri, victim.uri] }).id, 'attributed to both');
    await nothing(forged({ type: 'Tombstone' }).id, 'not a status');
    await nothing(forged({ type: 'Create', object: genuine }).id, 'an activity');
    peer.answer('/elsewhere', { status: 200, body: { ...mal.note('forged'), id: genuine.id, attributedTo: mal.uri } });
    const { statuses } = await search(`${peer.url}/elsewhere`);
    assert.equal(statuses[0].content, 'genuine', 'fetched from where its id is');
    peer.answer('/actor', { status: 200, body: { ...mal.document, id: victim.uri } });
    assert.equal((await search(`${peer.url}/actor`)).accounts[0]?.uri ?? victim.uri, victim.uri);
    peer.answer('/text', {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify(mal.note('text')),
    });
    await nothing(`${peer.url}/text`, 'a media type of texts');
  } finally {
    await vic.close();
  }
});
