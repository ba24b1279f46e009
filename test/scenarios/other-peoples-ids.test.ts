import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answered, type Person, TestServer } from '../kit/server.js';

let server: TestServer;
let ada: Person;
let ben: Person;
let stranger: Person;
before(async () => {
  server = await TestServer.start();
  ada = await server.person('ada');
  ben = await server.person('ben');
  stranger = await server.person('stranger');
});
after(() => server?.stop());

const said = ({ status, body }: Answered) => ({ status, body });
/** An id that was never given out. */
const NOBODYS = '999999999999999999';

test('a status that may not be seen is in every way like one that is not there', async () => {
  await ben.follows(ada);
  const hidden = [
    await ada.says('for followers', { visibility: 'private' }),
    await ada.says('@ben for you', { visibility: 'direct' }),
  ];
  const of = (id: string) => [
    () => stranger.get(`/api/v1/statuses/${id}`),
    () => server.get(`/api/v1/statuses/${id}`),
    () => stranger.get(`/api/v1/statuses/${id}/context`),
    () => stranger.get(`/api/v1/statuses/${id}/favourited_by`),
    () => stranger.get(`/api/v1/statuses/${id}/reblogged_by`),
    () => stranger.get(`/api/v1/statuses?id[]=${id}`),
    () => stranger.remove(`/api/v1/statuses/${id}`),
    () => stranger.post('/api/v1/statuses', { status: 'me too', in_reply_to_id: id }),
    ...['favourite', 'unfavourite', 'reblog', 'unreblog'].map(
      (verb) => () => stranger.post(`/api/v1/statuses/${id}/${verb}`),
    ),
  ];
  for (const id of hidden) {
    const missing = of(NOBODYS);
    for (const [index, ask] of of(id).entries()) {
      const [real, none] = [said(await ask()), said(await (missing[index] as typeof ask)())];
      assert.deepEqual(real, none, `request ${index}`);
      assert.ok(real.status === 404 || (real.body as unknown[]).length === 0, JSON.stringify(real));
    }
    assert.equal((await ben.get(`/api/v1/statuses/${id}`)).status, 200, 'whom it is for sees it');
    const counted = (await ada.get(`/api/v1/statuses/${id}`)).body;
    assert.deepEqual([counted.favourites_count, counted.reblogs_count, counted.replies_count], [0, 0, 0]);
  }
});

test('nobody deletes another’s status, seen or not', async () => {
  const id = await ada.says('mine');
  assert.deepEqual(
    said(await ben.remove(`/api/v1/statuses/${id}`)),
    said(await ben.remove(`/api/v1/statuses/${NOBODYS}`)),
  );
  assert.equal((await ada.get(`/api/v1/statuses/${id}`)).status, 200);
});

test('another’s notification is read by nobody and dismissed by nobody', async () => {
  await ada.says('@ben look');
  const [first] = (await ben.get('/api/v1/notifications')).body;
  for (const ask of [
    (id: string) => stranger.get(`/api/v1/notifications/${id}`),
    (id: string) => stranger.post(`/api/v1/notifications/${id}/dismiss`),
  ]) {
    assert.deepEqual(said(await ask(first.id)), said(await ask(NOBODYS)));
    assert.equal((await ask(first.id)).status, 404);
  }
  assert.equal((await ben.get(`/api/v1/notifications/${first.id}`)).status, 200);
});

test('a request to follow somebody else is answered by that person alone', async () => {
  const locked = await server.person('locked');
  assert.equal(
    (await server.ask('PATCH', '/api/v1/accounts/update_credentials', { locked: true }, locked.token)).status,
    200,
  );
  await ben.follows(locked);
  assert.equal((await stranger.post(`/api/v1/follow_requests/${ben.id}/authorize`)).status, 404);
  // To reject what is not asked is the state already; it must change nothing.
  await stranger.post(`/api/v1/follow_requests/${ben.id}/reject`);
  assert.deepEqual(
    (await locked.get('/api/v1/follow_requests')).body.map((one: { id: string }) => one.id),
    [ben.id],
  );
  assert.deepEqual((await stranger.get('/api/v1/follow_requests')).body, []);
});
