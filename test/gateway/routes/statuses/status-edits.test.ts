import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

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
const put = (person: Person, id: string, body: object) =>
  server.ask('PUT', `/api/v1/statuses/${id}`, body, person.token);
const WAIT_MS = 10_000;
const told = async (person: Person, type: string) =>
  (await person.get(`/api/v1/notifications?types[]=${type}`)).body as { id: string; status: { id: string } }[];

test('an edit shows everywhere, with its history and source', async () => {
  const id = await alice.says('first #one', { language: 'en' });
  assert.equal((await bob.get(`/api/v1/statuses/${id}`)).body.edited_at, null);
  assert.equal((await server.get(`/api/v1/statuses/${id}/history`)).body.length, 1);
  const said = { status: 'second @carol #two', spoiler_text: 'careful', language: 'zz' };
  const edited = await put(alice, id, said);
  assert.equal(edited.status, 200);
  const { body } = await bob.get(`/api/v1/statuses/${id}`);
  assert.match(body.content, /second/);
  assert.deepEqual(
    [body.spoiler_text, body.sensitive, body.language, body.tags[0].name],
    ['careful', true, 'en', 'two'],
  );
  assert.ok(Date.parse(body.edited_at) >= Date.parse(body.created_at));
  assert.equal(body.edited_at, edited.body.edited_at);
  const history = (await server.get(`/api/v1/statuses/${id}/history`)).body;
  assert.equal(history.length, 2);
  assert.match(history[0].content, /first/);
  assert.match(history[1].content, /second/);
  assert.deepEqual([history[0].created_at, history[1].created_at], [body.created_at, body.edited_at]);
  assert.deepEqual((await bob.get(`/api/v1/statuses/${id}/source`)).body, {
    id,
    text: 'second @carol #two',
    spoiler_text: 'careful',
  });
  await until(
    'carol is told that she is mentioned',
    async () => (await told(carol, 'mention')).length === 1 || undefined,
    WAIT_MS,
  );
  const [first] = (await server.get(`/api/v1/accounts/${alice.id}/statuses`)).body;
  assert.match(first.content, /second/);
});

test('accounts that reblogged a status are notified of its edit, and streams show it', async () => {
  const id = await alice.says('to be passed on');
  await bob.post(`/api/v1/statuses/${id}/reblog`);
  const stream = await EventStream.open(server, 'public', bob.token);
  try {
    await put(alice, id, { status: 'passed on, and changed' });
    await until(
      'bob is told',
      async () => (await told(bob, 'update')).some((one) => one.status.id === id) || undefined,
      WAIT_MS,
    );
    const [before] = await told(bob, 'update');
    await put(alice, id, { status: 'passed on, and changed again' });
    await until(
      'bob is told of the latest edit only',
      async () => {
        const notices = await told(bob, 'update');
        return (notices.length === 1 && notices[0]?.id !== before?.id) || undefined;
      },
      WAIT_MS,
    );
    await until(
      'the stream shows it',
      async () =>
        stream.events.some(({ event, data }) => event === 'status.update' && JSON.parse(data).id === id) || undefined,
      WAIT_MS,
    );
  } finally {
    await stream.close();
  }
});

test('an edit without a change leaves no trace, and an invalid one is refused', async () => {
  const id = await alice.says('as it is');
  assert.equal((await put(alice, id, { status: 'as it is' })).body.edited_at, null);
  assert.equal((await put(alice, id, { status: ' ' })).status, 422);
  assert.equal((await put(alice, id, { status: 'x'.repeat(501) })).status, 422);
  assert.equal((await put(alice, id, { status: 'x', language: 'x'.repeat(21) })).status, 422);
  assert.match((await alice.get(`/api/v1/statuses/${id}`)).body.content, /as it is/);
});

test('nobody edits another’s status or a reblog, or reads the history of an invisible status', async () => {
  const id = await alice.says('mine');
  const reblog = (await bob.post(`/api/v1/statuses/${id}/reblog`)).body.id;
  for (const [who, what] of [
    [bob, id],
    [bob, reblog],
    [alice, reblog],
  ] as const) {
    const answer = await put(who, what, { status: 'stolen' });
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
  }
  const hidden = await alice.says('for followers', { visibility: 'private' });
  await put(alice, hidden, { status: 'for followers only' });
  for (const path of ['history', 'source']) {
    const answer = await carol.get(`/api/v1/statuses/${hidden}/${path}`);
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], path);
  }
  assert.equal((await server.get(`/api/v1/statuses/${hidden}/history`)).status, 404);
  await alice.remove(`/api/v1/statuses/${hidden}`);
  assert.equal((await alice.get(`/api/v1/statuses/${hidden}/history`)).status, 404);
});
