import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { put } from '../../../../store/port.js';
import { statuses } from '../../../../store/tables.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
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

const WAIT_MS = 10_000;
const told = async (person: Person) => ((await person.get('/api/v1/notifications')).body as object[]).length;

test('a muted conversation causes no notifications, shows as muted to its muter, and can be unmuted', async () => {
  const root = await alice.says('a long story');
  const reply = await bob.says('and?', { in_reply_to_id: root });
  const muted = await alice.post(`/api/v1/statuses/${reply}/mute`);
  assert.deepEqual([muted.status, muted.body.muted, muted.body.id], [200, true, reply]);
  for (const id of [root, reply]) {
    assert.equal((await alice.get(`/api/v1/statuses/${id}`)).body.muted, true);
    assert.equal((await bob.get(`/api/v1/statuses/${id}`)).body.muted, false);
  }
  const before = await told(alice);
  await bob.post(`/api/v1/statuses/${root}/favourite`);
  await bob.says('@alice are you there?', { in_reply_to_id: root });
  const elsewhere = await bob.says('@alice something else');
  await until('what happens elsewhere is told', async () => (await told(alice)) > before || undefined, WAIT_MS);
  const notices = (await alice.get('/api/v1/notifications')).body;
  assert.deepEqual(
    notices.map((notice: { status: { id: string } }) => notice.status.id),
    [elsewhere],
  );
  const reblog = (await bob.post(`/api/v1/statuses/${root}/reblog`)).body.id;
  const wrapped = (await alice.get(`/api/v1/statuses/${reblog}`)).body;
  assert.deepEqual([wrapped.muted, wrapped.reblog.muted], [true, false], 'never on the nested one');
  const heard = await alice.post(`/api/v1/statuses/${reply}/unmute`);
  assert.deepEqual([heard.status, heard.body.muted], [200, false]);
  await bob.says('@alice still there?', { in_reply_to_id: root });
  await until('it is heard again', async () => (await told(alice)) > notices.length || undefined, WAIT_MS);
});

test('a status without a conversation cannot be muted, and an invisible one is not found', async () => {
  const id = await alice.says('alone');
  const record = await server.node.services.tables.get(statuses, { status: id });
  assert.ok(record !== undefined && 'write' in server.node.services.tables);
  const tables = server.node.services.tables as unknown as { write(rows: readonly object[]): Promise<void> };
  await tables.write([put(statuses, { status: id }, { ...record, conversationId: '' })]);
  for (const verb of ['mute', 'unmute']) {
    assert.equal((await alice.post(`/api/v1/statuses/${id}/${verb}`)).status, 422, verb);
    const hidden = await alice.says('for followers', { visibility: 'private' });
    const answer = await bob.post(`/api/v1/statuses/${hidden}/${verb}`);
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Record not found' }]);
  }
  const reader = await server.token(alice.id, ['read']);
  assert.equal((await server.ask('POST', `/api/v1/statuses/${id}/mute`, undefined, reader)).status, 403);
});
