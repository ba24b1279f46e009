import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
  carol = await server.person('carol');
});
after(() => server.stop());

const NOT_FOUND = { error: 'Record not found' };
const ids = (list: readonly { id: string }[]) => list.map((status) => status.id);

test('only its owner sees a bookmark', async () => {
  const id = await alice.says('keep me');
  for (let twice = 0; twice < 2; twice++) {
    const { status, body } = await bob.post(`/api/v1/statuses/${id}/bookmark`);
    assert.deepEqual([status, body.id, body.bookmarked, body.favourites_count], [200, id, true, 0]);
  }
  assert.equal((await bob.get(`/api/v1/statuses/${id}`)).body.bookmarked, true);
  assert.equal((await alice.get(`/api/v1/statuses/${id}`)).body.bookmarked, false);
  assert.deepEqual((await alice.get('/api/v1/notifications')).body, []);
  assert.deepEqual(ids((await bob.get('/api/v1/bookmarks')).body), [id]);
  assert.deepEqual((await alice.get('/api/v1/bookmarks')).body, []);
  const undone = await bob.post(`/api/v1/statuses/${id}/unbookmark`);
  assert.deepEqual([undone.status, undone.body.bookmarked], [200, false]);
  assert.deepEqual((await bob.get('/api/v1/bookmarks')).body, []);
});

for (const [verb, list] of [
  ['bookmark', 'bookmarks'],
  ['favourite', 'favourites'],
] as const) {
  test(`${list} are paged in the order of their creation, by ids that only Link contains`, async () => {
    const made = [await alice.says('one'), await alice.says('two'), await alice.says('three')];
    const [one = '', two = '', three = ''] = made;
    for (const id of [two, three, one]) await carol.post(`/api/v1/statuses/${id}/${verb}`);
    const first = await carol.get(`/api/v1/${list}?limit=2`);
    assert.deepEqual(ids(first.body), [one, three]);
    const next = linkTo(first, 'next') ?? '';
    assert.ok(!made.some((id) => next.includes(id)), 'its bounds are not ids of statuses');
    const second = await carol.get(next);
    assert.deepEqual(ids(second.body), [two]);
    assert.deepEqual(ids((await carol.get(linkTo(second, 'prev') ?? '')).body), [one, three]);
    await alice.remove(`/api/v1/statuses/${three}`);
    assert.deepEqual(ids((await carol.get(`/api/v1/${list}`)).body), [one, two], 'what is deleted leaves');
    for (const id of [one, two]) await carol.post(`/api/v1/statuses/${id}/un${verb}`);
    assert.deepEqual((await carol.get(`/api/v1/${list}`)).body, []);
  });
}

test('a mark on a status that is no longer visible can be removed, and reveals nothing of the status', async () => {
  const id = await alice.says('once for everybody');
  for (const verb of ['favourite', 'bookmark']) await bob.post(`/api/v1/statuses/${id}/${verb}`);
  await alice.post(`/api/v1/accounts/${bob.id}/block`);
  assert.equal((await bob.get(`/api/v1/statuses/${id}`)).status, 404);
  assert.deepEqual((await bob.get('/api/v1/bookmarks')).body, []);
  for (const [verb, field] of [
    ['unfavourite', 'favourited'],
    ['unbookmark', 'bookmarked'],
  ] as const) {
    const undone = await bob.post(`/api/v1/statuses/${id}/${verb}`);
    assert.deepEqual([undone.status, undone.body.id, undone.body[field], undone.body.content], [200, id, false, '']);
    const again = await bob.post(`/api/v1/statuses/${id}/${verb}`);
    assert.deepEqual([again.status, again.body], [404, NOT_FOUND], 'there is nothing to undo, so it is not there');
  }
  assert.equal((await alice.get(`/api/v1/statuses/${id}`)).body.favourites_count, 0);
  await alice.post(`/api/v1/accounts/${bob.id}/unblock`);
});

test('an account that may not see a status can neither bookmark nor pin it', async () => {
  const hidden = await alice.says('for followers', { visibility: 'private' });
  for (const verb of ['bookmark', 'unbookmark', 'pin', 'unpin']) {
    const answer = await carol.post(`/api/v1/statuses/${hidden}/${verb}`);
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], verb);
  }
  const reader = await server.token(bob.id, ['read']);
  const id = await alice.says('seen');
  assert.equal((await server.ask('POST', `/api/v1/statuses/${id}/bookmark`, undefined, reader)).status, 403);
  assert.equal((await server.ask('GET', '/api/v1/bookmarks')).status, 401);
  const granular = await server.token(bob.id, ['write:bookmarks', 'read:bookmarks']);
  assert.equal((await server.ask('POST', `/api/v1/statuses/${id}/bookmark`, undefined, granular)).status, 200);
  assert.equal((await server.ask('GET', '/api/v1/bookmarks', undefined, granular)).status, 200);
  assert.equal((await server.ask('GET', '/api/v1/favourites', undefined, granular)).status, 403);
});

test('an account pins at most five of its own public statuses, which are listed first', async () => {
  const dora = await server.person('dora');
  const posts: string[] = [];
  for (let n = 0; n < 6; n++) posts.push(await dora.says(`post ${n}`, { visibility: n === 1 ? 'unlisted' : 'public' }));
  assert.equal((await dora.get(`/api/v1/statuses/${posts[0]}`)).body.pinned, false);
  for (const id of posts.slice(0, 5)) {
    const { status, body } = await dora.post(`/api/v1/statuses/${id}/pin`);
    assert.deepEqual([status, body.pinned], [200, true]);
  }
  assert.equal((await dora.post(`/api/v1/statuses/${posts[5]}/pin`)).status, 422);
  const shown = await server.get(`/api/v1/accounts/${dora.id}/statuses?pinned=true`);
  assert.deepEqual(ids(shown.body), posts.slice(0, 5).reverse());
  assert.equal('pinned' in (await bob.get(`/api/v1/statuses/${posts[0]}`)).body, false, 'only its author is told');
  assert.equal((await dora.post(`/api/v1/statuses/${posts[0]}/unpin`)).body.pinned, false);
  await dora.remove(`/api/v1/statuses/${posts[1]}`);
  const left = await server.get(`/api/v1/accounts/${dora.id}/statuses?pinned=true`);
  assert.deepEqual(ids(left.body), posts.slice(2, 5).reverse());
});

test('others’ statuses, reblogs, and non-public statuses cannot be pinned', async () => {
  const theirs = await alice.says('alice’s');
  const reblog = (await bob.post(`/api/v1/statuses/${theirs}/reblog`)).body.id;
  const narrow = [
    await bob.says('for followers', { visibility: 'private' }),
    await bob.says('@alice psst', { visibility: 'direct' }),
  ];
  for (const id of [theirs, reblog, ...narrow])
    assert.equal((await bob.post(`/api/v1/statuses/${id}/pin`)).status, 422, id);
  assert.equal('pinned' in (await bob.get(`/api/v1/statuses/${narrow[0]}`)).body, false);
});
