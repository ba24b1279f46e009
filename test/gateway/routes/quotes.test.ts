import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/server.js';

let server: TestServer;
let alice: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
});
after(() => server.stop());

const policy = (who: Person, id: string, quote_approval_policy: string) =>
  server.ask('PUT', `/api/v1/statuses/${id}/interaction_policy`, { quote_approval_policy }, who.token);

test('an author says who may quote, with the status or later, and everybody can read it', async () => {
  const posted = await alice.post('/api/v1/statuses', { status: 'quote me', quote_approval_policy: 'public' });
  assert.deepEqual(posted.body.quote_approval.automatic, ['public']);
  const { id } = posted.body;
  const set = await policy(alice, id, 'followers');
  assert.deepEqual([set.status, set.body.quote_approval.automatic], [200, ['followers']]);
  assert.deepEqual((await bob.get(`/api/v1/statuses/${id}`)).body.quote_approval.automatic, ['followers']);
  assert.deepEqual((await policy(alice, id, 'nobody')).body.quote_approval.automatic, []);
  const narrow = { status: 'for followers', visibility: 'private', quote_approval_policy: 'public' };
  assert.deepEqual((await alice.post('/api/v1/statuses', narrow)).body.quote_approval.automatic, []);
});

test('others cannot say it, and a word that is none is refused', async () => {
  const id = await alice.says('mine');
  assert.equal((await policy(bob, id, 'public')).status, 404);
  assert.equal((await policy(alice, id, 'friends')).status, 422);
  const hidden = await alice.says('for followers', { visibility: 'private' });
  assert.deepEqual((await bob.get(`/api/v1/statuses/${id}/quotes`)).body, []);
  assert.equal((await bob.get(`/api/v1/statuses/${hidden}/quotes`)).status, 404);
  assert.equal((await alice.post(`/api/v1/statuses/${id}/quotes/${id}/revoke`)).status, 404);
  assert.equal((await alice.post('/api/v1/statuses', { status: 'x', quoted_status_id: id })).status, 422);
});
