import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TAGGED_COLLECTIONS_MAX } from '../../../../gateway/pages/status/tagged-collections.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let ann: Person;
let ben: Person;
let cleo: Person;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  ben = await server.person('ben');
  cleo = await server.person('cleo');
  const discoverable = { discoverable: true };
  assert.equal(
    (await server.ask('PATCH', '/api/v1/accounts/update_credentials', discoverable, cleo.token)).status,
    200,
  );
});
after(() => server.stop());

interface Made {
  readonly id: string;
  readonly url: string;
}
async function makes(owner: Person, more: object = {}): Promise<Made> {
  const made = await owner.post('/api/v1/collections', { name: 'Birds', account_ids: [cleo.id], ...more });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.collection;
}
async function says(person: Person, status: string): Promise<string> {
  const posted = await person.post('/api/v1/statuses', { status });
  assert.equal(posted.status, 200, JSON.stringify(posted.body));
  return posted.body.id;
}
const tagged = async (id: string, by: Pick<Person, 'get'> | TestServer = server) =>
  (await by.get(`/api/v1/statuses/${id}`)).body.tagged_collections;
const ids = (list: readonly Made[]) => list.map(({ id }) => id);

test('a status that links to a collection shows it, in every place', async () => {
  const birds = await makes(ann, { discoverable: false });
  const status = await says(ben, `look: ${birds.url} and ${birds.url}`);
  const [shown] = await tagged(status);
  const open = (await server.get(`/api/v1/collections/${birds.id}`)).body.collection;
  assert.deepEqual(shown, open, 'one that is not to be discovered is shared by its address');
  assert.deepEqual(ids(await tagged(status)), [birds.id], 'once');
  const listed = (await ann.get('/api/v1/timelines/public?local=true')).body.find((one: Made) => one.id === status);
  assert.deepEqual(listed.tagged_collections, [open]);
  const reblog = (await cleo.post(`/api/v1/statuses/${status}/reblog`)).body;
  assert.deepEqual([reblog.tagged_collections, reblog.reblog.tagged_collections], [[], [open]]);
  const favourite = (await ann.post(`/api/v1/statuses/${status}/favourite`)).body;
  assert.deepEqual([favourite.favourites_count, ids(favourite.tagged_collections)], [1, [birds.id]]);
});

test('a status without such a link has an empty list, and similar addresses do not count', async () => {
  const { url, id } = await makes(ann);
  const others = [
    `${url}?x=1`,
    `${url}#a`,
    `${url}/items`,
    `${url}1`,
    url.slice(0, -1),
    `http://elsewhere.example/collections/${id}`,
  ];
  assert.deepEqual(await tagged(await says(ann, 'nothing')), []);
  for (const address of others) assert.deepEqual(await tagged(await says(ann, address)), [], address);
  assert.deepEqual(
    await tagged(await says(ann, `${url.slice(0, -18)}999999999999999999`)),
    [],
    'nor what is not there',
  );
});

test('an edit changes the collections, and a changed or deleted collection changes in every status', async () => {
  const [one, other] = [await makes(ann), await makes(ann)];
  const status = await says(ann, one.url);
  const edit = (text: string) => server.ask('PUT', `/api/v1/statuses/${status}`, { status: text }, ann.token);
  assert.deepEqual(ids((await edit(`${other.url} ${one.url}`)).body.tagged_collections), [other.id, one.id]);
  await server.ask('PATCH', `/api/v1/collections/${one.id}`, { name: 'Owls' }, ann.token);
  assert.deepEqual(
    (await tagged(status)).map(({ name }: { name: string }) => name),
    ['Birds', 'Owls'],
  );
  await ann.remove(`/api/v1/collections/${other.id}`);
  assert.deepEqual(ids(await tagged(status)), [one.id]);
  await edit('nothing more');
  assert.deepEqual(await tagged(status), []);
});

test('a status shows a viewer no more of a collection than the collection itself does', async () => {
  const dan = await server.person('dan');
  const eve = await server.person('eve');
  const fay = await server.person('fay');
  const birds = await makes(dan);
  const status = await says(ben, `these: ${birds.url}`);
  assert.deepEqual(ids(await tagged(status, eve)), [birds.id]);
  await dan.post(`/api/v1/accounts/${eve.id}/block`);
  await fay.post(`/api/v1/accounts/${dan.id}/block`);
  assert.deepEqual([await tagged(status, eve), await tagged(status, fay)], [[], []]);
  await ben.post(`/api/v1/accounts/${cleo.id}/block`);
  const [seen] = await tagged(status, ben);
  assert.deepEqual([seen.item_count, seen.items], [0, []], 'without those whom one blocks');
  assert.equal((await tagged(status))[0].item_count, 1);
  const act = { action: 'suspend', by: '', text: '', mail: false };
  await server.node.services.askAccount(dan.id, 'moderate', act);
  assert.deepEqual(await tagged(status), []);
  await ben.post(`/api/v1/accounts/${cleo.id}/unblock`);
});

test('streams and quotes contain the collections, too', async () => {
  const birds = await makes(ben);
  const stream = await EventStream.open(server, 'public', cleo.token);
  const status = await says(ben, birds.url);
  const event = await until('the update', async () => stream.events.find(({ data }) => data.includes(status)), 5_000);
  assert.deepEqual(ids(JSON.parse(event.data).tagged_collections), [birds.id]);
  await stream.close();
  await server.ask(
    'PUT',
    `/api/v1/statuses/${status}/interaction_policy`,
    { quote_approval_policy: 'public' },
    ben.token,
  );
  const quoting = await ann.post('/api/v1/statuses', { status: 'see', quoted_status_id: status });
  const { quote, tagged_collections } = (await ann.get(`/api/v1/statuses/${quoting.body.id}`)).body;
  assert.deepEqual([ids(quote.quoted_status.tagged_collections), tagged_collections], [[birds.id], []]);
});

test('one status shows a bounded number of collections', async () => {
  const made = [];
  for (const owner of [ann, ben, cleo]) for (let n = 0; n < 5; n++) made.push(await makes(owner));
  const status = await says(ann, made.map(({ url }) => url).join(' '));
  assert.deepEqual(ids(await tagged(status)), ids(made.slice(0, TAGGED_COLLECTIONS_MAX)));
});
