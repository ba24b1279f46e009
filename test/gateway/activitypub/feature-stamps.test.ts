import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
let server: TestServer;
let ann: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start({ BASE_URL: BASE });
  [ann, ben] = [await server.person('ann'), await server.person('ben')];
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, ann.token);
});
after(() => server?.stop());

const fetched = (path: string) =>
  server.ask('GET', path, undefined, undefined, { accept: 'application/activity+json' });
const stampAt = (id: string) => fetched(`/users/${ann.name}/feature_authorizations/${id}`);

test('the policy of an actor says who may feature it', async () => {
  const policy = async (name: string) => (await fetched(`/users/${name}`)).body.interactionPolicy.canFeature;
  const everybody = ['https://www.w3.org/ns/activitystreams#Public'];
  assert.deepEqual(await policy('ann'), { automaticApproval: everybody, manualApproval: [] });
  assert.deepEqual((await policy('ben')).automaticApproval, [`${BASE}/users/ben`], 'nobody but oneself');
});

test('an account in a collection of this server has a stamp while it is in it', async () => {
  const made = await ben.post('/api/v1/collections', { name: 'one', account_ids: [ann.id] });
  const { id, items, uri } = made.body.collection;
  const [{ id: item }] = items;
  const { status, body, headers } = await stampAt(item);
  assert.deepEqual([status, headers.get('cache-control')], [200, 'private, no-store']);
  const { '@context': _context, ...stamp } = body;
  assert.deepEqual(stamp, {
    ...{ id: `${BASE}/users/ann/feature_authorizations/${item}`, type: 'FeatureAuthorization' },
    ...{ attributedTo: `${BASE}/users/ann`, interactingObject: uri, interactionTarget: `${BASE}/users/ann` },
  });
  assert.equal((await fetched(`/users/${ben.name}/feature_authorizations/${item}`)).status, 404);
  for (const other of ['1', '999999999999999999', id]) assert.equal((await stampAt(other)).status, 404, other);
  await ann.post(`/api/v1/collections/${id}/items/${item}/revoke`);
  assert.equal((await stampAt(item)).status, 404);
});
