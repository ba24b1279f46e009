import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';

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

test('an account is found by id and by name, in every form of the name', async () => {
  const byId = await server.get(`/api/v1/accounts/${alice.id}`);
  assert.equal(byId.body.acct, 'alice');
  for (const acct of ['alice', '@Alice', 'alice@localhost', '@alice@LOCALHOST']) {
    const found = await server.get(`/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`);
    assert.deepEqual(found.body, byId.body, acct);
  }
  const several = await server.get(`/api/v1/accounts?id[]=${bob.id}&id[]=1`);
  assert.deepEqual(ids(several.body), [bob.id]);
});

test('an unknown id is not found, and neither is an empty lookup', async () => {
  for (const path of ['1', 'x', '%C3%A9', '9'.repeat(30)]) {
    assert.equal((await server.get(`/api/v1/accounts/${path}`)).status, 404, path);
  }
  for (const acct of ['nobody', 'alice@elsewhere.example', 'a@b@c', '../x', '%F0%9F%90%A6']) {
    assert.equal((await server.get(`/api/v1/accounts/lookup?acct=${acct}`)).status, 404, acct);
  }
  for (const query of ['', '?acct='])
    assert.equal((await server.get(`/api/v1/accounts/lookup${query}`)).status, 404, query);
  assert.equal((await server.get('/api/v1/accounts/1/statuses')).status, 404);
});

test('relationships exist for existing accounts, and for users only', async () => {
  const { body } = await alice.get(`/api/v1/accounts/relationships?id[]=${bob.id}&id[]=1`);
  assert.deepEqual(ids(body), [bob.id]);
  assert.deepEqual((await alice.get('/api/v1/accounts/relationships')).body, []);
  assert.equal((await alice.get('/api/v1/accounts/relationships?id[]=x')).status, 422);
  assert.equal((await server.get(`/api/v1/accounts/relationships?id[]=${bob.id}`)).status, 401);
});

test('relationships are in the order of the request, with the properties of each', async () => {
  const others = await Promise.all(['ruth', 'sam', 'tess'].map((name) => server.person(name)));
  const [ruth, sam, tess] = others as [Person, Person, Person];
  await alice.post(`/api/v1/accounts/${ruth.id}/follow`, { languages: ['de'] });
  await alice.post(`/api/v1/accounts/${sam.id}/mute`, { duration: 3_600 });
  await alice.post(`/api/v1/accounts/${tess.id}/note`, { comment: 'said "no" \u2028 \\' });
  await tess.follows(alice);
  const query = [tess, ruth, sam].map(({ id }) => `id%5B%5D=${id}`).join('&');
  const { body } = await alice.get(`/api/v1/accounts/relationships?${query}`);
  assert.deepEqual(ids(body), [tess.id, ruth.id, sam.id]);
  assert.deepEqual([body[0].note, body[0].followed_by], ['said "no" \u2028 \\', true]);
  assert.deepEqual([body[1].languages, body[1].following, body[1].followed_by], [['de'], true, false]);
  assert.ok(body[2].muting && Date.parse(body[2].muting_expires_at) > Date.now());
  await tess.post(`/api/v1/accounts/${alice.id}/unfollow`);
  const blocked = await alice.post(`/api/v1/accounts/${tess.id}/block`);
  assert.deepEqual([blocked.body.blocking, blocked.body.followed_by], [true, false]);
});

test('the pictures of accounts exist', async () => {
  const { body } = await server.get(`/api/v1/accounts/${alice.id}`);
  for (const address of [body.avatar, body.header_static]) {
    const response = await server.send(new URL(address).pathname);
    assert.equal(response.headers.get('content-type'), 'image/png');
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.deepEqual([...bytes.subarray(1, 4)], [...Buffer.from('PNG')]);
  }
});

test('an account’s statuses are those that the reader may see, filtered by the query', async () => {
  const carol = await server.person('carol');
  const open = await carol.says('open #One');
  const thread = await carol.says('more', { in_reply_to_id: open });
  const answer = await carol.says('to bob', { in_reply_to_id: await bob.says('a question') });
  const closed = await carol.says('closed', { visibility: 'private' });
  const secret = await carol.says('@bob secret', { visibility: 'direct' });
  const reblog = (await carol.post(`/api/v1/statuses/${await alice.says('original')}/reblog`)).body.id;
  const list = async (who: Person | TestServer, query = '') =>
    ids((await who.get(`/api/v1/accounts/${carol.id}/statuses${query}`)).body);
  assert.deepEqual(await list(server), [reblog, answer, thread, open]);
  assert.deepEqual(await list(bob), [reblog, secret, answer, thread, open]);
  await bob.follows(carol);
  assert.deepEqual(await list(bob), [reblog, secret, closed, answer, thread, open]);
  assert.deepEqual(await list(server, '?exclude_replies=true'), [reblog, thread, open]);
  assert.deepEqual(await list(server, '?exclude_reblogs=1'), [answer, thread, open]);
  assert.deepEqual(await list(server, '?tagged=%23ONE'), [open]);
  assert.deepEqual(await list(server, '?only_media=true'), []);
  assert.deepEqual(await list(server, '?pinned=true'), []);
  assert.deepEqual(await list(server, `?min_id=${open}&limit=1`), [thread]);
  assert.deepEqual(await list(server, `?since_id=${open}&limit=1`), [reblog]);
  assert.deepEqual(await list(server, `?max_id=${answer}`), [thread, open]);
  const first = await server.get(`/api/v1/accounts/${carol.id}/statuses?limit=2&exclude_reblogs=true`);
  assert.match(linkTo(first, 'next') ?? '', /exclude_reblogs=true/);
  assert.deepEqual(ids((await server.get(linkTo(first, 'next') ?? '')).body), [open]);
});

test('the Link of an account’s statuses names none that the reader may not see', async () => {
  const dan = await server.person('dan');
  const list = () => server.get(`/api/v1/accounts/${dan.id}/statuses`);
  await dan.says('@bob for you only', { visibility: 'direct' });
  const hidden = await list();
  assert.deepEqual([hidden.body, hidden.headers.get('link')], [[], null]);
  const open = await dan.says('for everybody');
  await dan.says('for those who follow', { visibility: 'private' });
  const page = await list();
  assert.deepEqual(ids(page.body), [open]);
  assert.equal(new URL(linkTo(page, 'prev') ?? '', 'http://localhost').searchParams.get('min_id'), open);
});

test('preferences follow the profile', async () => {
  const { status, body } = await alice.get('/api/v1/preferences');
  assert.deepEqual([status, body['posting:default:visibility']], [200, 'public']);
  assert.equal((await server.get('/api/v1/preferences')).status, 401);
});
