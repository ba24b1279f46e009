import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';

let server: TestServer;
let alice: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
});
after(() => server.stop());

const create = (person: Person, key: string, title = 'friends') =>
  person.post('/api/v1/lists', { title }, { 'idempotency-key': key });
const lists = async (person: Person) => (await person.get('/api/v1/lists')).body as { id: string }[];

test('a request that creates something runs once for its key, however many copies arrive together', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(() => create(alice, 'one')));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.id]),
    answers.map(() => [200, answers[0]?.body.id]),
  );
  assert.equal((await lists(alice)).length, 1);
  assert.notEqual((await create(alice, 'two')).body.id, answers[0]?.body.id);
});

test('keys are separate for each account and route', async () => {
  const mine = await create(alice, 'shared');
  const theirs = await create(bob, 'shared');
  assert.notEqual(mine.body.id, theirs.body.id);
  const filter = { title: 'x', context: ['home'] };
  const other = await alice.post('/api/v2/filters', filter, { 'idempotency-key': 'shared' });
  assert.equal(other.body.title, 'x');
});

test('a refused request may be repeated with its key, and the length of keys is bounded', async () => {
  assert.equal((await create(alice, 'again', '')).status, 422);
  assert.equal((await create(alice, 'again', 'x'.repeat(10_000))).status, 422);
  assert.equal((await create(alice, 'again')).status, 200);
  assert.equal((await create(alice, 'k'.repeat(257))).status, 400);
});
