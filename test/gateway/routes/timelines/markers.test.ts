import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../../kit/services/server.js';

let server: TestServer;
let alice: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
});
after(() => server.stop());

test('reading positions are stored by timeline, for their owner', async () => {
  assert.deepEqual((await alice.get('/api/v1/markers?timeline[]=home')).body, {});
  const set = await alice.post('/api/v1/markers', { home: { last_read_id: '12' } });
  assert.deepEqual([set.body.home.last_read_id, set.body.home.version], ['12', 1]);
  assert.equal(new Date(set.body.home.updated_at).toISOString(), set.body.home.updated_at);
  await alice.post('/api/v1/markers', { home: { last_read_id: '15' }, notifications: { last_read_id: '3' } });
  const both = (await alice.get('/api/v1/markers?timeline[]=home&timeline[]=notifications')).body;
  assert.deepEqual([both.home.last_read_id, both.home.version, both.notifications.version], ['15', 2, 1]);
  assert.deepEqual(Object.keys((await alice.get('/api/v1/markers?timeline[]=notifications')).body), ['notifications']);
  assert.deepEqual((await alice.get('/api/v1/markers')).body, {});
  const bob = await server.person('bob');
  assert.deepEqual((await bob.get('/api/v1/markers?timeline[]=home')).body, {});
});

test('markers need a user with the scope, and ids', async () => {
  assert.equal((await server.get('/api/v1/markers')).status, 401);
  const token = await server.token(alice.id, ['read:statuses']);
  const refused = await server.ask('POST', '/api/v1/markers', { home: { last_read_id: '1' } }, token);
  assert.equal(refused.status, 403);
  assert.equal((await alice.post('/api/v1/markers', { home: { last_read_id: 'x' } })).status, 422);
  assert.deepEqual((await alice.post('/api/v1/markers', {})).body, {});
});
