import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let ann: Person;
let ben: Person;
let collection: { readonly id: string; readonly url: string };
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  ben = await server.person('ben');
  const set = (who: Person, changes: object) =>
    server.ask('PATCH', '/api/v1/accounts/update_credentials', changes, who.token);
  await set(ann, { display_name: 'Ann <of> Birds' });
  await set(ben, { discoverable: true });
  await ann.follows(ben);
  collection = (await ann.post('/api/v1/collections', { name: '<Owls>', account_ids: [ben.id] })).body.collection;
  const arrived = async () => (await ben.get('/api/v1/notifications')).body.length === 2;
  await until('a follow and a collection', arrived, 10_000);
});
after(() => server.stop());

const told = async (query: string) => (await ben.get(`/api/v1/notifications${query}`)).body;
const added = { title: 'Ann &lt;of&gt; Birds added you to a collection' };

test('a client that lists its supported types gets a text for the others', async () => {
  const [featured, followed] = await told('?supported_types[]=mention');
  assert.deepEqual([featured.type, featured.fallback.title], ['added_to_collection', added.title]);
  assert.equal(featured.fallback.details, `<p><a href="${collection.url}">&lt;Owls&gt;</a></p>`);
  assert.equal(typeof featured.fallback.summary, 'string');
  assert.equal(featured.collection.id, collection.id, 'what it tells of is there, too');
  assert.deepEqual([followed.type, followed.fallback], ['follow', undefined], 'every client knows that one');
  const [alone] = await told('?types[]=added_to_collection&supported_types[]=mention');
  assert.deepEqual(alone, featured);
  const one = await ben.get(`/api/v1/notifications/${featured.id}?supported_types[]=follow`);
  assert.deepEqual(one.body, featured);
});

test('supported types have no text, and neither do notifications for a client without a list', async () => {
  for (const query of ['', '?supported_types[]=added_to_collection&supported_types[]=follow'])
    assert.deepEqual(
      (await told(query)).map((one: object) => 'fallback' in one),
      [false, false],
      query,
    );
});

test('groups have a text, on a page and alone, and neighbouring pages keep the list of types', async () => {
  const page = await ben.get('/api/v2/notifications?supported_types[]=mention');
  const [group, follow] = page.body.notification_groups;
  assert.deepEqual(
    [group.type, group.fallback.title, follow.fallback],
    ['added_to_collection', added.title, undefined],
  );
  const alone = await ben.get(`/api/v2/notifications/${group.group_key}?supported_types[]=mention`);
  assert.deepEqual(alone.body.notification_groups[0].fallback, group.fallback);
  assert.equal((await ben.get('/api/v2/notifications')).body.notification_groups[0].fallback, undefined);
  for (const version of ['v1', 'v2']) {
    const first = await ben.get(`/api/${version}/notifications?limit=1&supported_types[]=mention`);
    assert.match(linkTo(first, 'next') ?? '', /supported_types%5B%5D=mention|supported_types\[\]=mention/);
  }
});

test('the list of types has a bounded length', async () => {
  const many = Array.from({ length: 51 }, (_, n) => `supported_types[]=x${n}`).join('&');
  const answer = await ben.get(`/api/v1/notifications?${many}`);
  assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`);
});
