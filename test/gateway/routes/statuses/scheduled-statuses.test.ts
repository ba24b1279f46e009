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

const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const PATH = '/api/v1/scheduled_statuses';
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
const put = (person: Person, id: string, body: object) => server.ask('PUT', `${PATH}/${id}`, body, person.token);

test('a status can be scheduled, listed, rescheduled and cancelled', async () => {
  const parent = await bob.says('a question');
  const scheduled_at = at(1);
  const asked = {
    status: 'later @bob',
    scheduled_at,
    visibility: 'unlisted',
    in_reply_to_id: parent,
    spoiler_text: 'x',
  };
  const kept = await alice.post('/api/v1/statuses', asked, { 'idempotency-key': 'later' });
  assert.equal(kept.status, 200);
  const { id, params } = kept.body;
  assert.deepEqual(
    [kept.body.scheduled_at, params.text, params.visibility, params.spoiler_text, params.idempotency, params.poll],
    [scheduled_at, 'later @bob', 'unlisted', 'x', 'later', null],
  );
  assert.equal(typeof params.in_reply_to_id, 'number');
  const again = await alice.post('/api/v1/statuses', asked, { 'idempotency-key': 'later' });
  assert.equal(again.body.id, id, 'the same key keeps one');
  assert.deepEqual((await server.get(`/api/v1/accounts/${alice.id}/statuses`)).body, [], 'nobody sees it yet');
  const poll = { options: ['a', 'b'], expires_in: 3_600 };
  const other = (await alice.post('/api/v1/statuses', { status: 'second', scheduled_at: at(2), poll })).body;
  assert.deepEqual(other.params.poll.options, ['a', 'b']);
  const first = await alice.get(`${PATH}?limit=1`);
  assert.deepEqual(ids(first.body), [other.id]);
  assert.deepEqual(ids((await alice.get(linkTo(first, 'next') ?? '')).body), [id]);
  const off = await put(alice, id, { scheduled_at: at(30) });
  assert.deepEqual([off.status, off.body.id], [200, id]);
  assert.equal((await alice.get(`${PATH}/${id}`)).body.scheduled_at, off.body.scheduled_at);
  const listed = (await alice.get(PATH)).body as { id: string; scheduled_at: string }[];
  assert.equal(listed.find((one) => one.id === id)?.scheduled_at, off.body.scheduled_at);
  assert.deepEqual((await alice.remove(`${PATH}/${id}`)).body, {});
  assert.equal((await alice.get(`${PATH}/${id}`)).status, 404);
  assert.deepEqual(ids((await alice.get(PATH)).body), [other.id]);
});

test('others’ scheduled statuses are not found', async () => {
  const { id } = (await alice.post('/api/v1/statuses', { status: 'mine', scheduled_at: at(1) })).body;
  for (const answer of [
    await bob.get(`${PATH}/${id}`),
    await put(bob, id, { scheduled_at: at(2) }),
    await bob.remove(`${PATH}/${id}`),
  ])
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Record not found' }]);
  assert.deepEqual((await bob.get(PATH)).body, []);
  const reader = await server.token(alice.id, ['read:statuses']);
  assert.equal((await server.ask('DELETE', `${PATH}/${id}`, undefined, reader)).status, 403);
  assert.equal((await server.ask('GET', PATH)).status, 401);
});

test('a time may have any zone; without one it is in UTC, whatever the server’s zone', async () => {
  const zone = process.env.TZ;
  process.env.TZ = 'Pacific/Auckland';
  try {
    const day = at(72).slice(0, 10);
    const kept = async (scheduled_at: string) =>
      (await alice.post('/api/v1/statuses', { status: 'x', scheduled_at })).body.scheduled_at;
    for (const time of ['T10:20:30Z', 'T10:20:30', ' 10:20:30', 'T12:20:30+02:00'])
      assert.equal(await kept(`${day}${time}`), `${day}T10:20:30.000Z`, time);
    assert.equal(await kept(`${day}T10:20`), `${day}T10:20:00.000Z`);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('a malformed or early time is refused, and so is a status that could not be posted now', async () => {
  const refused = async (body: object) => (await alice.post('/api/v1/statuses', { status: 'x', ...body })).status;
  for (const scheduled_at of ['tomorrow', at(0.05), '9999999-01-01'])
    assert.equal(await refused({ scheduled_at }), 422, scheduled_at);
  assert.equal(await refused({ status: ' ', scheduled_at: at(1) }), 422);
  const { id } = (await alice.post('/api/v1/statuses', { status: 'x', scheduled_at: at(50) })).body;
  for (const scheduled_at of [at(0.05), at(-1)]) assert.equal((await put(alice, id, { scheduled_at })).status, 422);
});

test('a status scheduled in the past is posted at once, and once for its key', async () => {
  const body = { status: 'late', scheduled_at: '2020-01-01T00:00:00Z' };
  const keyed = () => alice.post('/api/v1/statuses', body, { 'idempotency-key': 'late' });
  const [first, again] = [await keyed(), await keyed()];
  assert.deepEqual([first.status, first.body.content, again.body.id], [200, '<p>late</p>', first.body.id]);
  assert.equal((await server.get(`/api/v1/statuses/${first.body.id}`)).status, 200);
  assert.notEqual((await alice.post('/api/v1/statuses', body)).body.id, first.body.id);
  assert.equal((await alice.post('/api/v1/statuses', { ...body, status: ' ' })).status, 422);
  const kept = (await alice.get('/api/v1/scheduled_statuses?limit=40')).body;
  assert.ok(kept.every((one: { params: { text: string } }) => one.params.text !== 'late'));
});
