import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const ids = (list: { id: string }[]) => list.map((item) => item.id);
const WAIT_MS = 5_000;
const relationship = async (from: Person, to: Person) =>
  (await from.get(`/api/v1/accounts/relationships?id[]=${to.id}`)).body[0];
const homeOf = async (person: Person) => ids((await person.get('/api/v1/timelines/home')).body);
const publicFor = async (person: Person) => ids((await person.get('/api/v1/timelines/public')).body);

test('a muted account vanishes from the timelines at once, also as a reblog, and comes back', async () => {
  const [ann, ben, cleo] = [await server.person('ann'), await server.person('ben'), await server.person('cleo')];
  for (const other of [ben, cleo]) await ann.follows(other);
  const own = await ann.says('mine');
  const bens = await ben.says('ben’s');
  const cleos = await cleo.says('cleo’s');
  const toBen = await cleo.says('@ben hello');
  const reblog = (await cleo.post(`/api/v1/statuses/${bens}/reblog`)).body.id;
  const answer = await ben.says('an answer', { in_reply_to_id: own });
  const all = [own, bens, cleos, toBen, answer];
  const thread = async () => ids((await ann.get(`/api/v1/statuses/${own}/context`)).body.descendants);
  assert.deepEqual((await homeOf(ann)).filter((id) => id !== reblog).sort(), all.sort());
  const muted = await ann.post(`/api/v1/accounts/${ben.id}/mute`);
  assert.equal(muted.status, 200);
  const { muting, muting_notifications, muting_expires_at, following } = muted.body;
  assert.deepEqual([muting, muting_notifications, muting_expires_at, following], [true, true, null, true]);
  assert.deepEqual((await homeOf(ann)).sort(), [own, cleos].sort(), 'nor who mentions them');
  const shown = await publicFor(ann);
  assert.deepEqual([shown.includes(bens), shown.includes(cleos)], [false, true]);
  assert.deepEqual(await thread(), []);
  assert.equal((await ann.get(`/api/v1/statuses/${bens}`)).status, 200, 'it is still there for who asks for it');
  assert.ok(ids((await ann.get(`/api/v1/accounts/${ben.id}/statuses`)).body).includes(bens));
  assert.equal((await relationship(ben, ann)).muting, false, 'they do not know');
  assert.equal((await ann.post(`/api/v1/accounts/${ben.id}/unmute`)).body.muting, false);
  assert.ok((await homeOf(ann)).includes(bens));
  assert.ok((await publicFor(ann)).includes(bens));
  assert.deepEqual(await thread(), [answer]);
});

test('notifications from a muted account are dropped, unless the mute excludes them', async () => {
  const [dan, eve] = [await server.person('dan'), await server.person('eve')];
  const told = async () =>
    (await dan.get('/api/v1/notifications?types[]=mention')).body.map(
      (one: { status: { id: string } }) => one.status.id,
    );
  const first = await eve.says('@dan one');
  await until('the first mention', async () => (await told()).includes(first) || undefined, WAIT_MS);
  const loud = await dan.post(`/api/v1/accounts/${eve.id}/mute`, { notifications: false });
  assert.deepEqual([loud.body.muting, loud.body.muting_notifications], [true, false]);
  const second = await eve.says('@dan two');
  await until('the second mention', async () => (await told()).includes(second) || undefined, WAIT_MS);
  await dan.post(`/api/v1/accounts/${eve.id}/mute`);
  assert.deepEqual(await told(), [], 'what came before is hidden');
  await eve.says('@dan three');
  const other = await server.person('other');
  await other.says('@dan from another');
  await until('another’s mention', async () => (await told()).length === 1 || undefined, WAIT_MS);
  await dan.post(`/api/v1/accounts/${eve.id}/unmute`);
  assert.deepEqual((await told()).slice(1), [second, first], 'what came meanwhile was dropped');
});

test('a mute with a duration states its end, and ends', async () => {
  const [finn, gus] = [await server.person('finn'), await server.person('gus')];
  await finn.follows(gus);
  const status = await gus.says('soon again');
  const before = Date.now();
  const { body } = await finn.post(`/api/v1/accounts/${gus.id}/mute`, { duration: 1 });
  const endMs = Date.parse(body.muting_expires_at);
  assert.ok(endMs >= before + 1_000 && endMs <= Date.now() + 1_000, body.muting_expires_at);
  const [listed] = (await finn.get('/api/v1/mutes')).body;
  if (Date.now() < endMs) assert.equal(listed?.mute_expires_at, body.muting_expires_at);
  await until('the status is back', async () => (await homeOf(finn)).includes(status) || undefined, WAIT_MS);
  assert.ok(Date.now() >= endMs);
  assert.deepEqual((await finn.get('/api/v1/mutes')).body, []);
  assert.equal((await relationship(finn, gus)).muting, false);
});

test('a stream sends nothing by a muted account from the answer on, and again after the mute ends', async () => {
  const [hal, ivy, jan] = [await server.person('hal'), await server.person('ivy'), await server.person('jan')];
  for (const other of [ivy, jan]) await hal.follows(other);
  for (const name of ['user', 'public']) {
    const stream = await EventStream.open(server, name, hal.token);
    const arrives = (id: string) =>
      until(`${id} in ${name}`, () => stream.updates().includes(id) || undefined, WAIT_MS);
    const probed = async () => (await jan.says('probe')) !== '' && stream.updates().length > 0;
    await until('the stream is open', async () => (await probed()) || undefined, WAIT_MS);
    await hal.post(`/api/v1/accounts/${ivy.id}/mute`);
    const hidden = await ivy.says('hidden');
    await jan.post(`/api/v1/statuses/${hidden}/reblog`);
    await arrives(await jan.says('shown'));
    assert.ok(!JSON.stringify(stream.events).includes(hidden), name);
    await hal.post(`/api/v1/accounts/${ivy.id}/unmute`);
    await arrives(await ivy.says('again'));
    await jan.post(`/api/v1/statuses/${hidden}/unreblog`);
    await stream.close();
  }
});

test('mutes and blocks are listed for their owner, newest first, paged by Link', async () => {
  const kim = await server.person('kim');
  const people: string[] = [];
  for (let n = 0; n < 5; n++) people.unshift((await server.person(`p${n}`)).id);
  for (const verb of ['mute', 'block']) {
    for (const id of [...people].reverse())
      assert.equal((await kim.post(`/api/v1/accounts/${id}/${verb}`)).status, 200);
  }
  const lists = ['/api/v1/mutes', '/api/v1/blocks'];
  for (const list of lists) {
    const found: string[] = [];
    let last = '';
    for (let path: string | undefined = `${list}?limit=2`; path !== undefined; ) {
      const page = await kim.get(path);
      found.push(...ids(page.body));
      last = linkTo(page, 'prev') ?? last;
      path = linkTo(page, 'next');
    }
    assert.deepEqual(found, people, list);
    assert.deepEqual(ids((await kim.get(last)).body), people.slice(2, 4), 'and up again');
    assert.equal((await server.get(list)).status, 401);
    const narrow = await server.token(kim.id, ['read:statuses']);
    assert.equal((await server.ask('GET', list, undefined, narrow)).status, 403);
  }
  const [muted] = (await kim.get('/api/v1/mutes?limit=1')).body;
  assert.equal(muted.mute_expires_at, null);
  const [blocked] = (await kim.get('/api/v1/blocks?limit=1')).body;
  assert.equal('mute_expires_at' in blocked, false);
  await kim.post(`/api/v1/accounts/${people[0]}/unblock`);
  assert.deepEqual(ids((await kim.get('/api/v1/blocks')).body), people.slice(1));
});

test('a mute of oneself, a missing account, a malformed duration or without a token is refused', async () => {
  const [lea, max] = [await server.person('lea'), await server.person('max')];
  assert.equal((await lea.post(`/api/v1/accounts/${lea.id}/mute`)).status, 403);
  for (const verb of ['mute', 'unmute']) {
    assert.equal((await lea.post(`/api/v1/accounts/1/${verb}`)).status, 404);
    assert.equal((await server.ask('POST', `/api/v1/accounts/${max.id}/${verb}`)).status, 401);
  }
  for (const duration of [-1, 'soon', 1.5, 1e12]) {
    assert.equal((await lea.post(`/api/v1/accounts/${max.id}/mute`, { duration })).status, 422, String(duration));
  }
  assert.equal((await relationship(lea, max)).muting, false);
});
