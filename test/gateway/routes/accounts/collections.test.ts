import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COLLECTION_ITEMS_MAX, COLLECTIONS_MAX } from '../../../../actors/account/collections.js';
import { put, type Tables } from '../../../../store/port.js';
import { accounts, collections as rows } from '../../../../store/tables.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

const WAIT_MS = 5_000;
const NOBODYS = '999999999999999999';
let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const ids = (list: { id: string }[]) => list.map((one) => one.id);
const collections = '/api/v1/collections';
const change = (person: Person, id: string, body: object) =>
  server.ask('PATCH', `${collections}/${id}`, body, person.token);
const setCredentials = (person: Person, changes: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', changes, person.token);
const moderate = (person: Person, action: string) =>
  server.node.services.askAccount(person.id, 'moderate', { action, by: '', text: '', mail: false });
const listed = async (person: Person, by: Pick<Person, 'get'> | TestServer = server) =>
  ids((await by.get(`/api/v1/accounts/${person.id}/collections`)).body.collections);
const featuring = async (person: Person) =>
  ids((await person.get(`/api/v1/accounts/${person.id}/in_collections`)).body.collections);
/** Returns the notifications of a type, as soon as there is one. */
const told = (person: Person, type: string) =>
  until(
    `a notification of ${type}`,
    async () => (await person.get(`/api/v1/notifications?types[]=${type}`)).body[0],
    WAIT_MS,
  );

/** Creates users who consent to being featured. */
async function people<N extends readonly string[]>(...names: N): Promise<{ [K in keyof N]: Person }> {
  const made: Person[] = [];
  for (const name of names) {
    const person = await server.person(name);
    assert.equal((await setCredentials(person, { discoverable: true })).status, 200);
    made.push(person);
  }
  return made as unknown as { [K in keyof N]: Person };
}

async function makes(owner: Person, members: readonly Person[], more: object = {}) {
  const body = { name: 'Birds', account_ids: members.map(({ id }) => id), ...more };
  const made = await owner.post(collections, body);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.collection;
}

test('a collection is created, shown with its accounts, changed and deleted', async () => {
  const [ann, ben, cleo] = await people('ann', 'ben', 'cleo');
  const more = { description: 'All <of> them', language: 'en', tag_name: '#Owls', sensitive: true };
  const made = await makes(ann, [ben], more);
  assert.deepEqual(
    [made.account_id, made.name, made.description, made.language, made.local, made.sensitive, made.discoverable],
    [ann.id, 'Birds', 'All &lt;of&gt; them', 'en', true, true, true],
  );
  assert.deepEqual([made.tag.name, made.item_count, made.items[0].account_id], ['owls', 1, ben.id]);
  assert.equal(made.items[0].state, 'accepted');
  const open = (await server.get(`${collections}/${made.id}`)).body;
  assert.deepEqual(open.collection, made);
  assert.deepEqual(ids(open.accounts), [ann.id, ben.id]);
  const added = await ann.post(`${collections}/${made.id}/items`, { account_id: cleo.id });
  assert.deepEqual([added.status, added.body.collection_item.account_id], [200, cleo.id]);
  const changed = await change(ann, made.id, { name: 'Owls', tag_name: '', sensitive: false });
  assert.deepEqual(
    [changed.body.collection.name, changed.body.collection.tag, changed.body.collection.item_count],
    ['Owls', null, 2],
  );
  assert.equal(changed.body.collection.language, 'en', 'what is not named stays');
  assert.equal((await change(ann, made.id, { language: null })).body.collection.language, null);
  const item = added.body.collection_item.id;
  assert.deepEqual((await ann.remove(`${collections}/${made.id}/items/${item}`)).body, {});
  assert.equal((await ann.remove(`${collections}/${made.id}/items/${item}`)).status, 404);
  assert.deepEqual(ids((await server.get(`${collections}/${made.id}`)).body.accounts), [ann.id, ben.id]);
  assert.deepEqual(await featuring(ben), [made.id]);
  assert.deepEqual(await featuring(cleo), []);
  assert.deepEqual((await ann.remove(`${collections}/${made.id}`)).body, {});
  for (const gone of [
    await server.get(`${collections}/${made.id}`),
    await ann.get(`${collections}/${made.id}`),
    await ann.remove(`${collections}/${made.id}`),
  ])
    assert.equal(gone.status, 404);
  assert.deepEqual([await listed(ann, ann), await featuring(ben)], [[], []]);
});

test('lists are paged by offset, latest first', async () => {
  const [dan, eve] = await people('dan', 'eve');
  const made: string[] = [];
  for (let n = 0; n < 3; n++) made.unshift((await makes(dan, [eve], { name: `${n}` })).id);
  for (const list of [`accounts/${dan.id}/collections`, `accounts/${eve.id}/in_collections`]) {
    const first = await eve.get(`/api/v1/${list}?limit=2`);
    assert.deepEqual(ids(first.body.collections), made.slice(0, 2), list);
    const second = await eve.get(linkTo(first, 'next') ?? '');
    assert.deepEqual(ids(second.body.collections), made.slice(2));
    assert.equal(linkTo(second, 'next'), undefined);
    assert.deepEqual((await eve.get(linkTo(second, 'prev') ?? '')).body, first.body);
  }
});

test('only consenting accounts are featured: not undiscoverable ones, nor locked ones by non-followers', async () => {
  const [fay, gil] = await people('fay', 'gil');
  const hal = await server.person('hal');
  const { id } = await makes(fay, []);
  const add = (account_id: string) => fay.post(`${collections}/${id}/items`, { account_id });
  assert.equal((await add(hal.id)).status, 403);
  assert.equal((await add(NOBODYS)).status, 404);
  assert.equal((await fay.post(`${collections}/${id}/items`, {})).status, 422);
  assert.equal((await fay.post(collections, { name: 'x', account_ids: [gil.id, hal.id] })).status, 403);
  assert.deepEqual(await listed(fay), [id], 'what was refused is not there');
  await setCredentials(gil, { locked: true });
  assert.equal((await add(gil.id)).status, 403);
  await fay.follows(gil);
  assert.equal((await add(gil.id)).status, 403, 'nor by who has only asked to follow');
  await gil.post(`/api/v1/follow_requests/${fay.id}/authorize`);
  assert.equal((await add(gil.id)).status, 200);
  assert.equal((await add(gil.id)).status, 422, 'twice');
  assert.equal((await add(fay.id)).status, 200, 'oneself');
});

test('an account in a collection is notified of it and of its changes, also by stream', async () => {
  const [ida, jan] = await people('ida', 'jan');
  const stream = await EventStream.open(server, 'user', jan.token);
  const { id } = await makes(ida, [jan, ida]);
  const added = await told(jan, 'added_to_collection');
  assert.deepEqual([added.account.id, added.collection.id, added.collection.item_count], [ida.id, id, 2]);
  const streamed = await until(
    'the streamed notification',
    async () => stream.events.find(({ event }) => event === 'notification'),
    WAIT_MS,
  );
  assert.deepEqual(JSON.parse(streamed.data), added);
  await stream.close();
  assert.equal((await change(ida, id, { discoverable: false, language: 'de' })).status, 200);
  assert.equal((await change(ida, id, { description: 'New' })).status, 200);
  await told(jan, 'collection_update');
  assert.equal((await change(ida, id, { description: 'Newer' })).status, 200);
  await until(
    'two updates, none of what nobody is told',
    async () => (await jan.get('/api/v1/notifications?types[]=collection_update')).body.length === 2,
    WAIT_MS,
  );
  const { body } = await jan.get('/api/v2/notifications?types[]=collection_update&types[]=added_to_collection');
  assert.deepEqual(
    body.notification_groups.map((one: { type: string; collection: { id: string } }) => [one.type, one.collection.id]),
    [
      ['collection_update', id],
      ['collection_update', id],
      ['added_to_collection', id],
    ],
  );
  assert.deepEqual((await ida.get('/api/v1/notifications')).body, [], 'nobody is told of their own doings');
  await ida.remove(`${collections}/${id}`);
  assert.deepEqual((await jan.get('/api/v1/notifications')).body, [], 'of what is gone nothing is told');
});

test('notifications about collections wait if the policy says so, and do not come from muted accounts', async () => {
  const [kim, lea, max] = await people('kim', 'lea', 'max');
  await lea.put('/api/v2/notifications/policy', { for_not_following: 'filter' });
  await makes(kim, [lea]);
  await until(
    'a request for notifications',
    async () => (await lea.get('/api/v1/notifications/requests')).body[0]?.account.id === kim.id,
    WAIT_MS,
  );
  assert.deepEqual((await lea.get('/api/v1/notifications')).body, []);
  await max.post(`/api/v1/accounts/${kim.id}/mute`, { notifications: true });
  const { id } = await makes(kim, [max, lea]);
  await until(
    'both waiting',
    async () => (await lea.get('/api/v1/notifications?include_filtered=true')).body.length === 2,
    WAIT_MS,
  );
  assert.deepEqual((await max.get('/api/v1/notifications')).body, []);
  assert.deepEqual(await featuring(max), [id]);
});

test('only its owner changes a collection, and only a member leaves it', async () => {
  const [ned, ola, pia] = await people('ned', 'ola', 'pia');
  const made = await makes(ned, [ola]);
  const item = made.items[0].id;
  const tries = (by: Person, id: string) => [
    change(by, id, { name: 'mine' }),
    by.remove(`${collections}/${id}`),
    by.post(`${collections}/${id}/items`, { account_id: pia.id }),
    by.remove(`${collections}/${id}/items/${item}`),
  ];
  for (const { status } of await Promise.all(tries(pia, made.id))) assert.equal(status, 403);
  for (const { status } of await Promise.all(tries(ola, made.id))) assert.equal(status, 403);
  for (const { status } of await Promise.all(tries(pia, NOBODYS))) assert.equal(status, 404);
  for (const by of [pia, ned])
    assert.equal((await by.post(`${collections}/${made.id}/items/${item}/revoke`)).status, 403);
  assert.equal((await ola.post(`${collections}/${made.id}/items/${NOBODYS}/revoke`)).status, 404);
  assert.deepEqual((await server.get(`${collections}/${made.id}`)).body.collection, made);
  assert.deepEqual((await ola.post(`${collections}/${made.id}/items/${item}/revoke`)).body, {});
  assert.equal((await server.get(`${collections}/${made.id}`)).body.collection.item_count, 0);
  assert.deepEqual(await featuring(ola), []);
  assert.equal(
    (await ned.post(`${collections}/${made.id}/items`, { account_id: ola.id })).status,
    403,
    'left for good',
  );
  for (const { status } of [
    await server.get(`/api/v1/accounts/${ola.id}/in_collections`),
    await server.ask('POST', collections, { name: 'x' }),
    await server.ask('PATCH', `${collections}/${made.id}`, { name: 'x' }),
    await server.ask('DELETE', `${collections}/${made.id}`),
  ])
    assert.equal(status, 401);
  assert.equal((await pia.get(`/api/v1/accounts/${ola.id}/in_collections`)).status, 403);
  assert.equal((await pia.get(`/api/v1/accounts/${NOBODYS}/in_collections`)).status, 404);
});

test('an undiscoverable collection is found by its address only, and never by an account that its owner blocks', async () => {
  const [qin, ray, sue] = await people('qin', 'ray', 'sue');
  const { id } = await makes(qin, [ray], { discoverable: false });
  assert.deepEqual([await listed(qin), await listed(qin, ray), await listed(qin, qin)], [[], [], [id]]);
  assert.equal((await server.get(`${collections}/${id}`)).status, 200);
  const seen = await makes(qin, []);
  await qin.post(`/api/v1/accounts/${sue.id}/block`);
  assert.deepEqual([await listed(qin, sue), await listed(qin, ray)], [[], [seen.id]]);
  const missing = await sue.get(`${collections}/${NOBODYS}`);
  for (const answer of [
    await sue.get(`${collections}/${id}`),
    await change(sue, id, { name: 'x' }),
    await sue.remove(`${collections}/${id}`),
  ])
    assert.deepEqual([answer.status, answer.body], [404, missing.body]);
});

test('a block removes each account from the other’s collections, at once', async () => {
  const [tom, una] = await people('tom', 'una');
  const [toms, unas] = [await makes(tom, [una]), await makes(una, [tom])];
  await tom.post(`/api/v1/accounts/${una.id}/block`);
  for (const { id } of [toms, unas])
    assert.equal((await server.get(`${collections}/${id}`)).body.collection.item_count, 0);
  assert.deepEqual([await featuring(tom), await featuring(una)], [[], []]);
  for (const [by, { id }, whom] of [
    [tom, toms, una],
    [una, unas, tom],
  ] as const)
    assert.equal((await by.post(`${collections}/${id}/items`, { account_id: whom.id })).status, 403);
  await tom.post(`/api/v1/accounts/${una.id}/unblock`);
  assert.equal((await tom.post(`${collections}/${toms.id}/items`, { account_id: una.id })).status, 200);
});

test('accounts that the viewer blocks are hidden in others’ collections', async () => {
  const [vic, wes, xia] = await people('vic', 'wes', 'xia');
  const { id } = await makes(vic, [wes]);
  await xia.post(`/api/v1/accounts/${wes.id}/block`);
  const seen = (await xia.get(`${collections}/${id}`)).body;
  assert.deepEqual([seen.collection.item_count, seen.collection.items, ids(seen.accounts)], [0, [], [vic.id]]);
  assert.equal((await wes.get(`${collections}/${id}`)).body.collection.item_count, 1);
  assert.equal((await server.get(`${collections}/${id}`)).body.collection.item_count, 1);
});

test('a suspended account and its collections are hidden until the suspension ends', async () => {
  const [yan, zoe] = await people('yan', 'zoe');
  const [yans, zoes] = [await makes(yan, [zoe]), await makes(zoe, [yan])];
  await moderate(yan, 'suspend');
  for (const by of [server, zoe]) assert.equal((await by.get(`${collections}/${yans.id}`)).status, 404);
  assert.deepEqual([await listed(yan), await featuring(zoe)], [[], []]);
  const open = (await server.get(`${collections}/${zoes.id}`)).body;
  assert.deepEqual([open.collection.item_count, ids(open.accounts)], [0, [zoe.id]]);
  const empty = await makes(zoe, []);
  assert.equal((await zoe.post(`${collections}/${empty.id}/items`, { account_id: yan.id })).status, 403);
  assert.deepEqual((await zoe.get('/api/v1/notifications')).body, []);
  await moderate(yan, 'unsuspend');
  assert.equal((await server.get(`${collections}/${yans.id}`)).status, 200);
  assert.equal((await server.get(`${collections}/${zoes.id}`)).body.collection.item_count, 1);
});

test('a deleted account leaves all collections, and its own are deleted', async () => {
  const [abe, bea] = await people('abe', 'bea');
  const [abes, beas] = [await makes(abe, [bea]), await makes(bea, [abe])];
  await moderate(abe, 'suspend');
  await moderate(abe, 'delete');
  assert.equal((await server.get(`${collections}/${abes.id}`)).status, 404);
  assert.deepEqual(await featuring(bea), []);
  await until(
    'the place to be free',
    async () => {
      const row = await server.node.services.tables.get(rows, { collection: beas.id });
      return row?.items.length === 0;
    },
    WAIT_MS,
  );
  assert.equal((await server.get(`${collections}/${beas.id}`)).body.collection.item_count, 0);
});

test('limits hold for concurrent requests, and bad requests change nothing', async () => {
  const [cat, dov] = await people('cat', 'dov');
  const many = Array.from({ length: COLLECTIONS_MAX + 5 }, (_, n) => cat.post(collections, { name: `${n}` }));
  const made = (await Promise.all(many)).map(({ status }) => status);
  assert.deepEqual(
    [made.filter((one) => one === 200).length, made.filter((one) => one === 422).length],
    [COLLECTIONS_MAX, 5],
  );
  const [id = ''] = await listed(cat);
  const adds = await Promise.all(
    Array.from({ length: 5 }, () => cat.post(`${collections}/${id}/items`, { account_id: dov.id })),
  );
  assert.equal(adds.filter(({ status }) => status === 200).length, 1);
  const before = (await server.get(`${collections}/${id}`)).body;
  for (const bad of [
    { name: '' },
    { name: 'x'.repeat(41) },
    { description: 'x'.repeat(101) },
    { language: 'no language' },
    { language: 'zz' },
    { tag_name: 'two words' },
    { sensitive: 'maybe' },
  ])
    assert.equal((await change(cat, id, bad)).status, 422, JSON.stringify(bad));
  assert.deepEqual((await server.get(`${collections}/${id}`)).body, before);
  const crowd = Array.from({ length: COLLECTION_ITEMS_MAX + 1 }, (_, n) => `${n}`);
  assert.equal((await dov.post(collections, { name: 'x', account_ids: crowd })).status, 422);
  assert.equal((await dov.post(collections, {})).status, 422);
});

test('a request repeated with one Idempotency-Key creates one object', async () => {
  const [eli, fin] = await people('eli', 'fin');
  const key = { 'Idempotency-Key': 'once' };
  const make = () => eli.post(collections, { name: 'once' }, key);
  const [first, second] = [(await make()).body, (await make()).body];
  assert.deepEqual(first, second);
  assert.equal((await listed(eli)).length, 1);
  const add = () =>
    eli.post(`${collections}/${first.collection.id}/items`, { account_id: fin.id }, { 'Idempotency-Key': 'add' });
  const [one, again] = [await add(), await add()];
  assert.deepEqual([one.status, again.status, one.body], [200, 200, again.body]);
});

test('a collection is found by its address, by those who may see it', async () => {
  const [kai, liv] = await people('kai', 'liv');
  const made = await makes(kai, [liv], { discoverable: false });
  const search = async (by: Person, url: string) =>
    (await by.get(`/api/v2/search?resolve=true&q=${encodeURIComponent(url)}`)).body.collections ?? [];
  for (const url of [made.url, made.uri]) assert.deepEqual(await search(liv, url), [made]);
  await kai.post(`/api/v1/accounts/${liv.id}/block`);
  assert.deepEqual(await search(liv, made.url), []);
});

test('an account states who may feature it, and if the viewer may', async () => {
  const [mia, noa] = await people('mia', 'noa');
  const approval = async (by: Pick<Person, 'get'>, path: string) => {
    const { body } = await by.get(path);
    const [one] = [body.accounts ?? body].flat();
    const { automatic, manual, current_user } = one.feature_approval;
    assert.deepEqual(manual, []);
    return [automatic, current_user];
  };
  const [one, named] = [`/api/v1/accounts/${mia.id}`, '/api/v1/accounts/lookup?acct=mia'];
  const paths = [one, named, '/api/v1/accounts/search?q=mia', '/api/v2/search?type=accounts&q=mia'];
  for (const path of paths) assert.deepEqual(await approval(noa, path), [['public'], 'automatic'], path);
  for (const path of [one, named]) assert.deepEqual(await approval(server, path), [['public'], 'denied'], path);
  await setCredentials(mia, { locked: true });
  assert.deepEqual(await approval(noa, one), [['followers'], 'denied']);
  await noa.follows(mia);
  await mia.post(`/api/v1/follow_requests/${noa.id}/authorize`);
  assert.deepEqual(await approval(noa, one), [['followers'], 'automatic']);
  assert.deepEqual(await approval(noa, `/api/v1/accounts/${noa.id}/following`), [['followers'], 'automatic']);
  await setCredentials(mia, { discoverable: false });
  assert.deepEqual(
    [await approval(noa, one), await approval(mia, one)],
    [
      [[], 'denied'],
      [[], 'automatic'],
    ],
  );
  await setCredentials(mia, { discoverable: true, locked: false });
  await mia.post(`/api/v1/accounts/${noa.id}/block`);
  assert.deepEqual(await approval(noa, one), [['public'], 'denied']);
  await moderate(mia, 'suspend');
  assert.equal((await noa.get(one)).body.feature_approval, undefined);
});

test('a report names only collections of the reported account', async () => {
  const [gus, hex, ivo] = await people('gus', 'hex', 'ivo');
  const [own, others] = [await makes(gus, []), await makes(ivo, [])];
  const report = (collection_ids: string[]) => hex.post('/api/v1/reports', { account_id: gus.id, collection_ids });
  const made = await report([own.id]);
  assert.deepEqual([made.status, made.body.collection_ids], [200, [own.id]]);
  for (const wrong of [others.id, NOBODYS]) assert.equal((await report([own.id, wrong])).status, 404);
});

test('a token allows with collections what its scopes name', async () => {
  const [joe] = await people('joe');
  const token = (scope: string) => server.token(joe.id, [scope]);
  const [reads, writes] = [await token('read:collections'), await token('write:collections')];
  const body = { name: 'mine' };
  assert.equal((await server.ask('POST', collections, body, reads)).status, 403);
  assert.equal((await server.ask('POST', collections, body, writes)).status, 200);
  const own = `/api/v1/accounts/${joe.id}/in_collections`;
  assert.equal((await server.ask('GET', own, undefined, writes)).status, 403);
  assert.equal((await server.ask('GET', own, undefined, reads)).status, 200);
  const role = (await joe.get('/api/v1/accounts/verify_credentials')).body.role;
  assert.equal(role.collection_limit, COLLECTIONS_MAX);
});

test('an account of another server is asked by its policy, and pending for the owner alone', async () => {
  const [pia, quinn, rob] = await people('paula', 'quentin', 'ruben');
  const { tables, clock } = server.node.services;
  const uri = 'https://far.example/users/rob';
  const actor = {
    ...{
      uri,
      url: '',
      inbox: `${uri}/inbox`,
      sharedInbox: '',
      outbox: '',
      followersUri: '',
      featuredUri: '',
      keys: [],
    },
    ...{ type: 'Person', alsoKnownAs: [], movedTo: '', fetchedAtMs: clock.nowMs(), gone: false, avatarUrl: '' },
    ...{ headerUrl: '', emojis: [], publishedMs: 0 },
  };
  const stored = await tables.get(accounts, { account: rob.id });
  const describes = (policy: object) => {
    const record = { ...stored, domain: 'far.example', origin: { uri, url: '' }, remote: { ...actor, ...policy } };
    return (tables as Tables).write([put(accounts, { account: rob.id }, record as never)]);
  };
  const approval = async () => (await pia.get(`/api/v1/accounts/${rob.id}`)).body.feature_approval;
  for (const policy of [{}, { featurePolicy: 'followers' }, { featurePolicy: 'public', gone: true }]) {
    await describes(policy);
    assert.equal((await pia.post(collections, { name: 'Birds', account_ids: [rob.id] })).status, 403);
  }
  await describes({});
  assert.deepEqual(await approval(), { automatic: [], manual: [], current_user: 'denied' });
  await describes({ featurePolicy: 'followers', manualFeaturePolicy: 'public' });
  assert.deepEqual(await approval(), { automatic: ['followers'], manual: ['public'], current_user: 'manual' });
  const { id, items } = await makes(pia, [quinn, rob]);
  const states = async (by: Pick<Person, 'get'>) =>
    (await by.get(`${collections}/${id}`)).body.collection.items.map(({ state }: { state: string }) => state);
  assert.deepEqual(await states(pia), ['accepted', 'pending']);
  for (const by of [quinn, server]) assert.deepEqual(await states(by), ['accepted']);
  assert.equal(
    (await server.ask('DELETE', `${collections}/${id}/items/${items[1].id}`, undefined, pia.token)).status,
    200,
  );
  assert.deepEqual(await states(pia), ['accepted']);
});
