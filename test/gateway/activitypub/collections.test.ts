import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
let server: TestServer;
before(async () => {
  server = await TestServer.start({ BASE_URL: BASE, DOMAIN: 'example' });
});
after(() => server?.stop());

const fetched = (path: string) =>
  server.ask('GET', path, undefined, undefined, { accept: 'application/activity+json' });
const pathOf = (address: string) => address.slice(BASE.length);
const uri = (name: string) => `${BASE}/users/${name}`;

/** Reads all pages of a collection, and its total. */
async function readAll(path: string) {
  const collection = (await fetched(path)).body;
  assert.equal(collection.type, 'OrderedCollection');
  const pages: unknown[][] = [];
  for (let next = collection.first; next !== undefined; ) {
    const { body } = await fetched(pathOf(next));
    assert.deepEqual([body.type, body.partOf, body.id], ['OrderedCollectionPage', `${BASE}${path}`, next]);
    pages.push(body.orderedItems);
    next = body.next;
  }
  return { total: collection.totalItems, pages, items: pages.flat() };
}

test('the outbox has the activities that everybody may see, newest first, in pages', async () => {
  const [ann, ben] = [await server.person('ann'), await server.person('ben')];
  const ids: string[] = [];
  for (let index = 0; index < 45; index++) ids.push(await ann.says(`number ${index}`));
  await ann.says('for followers', { visibility: 'private' });
  await ann.says('@ben for one', { visibility: 'direct' });
  const shared = await ben.says('to be shared');
  const reblog = (await ann.post(`/api/v1/statuses/${shared}/reblog`)).body;
  const { pages, items } = await readAll(`/users/${ann.name}/outbox`);
  assert.deepEqual(
    pages.map((page) => page.length),
    [40, 6],
  );
  const expected = [reblog.uri, ...ids.reverse().map((id) => `${uri('ann')}/statuses/${id}/activity`)];
  assert.deepEqual(
    items.map((item) => (item as { id: string }).id),
    expected,
  );
  assert.deepEqual(new Set(items.map((item) => (item as { type: string }).type)), new Set(['Create', 'Announce']));
  const newer = (await fetched(`/users/ann/outbox?page=true&min_id=${ids[3]}`)).body.orderedItems;
  assert.deepEqual(
    newer.map(({ id }: { id: string }) => id),
    expected.slice(0, 4),
  );
});

test('followers and followed people are addresses, and a hidden list shows its size only', async () => {
  const people: Person[] = [];
  for (const name of ['cleo', 'dan', 'eli', 'fay']) people.push(await server.person(name));
  const [cleo, dan, eli, fay] = people as [Person, Person, Person, Person];
  for (const one of [dan, eli, fay]) await one.follows(cleo);
  await cleo.follows(dan);
  assert.deepEqual(await readAll(`/users/${cleo.name}/followers`), {
    total: 3,
    pages: [[uri('fay'), uri('eli'), uri('dan')]],
    items: [uri('fay'), uri('eli'), uri('dan')],
  });
  assert.deepEqual((await readAll(`/users/${cleo.name}/following`)).items, [uri('dan')]);
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { hide_collections: true }, cleo.token);
  const hidden = (await fetched('/users/cleo/followers')).body;
  assert.deepEqual([hidden.totalItems, hidden.first], [3, undefined]);
  for (const name of ['followers', 'following'])
    assert.deepEqual((await fetched(`/users/cleo/${name}?page=true`)).body.orderedItems, [], name);
});

test('pinned statuses are whole objects, latest pinned first', async () => {
  const gil = await server.person('gil');
  const [one, two] = [await gil.says('one'), await gil.says('two')];
  for (const id of [two, one]) await gil.post(`/api/v1/statuses/${id}/pin`);
  const { body } = await fetched(`/users/${gil.name}/collections/featured`);
  assert.deepEqual([body.type, body.totalItems], ['OrderedCollection', 2]);
  assert.deepEqual(
    body.orderedItems.map((item: { id: string; type: string }) => [item.type, item.id]),
    [one, two].map((id) => ['Note', `${uri('gil')}/statuses/${id}`]),
  );
});

test('featured hashtags are named with the address of their statuses', async () => {
  const kim = await server.person('kim');
  await kim.post('/api/v1/featured_tags', { name: 'Felt' });
  assert.equal((await fetched('/users/kim')).body.featuredTags, `${uri('kim')}/collections/tags`);
  const { body } = await fetched(`/users/${kim.name}/collections/tags`);
  assert.deepEqual([body.id, body.type, body.totalItems], [`${uri('kim')}/collections/tags`, 'Collection', 1]);
  assert.deepEqual(body.items, [{ type: 'Hashtag', href: `${BASE}/@kim/tagged/felt`, name: '#felt' }]);
});

test('featured accounts are addresses, latest featured first, and a hidden list shows its size only', async () => {
  const [lea, mia, nia] = [await server.person('lea'), await server.person('mia'), await server.person('nia')];
  assert.equal((await fetched('/users/lea')).body.featuredAccounts, `${uri('lea')}/collections/accounts`);
  for (const one of [mia, nia]) {
    await lea.follows(one);
    await lea.post(`/api/v1/accounts/${one.id}/endorse`);
  }
  const { body } = await fetched(`/users/${lea.name}/collections/accounts`);
  assert.deepEqual([body.id, body.type, body.totalItems], [`${uri('lea')}/collections/accounts`, 'Collection', 2]);
  assert.deepEqual(body.items, [uri('nia'), uri('mia')]);
  await lea.post(`/api/v1/accounts/${nia.id}/unfollow`);
  assert.deepEqual((await fetched(`/users/${lea.name}/collections/accounts`)).body.items, [uri('mia')]);
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { show_featured: false }, lea.token);
  const hidden = (await fetched(`/users/${lea.name}/collections/accounts`)).body;
  assert.deepEqual([hidden.totalItems, hidden.items], [1, undefined]);
});

test('the collections of a suspended person are empty', async () => {
  const [hal, ida] = [await server.person('hal'), await server.person('ida')];
  await hal.post(`/api/v1/statuses/${await hal.says('hello')}/pin`);
  await hal.post('/api/v1/featured_tags', { name: 'felt' });
  await hal.follows(ida);
  await hal.post(`/api/v1/accounts/${ida.id}/endorse`);
  await ida.follows(hal);
  await server.node.services.askAccount(hal.id, 'moderate', { action: 'suspend', by: '', text: '', mail: false });
  for (const name of ['outbox', 'followers', 'following', 'collections/featured']) {
    assert.equal((await fetched(`/users/hal/${name}`)).body.totalItems, 0, name);
    assert.deepEqual((await fetched(`/users/hal/${name}?page=true`)).body.orderedItems, [], name);
  }
  for (const name of ['tags', 'accounts'])
    assert.deepEqual((await fetched(`/users/hal/collections/${name}`)).body.items, [], name);
});

test('bounds that are no ids are ignored, and unknown people have no collections', async () => {
  const jan = await server.person('jan');
  const id = await jan.says('hello');
  for (const bound of ['x', '-1', '']) {
    const { status, body } = await fetched(`/users/jan/outbox?page=true&max_id=${bound}`);
    assert.deepEqual([status, body.orderedItems.length], [200, 1], bound);
  }
  assert.deepEqual(
    (await fetched(`/users/jan/outbox?page=true&max_id=${'9'.repeat(60)}`)).body.orderedItems[0].id,
    `${uri('jan')}/statuses/${id}/activity`,
  );
  for (const name of [
    'outbox',
    'followers',
    'following',
    'collections/featured',
    'collections/tags',
    'collections/accounts',
  ])
    assert.equal((await fetched(`/users/nobody/${name}`)).status, 404, name);
});

test('a reader who has a collection gets 304 until it changes', async () => {
  const zoe = await server.person('zoe');
  const id = await zoe.says('first');
  const accept = 'application/activity+json';
  for (const path of ['', '/outbox', '/outbox?page=true', '/followers', '/collections/featured', `/statuses/${id}`]) {
    const read = (headers: Record<string, string> = {}) =>
      server.ask('GET', `/users/${zoe.name}${path}`, undefined, undefined, { accept, ...headers });
    const etag = (await read()).headers.get('etag') ?? '';
    assert.match(etag, /^W\/"[\w-]{22}"$/, path);
    for (const known of [etag, etag.slice(2), `"other", ${etag}`]) {
      const { status, headers, body } = await read({ 'if-none-match': known });
      assert.deepEqual([status, headers.get('etag'), body], [304, etag, ''], path);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=/);
    }
    for (const other of ['"other"', 'W/', ',,', `${etag}x`])
      assert.equal((await read({ 'if-none-match': other })).status, 200, `${path} ${other}`);
  }
  const before = (await fetched(`/users/${zoe.name}/outbox`)).headers.get('etag') ?? '';
  await zoe.says('second');
  const headers = { accept, 'if-none-match': before };
  assert.equal((await server.ask('GET', `/users/${zoe.name}/outbox`, undefined, undefined, headers)).status, 200);
});
