import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/server.js';
import { until } from '../../kit/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const WAIT_MS = 5_000;
const ids = (list: { id: string }[]) => list.map((item) => item.id);
const moderate = (person: Person, action: string) =>
  server.node.services.askAccount(person.id, 'moderate', { action, by: '', text: '', mail: false });
const setCredentials = (person: Person, changes: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', changes, person.token);

test('a suspended account is nothing but its name, and all of it is back when the suspension ends', async () => {
  const [ann, ben, cleo] = [await server.person('ann'), await server.person('ben'), await server.person('cleo')];
  const fields_attributes = [{ name: 'site', value: 'example.org' }];
  await setCredentials(ann, { display_name: 'Ann', note: 'about me', fields_attributes });
  for (const [from, to] of [
    [ben, ann],
    [ann, ben],
    [ben, cleo],
  ] as const)
    await from.follows(to);
  await ann.post(`/api/v1/accounts/${ben.id}/endorse`);
  await ann.post('/api/v1/featured_tags', { name: 'birds' });
  await ben.post(`/api/v1/accounts/${ann.id}/note`, { comment: 'a friend' });
  await ann.says('hello @ben');
  await until('the mention', async () => (await ben.get('/api/v1/notifications?types[]=mention')).body[0], WAIT_MS);
  const path = `/api/v1/accounts/${ann.id}`;
  const open = (await server.get(path)).body;
  await moderate(ann, 'suspend');
  const seen = (await server.get(path)).body;
  const { id, username, acct, suspended, display_name, note, avatar, header } = seen;
  assert.deepEqual([id, username, acct, suspended], [ann.id, 'ann', 'ann', true]);
  assert.deepEqual([display_name, note, seen.fields, seen.last_status_at], ['', '', [], null]);
  assert.deepEqual([seen.followers_count, seen.following_count, seen.statuses_count], [0, 0, 0]);
  assert.match(`${avatar} ${header}`, /missing\.png .*missing\.png/);
  assert.deepEqual((await server.get('/api/v1/accounts/lookup?acct=ann')).body, seen);
  assert.deepEqual((await server.get(`/api/v1/accounts?id[]=${ann.id}`)).body, [seen]);
  for (const list of ['statuses', 'followers', 'following', 'endorsements', 'featured_tags'])
    assert.deepEqual((await ben.get(`${path}/${list}`)).body, [], list);
  const [relation] = (await ben.get(`/api/v1/accounts/relationships?id[]=${ann.id}`)).body;
  assert.deepEqual([relation.following, relation.followed_by, relation.note], [true, true, 'a friend']);
  assert.deepEqual(ids((await server.get(`/api/v1/accounts/${ben.id}/following`)).body), [cleo.id]);
  assert.deepEqual((await ben.get('/api/v1/notifications?types[]=mention')).body, []);
  assert.deepEqual((await cleo.get('/api/v1/accounts/search?q=ann')).body, []);
  assert.equal((await cleo.post(`${path}/follow`)).status, 404);
  assert.equal((await cleo.post('/api/v1/follows', { uri: 'ann' })).status, 404);
  await moderate(ann, 'unsuspend');
  assert.deepEqual((await server.get(path)).body, open);
  assert.deepEqual(ids((await ben.get(`${path}/followers`)).body), [ben.id]);
  assert.equal((await ben.get('/api/v1/notifications?types[]=mention')).body.length, 1);
});
