import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../kit/server.js';
import { until } from '../../kit/until.js';

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

/** Notifications are effects behind the reply. */
const ARRIVAL_MS_MAX = 10_000;
const types = (list: { type: string }[]) => list.map((item) => item.type);

test('what others do is told, chosen by type and by account, paged, and cleared', async () => {
  const status = await alice.says('hello');
  await bob.follows(alice);
  await bob.post(`/api/v1/statuses/${status}/favourite`);
  await carol.post(`/api/v1/statuses/${status}/reblog`);
  await carol.says('@alice hi');
  const all = await until(
    'four notifications',
    async () => {
      const answer = await alice.get('/api/v1/notifications');
      return answer.body.length === 4 ? answer : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  assert.deepEqual(types(all.body).sort(), ['favourite', 'follow', 'mention', 'reblog']);
  const favourite = all.body.find((item: { type: string }) => item.type === 'favourite');
  assert.deepEqual([favourite.account.id, favourite.status.id], [bob.id, status]);
  assert.equal(all.body.find((item: { type: string }) => item.type === 'follow').status, undefined);
  const chosen = async (query: string) => types((await alice.get(`/api/v1/notifications?${query}`)).body).sort();
  assert.deepEqual(await chosen('types[]=follow&types[]=mention'), ['follow', 'mention']);
  assert.deepEqual(await chosen('exclude_types[]=follow'), ['favourite', 'mention', 'reblog']);
  assert.deepEqual(await chosen(`account_id=${carol.id}`), ['mention', 'reblog']);
  const first = await alice.get('/api/v1/notifications?limit=3');
  const second = await alice.get(linkTo(first, 'next') ?? '');
  assert.deepEqual([...first.body, ...second.body], all.body);
  const { id } = favourite;
  assert.deepEqual((await alice.get(`/api/v1/notifications/${id}`)).body, favourite);
  assert.equal((await bob.get(`/api/v1/notifications/${id}`)).status, 404);
  assert.equal((await bob.post(`/api/v1/notifications/${id}/dismiss`)).status, 404);
  assert.equal((await alice.get(`/api/v1/notifications/${id}`)).status, 200, 'other people’s are not dismissed');
  assert.deepEqual((await alice.post(`/api/v1/notifications/${id}/dismiss`)).body, {});
  await until(
    'the dismissed one is gone',
    async () => ((await alice.get(`/api/v1/notifications/${id}`)).status === 404 ? true : undefined),
    ARRIVAL_MS_MAX,
  );
  assert.deepEqual((await alice.post('/api/v1/notifications/clear')).body, {});
  await until(
    'all are gone',
    async () => ((await alice.get('/api/v1/notifications')).body.length === 0 ? true : undefined),
    ARRIVAL_MS_MAX,
  );
});

test('what a blocked person did, and what became of deleted statuses, is not shown', async () => {
  const [dora, erin] = [await server.person('dora'), await server.person('erin')];
  await erin.says('@dora one');
  const gone = await erin.says('@dora two');
  const count = async (wanted: number) =>
    until(
      `${wanted} notifications`,
      async () => ((await dora.get('/api/v1/notifications')).body.length === wanted ? true : undefined),
      ARRIVAL_MS_MAX,
    );
  await count(2);
  await erin.remove(`/api/v1/statuses/${gone}`);
  await count(1);
  await dora.post(`/api/v1/accounts/${erin.id}/block`);
  await count(0);
});

test('notifications are for users with the scope', async () => {
  assert.equal((await server.get('/api/v1/notifications')).status, 401);
  const token = await server.token(alice.id, ['read:statuses']);
  assert.equal((await server.ask('GET', '/api/v1/notifications', undefined, token)).status, 403);
  assert.equal((await alice.get('/api/v1/notifications/1')).status, 404);
  assert.equal((await alice.get('/api/v1/notifications/x')).status, 404);
});
