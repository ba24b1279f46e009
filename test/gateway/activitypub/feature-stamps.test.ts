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

test('a collection of a person is served with a stamp for each account, and listed if it is discoverable', async () => {
  const make = async (more: object) =>
    (await ben.post('/api/v1/collections', { name: 'A & B', account_ids: [ann.id], ...more })).body.collection;
  const shown = await make({ discoverable: true, description: 'good <people>', tag_name: '#Felt' });
  const hidden = await make({ discoverable: false });
  const { body } = await fetched(`/users/${ben.name}/collections/${shown.id}`);
  const { '@context': _context, published, updated, orderedItems, ...rest } = body;
  assert.deepEqual(rest, {
    ...{ id: shown.uri, type: 'FeaturedCollection', attributedTo: `${BASE}/users/ben` },
    ...{ name: 'A & B', summary: 'good &lt;people&gt;', sensitive: false, discoverable: true, totalItems: 1 },
    topic: { type: 'Hashtag', href: `${BASE}/tags/felt`, name: '#felt' },
  });
  assert.ok(Date.parse(published) <= Date.parse(updated));
  const [{ published: _since, ...item }] = orderedItems;
  assert.deepEqual(item, {
    ...{ id: `${shown.uri}/items/${shown.items[0].id}`, type: 'FeaturedItem', featuredObjectType: 'Person' },
    featuredObject: `${BASE}/users/ann`,
    featureAuthorization: `${BASE}/users/ann/feature_authorizations/${shown.items[0].id}`,
  });
  assert.equal((await fetched(new URL(item.featureAuthorization).pathname)).body.interactingObject, shown.uri);
  const all = (await fetched(`/users/${ben.name}/featured_collections`)).body;
  assert.deepEqual([all.type, all.totalItems, all.orderedItems], ['OrderedCollection', 1, [shown.uri]]);
  assert.equal((await fetched('/users/ben')).body.featuredCollections, all.id);
  assert.equal((await fetched(new URL(hidden.uri).pathname)).status, 200);
  for (const path of [
    `ann/collections/${shown.id}`,
    'ben/collections/1',
    'ben/collections/x',
    'nobody/featured_collections',
  ])
    assert.equal((await fetched(`/users/${path}`)).status, 404, path);
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
