import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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

/** Notifications are effects that follow the reply. */
const ARRIVAL_MS_MAX = 10_000;

test('the first addresses of timelines redirect to the current ones, with the query unchanged', async () => {
  const moved = [
    ['/api/v1/statuses/public?limit=3&local=true', '/api/v1/timelines/public?limit=3&local=true'],
    ['/api/v1/statuses/home', '/api/v1/timelines/home'],
    ['/api/v1/statuses/mentions?max_id=5', '/api/v1/timelines/mentions?max_id=5'],
    ['/api/v1/statuses/tag/owls?any[]=a%20b', '/api/v1/timelines/tag/owls?any[]=a%20b'],
    ['/api/v1/statuses/tag/%2F%0D%0Ax', '/api/v1/timelines/tag/%2F%0D%0Ax'],
  ];
  for (const [from = '', to] of moved) {
    const answer = await server.get(from);
    assert.deepEqual([answer.status, answer.headers.get('location')], [301, `http://localhost${to}`]);
  }
});

test('the mentions timeline contains mentions of the viewer, and none by blocked or muted accounts', async () => {
  await alice.follows(bob);
  const open = await bob.says('@alice one');
  await bob.says('no mention');
  const status = await alice.says('liked');
  await bob.post(`/api/v1/statuses/${status}/favourite`);
  const closed = await bob.says('@alice two', { visibility: 'direct' });
  const mentions = async () => (await alice.get('/api/v1/timelines/mentions')).body.map(({ id }: { id: string }) => id);
  await until('two', async () => ((await mentions()).length === 2 ? true : undefined), ARRIVAL_MS_MAX);
  assert.deepEqual(await mentions(), [closed, open]);
  await alice.post(`/api/v1/accounts/${bob.id}/mute`, { notifications: false });
  assert.deepEqual(await mentions(), []);
  await alice.post(`/api/v1/accounts/${bob.id}/unmute`);
  await alice.post(`/api/v1/accounts/${bob.id}/block`);
  assert.deepEqual(await mentions(), []);
  assert.equal((await server.get('/api/v1/timelines/mentions')).status, 401);
});
