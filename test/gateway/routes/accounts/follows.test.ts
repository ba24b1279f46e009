import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let alice: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
});
after(() => server.stop());

const ids = (list: { id: string }[]) => list.map((item) => item.id);
const setProfile = (person: Person, profile: object) =>
  server.node.services.askAccount(person.id, 'updateProfile', { fields: [], setFields: false, ...profile });
const relationship = async (from: Person, to: Person) =>
  (await from.get(`/api/v1/accounts/relationships?id[]=${to.id}`)).body[0];

test('a follow shows on both sides, keeps its options, and ends', async () => {
  const followed = await bob.post(`/api/v1/accounts/${alice.id}/follow`, { reblogs: false, notify: true });
  const { following, showing_reblogs, notifying, followed_by, requested } = followed.body;
  assert.deepEqual([following, showing_reblogs, notifying, followed_by, requested], [true, false, true, false, false]);
  assert.equal((await relationship(alice, bob)).followed_by, true);
  assert.deepEqual(ids((await server.get(`/api/v1/accounts/${alice.id}/followers`)).body), [bob.id]);
  assert.deepEqual(ids((await server.get(`/api/v1/accounts/${bob.id}/following`)).body), [alice.id]);
  assert.equal((await server.get(`/api/v1/accounts/${alice.id}`)).body.followers_count, 1);
  const ended = await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
  assert.equal(ended.body.following, false);
  assert.deepEqual((await server.get(`/api/v1/accounts/${alice.id}/followers`)).body, []);
});

test('nobody can follow or block themselves or a missing account', async () => {
  for (const verb of ['follow', 'block']) {
    assert.equal((await bob.post(`/api/v1/accounts/${bob.id}/${verb}`)).status, 403);
  }
  for (const verb of ['follow', 'unfollow', 'block', 'unblock']) {
    assert.equal((await bob.post(`/api/v1/accounts/1/${verb}`)).status, 404);
    assert.equal((await bob.post(`/api/v1/accounts/x/${verb}`)).status, 404);
    assert.equal((await server.ask('POST', `/api/v1/accounts/${alice.id}/${verb}`)).status, 401);
  }
});

test('a locked account gets a follow request, and answers it', async () => {
  const carol = await server.person('carol');
  const dave = await server.person('dave');
  await setProfile(carol, { locked: true });
  for (const fan of [bob, dave]) {
    const { body } = await fan.post(`/api/v1/accounts/${carol.id}/follow`);
    assert.deepEqual([body.following, body.requested], [false, true]);
  }
  assert.equal((await relationship(carol, bob)).requested_by, true);
  assert.deepEqual(ids((await carol.get('/api/v1/follow_requests')).body), [dave.id, bob.id]);
  const firstPage = await carol.get('/api/v1/follow_requests?limit=1');
  assert.deepEqual(ids((await carol.get(linkTo(firstPage, 'next') ?? '')).body), [bob.id]);
  const accepted = await carol.post(`/api/v1/follow_requests/${bob.id}/authorize`);
  assert.equal(accepted.body.followed_by, true);
  assert.equal((await carol.post(`/api/v1/follow_requests/${dave.id}/reject`)).body.followed_by, false);
  assert.equal((await relationship(bob, carol)).following, true);
  assert.equal((await relationship(dave, carol)).requested, false);
  assert.deepEqual((await carol.get('/api/v1/follow_requests')).body, []);
  assert.equal((await carol.post(`/api/v1/follow_requests/${alice.id}/authorize`)).status, 404);
});

test('a block ends follows in both directions and hides each account from the other until it is lifted', async () => {
  const [erin, frank] = [await server.person('erin'), await server.person('frank')];
  await frank.follows(erin);
  await erin.follows(frank);
  const status = await erin.says('hello');
  const blocked = await erin.post(`/api/v1/accounts/${frank.id}/block`);
  assert.deepEqual([blocked.body.blocking, blocked.body.following, blocked.body.followed_by], [true, false, false]);
  const seen = await relationship(frank, erin);
  assert.deepEqual([seen.blocked_by, seen.following, seen.followed_by], [true, false, false]);
  assert.equal((await frank.get(`/api/v1/statuses/${status}`)).status, 404);
  assert.deepEqual((await frank.get(`/api/v1/accounts/${erin.id}/statuses`)).body, []);
  assert.equal((await frank.post(`/api/v1/accounts/${erin.id}/follow`)).status, 403);
  assert.deepEqual(
    ids((await frank.get('/api/v1/timelines/public')).body).filter((id) => id === status),
    [],
  );
  assert.equal((await erin.post(`/api/v1/accounts/${frank.id}/unblock`)).body.blocking, false);
  assert.equal((await frank.get(`/api/v1/statuses/${status}`)).status, 200);
});

test('followers are paged by Link, newest first, without repeats; only the owner sees hidden lists', async () => {
  const star = await server.person('star');
  const fans: string[] = [];
  for (let n = 0; n < 5; n++) {
    const fan = await server.person(`fan${n}`);
    await fan.follows(star);
    await star.follows(fan);
    fans.unshift(fan.id);
  }
  for (const list of ['followers', 'following']) {
    const found: string[] = [];
    let path: string | undefined = `/api/v1/accounts/${star.id}/${list}?limit=2`;
    while (path !== undefined) {
      const page = await server.get(path);
      found.push(...ids(page.body));
      path = linkTo(page, 'next');
    }
    assert.deepEqual(found, fans, list);
  }
  await setProfile(star, { hideCollections: true });
  assert.deepEqual((await server.get(`/api/v1/accounts/${star.id}/followers`)).body, []);
  assert.equal((await star.get(`/api/v1/accounts/${star.id}/followers`)).body.length, 5);
});

test('a pending follow request is accepted when the account is no longer locked', async () => {
  const [shy, one, two] = [await server.person('shy'), await server.person('one'), await server.person('two')];
  await setProfile(shy, { locked: true });
  for (const asking of [one, two]) assert.equal((await asking.post(`/api/v1/accounts/${shy.id}/follow`)).status, 200);
  assert.deepEqual([(await relationship(one, shy)).requested, (await relationship(one, shy)).following], [true, false]);
  await setProfile(shy, { displayName: 'Still shy' });
  assert.deepEqual(ids((await shy.get('/api/v1/follow_requests')).body).sort(), [one.id, two.id].sort());
  await setProfile(shy, { locked: false });
  const followers = async () => ids((await shy.get(`/api/v1/accounts/${shy.id}/followers`)).body);
  await until('both to follow', async () => (await followers()).length === 2 || undefined, 5_000);
  await until('both to know', async () => (await relationship(two, shy)).following || undefined, 5_000);
  assert.deepEqual((await shy.get('/api/v1/follow_requests')).body, []);
  assert.deepEqual((await shy.get('/api/v1/notifications?types[]=follow_request')).body, []);
});
