import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

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

/** Notifications are effects that follow the reply. */
const ARRIVAL_MS_MAX = 10_000;
const policyOf = async (who: Person) => (await who.get('/api/v2/notifications/policy')).body;
const setPolicy = (who: Person, body: object) => server.ask('PATCH', '/api/v2/notifications/policy', body, who.token);
/** Waits for the count and the list: the rows follow a moment later. */
const waiting = (who: Person, count: number) =>
  until(
    `${count} notifications that wait`,
    async () => {
      const { summary } = await policyOf(who);
      const all = await listed(who, 'include_filtered=true');
      return summary.pending_notifications_count === count && all.length >= count ? true : undefined;
    },
    ARRIVAL_MS_MAX,
  );
const listed = async (who: Person, query = '') => (await who.get(`/api/v1/notifications?${query}`)).body;

test('a policy has Mastodon’s defaults, and changes by field', async () => {
  const first = {
    for_not_following: 'accept',
    for_not_followers: 'accept',
    for_new_accounts: 'accept',
    for_private_mentions: 'filter',
    for_limited_accounts: 'filter',
  };
  const summary = { pending_requests_count: 0, pending_notifications_count: 0 };
  assert.deepEqual(await policyOf(carol), { ...first, summary });
  const changed = await setPolicy(carol, { for_not_following: 'drop' });
  assert.deepEqual(changed.body, { ...first, for_not_following: 'drop', summary });
  assert.equal((await setPolicy(carol, { for_new_accounts: 'burn' })).status, 422);
  await bob.follows(carol);
  await alice.says('@carol hello');
  await setPolicy(carol, { for_not_following: 'accept' });
  await alice.says('@carol again');
  await until(
    'what is accepted again',
    async () => ((await listed(carol)).length === 1 ? true : undefined),
    ARRIVAL_MS_MAX,
  );
  assert.deepEqual((await listed(carol, 'include_filtered=true')).length, 1, 'what is dropped is nowhere');
});

test('a filtered notification waits as a request, and is merged after acceptance, with all later ones', async () => {
  await setPolicy(alice, { for_not_following: 'filter' });
  await bob.says('@alice one');
  const last = await bob.says('@alice two');
  await waiting(alice, 2);
  assert.deepEqual(await listed(alice), []);
  assert.equal((await listed(alice, 'include_filtered=true')).length, 2);
  assert.equal((await alice.get('/api/v1/notifications/unread_count')).body.count, 0);
  const { body } = await alice.get('/api/v1/notifications/requests');
  assert.deepEqual(
    [body.length, body[0].account.id, body[0].notifications_count, body[0].last_status.id],
    [1, bob.id, '2', last],
  );
  const { id } = body[0];
  assert.deepEqual((await alice.get(`/api/v1/notifications/requests/${id}`)).body, body[0]);
  for (const verb of ['accept', 'dismiss']) {
    assert.equal((await carol.post(`/api/v1/notifications/requests/${id}/${verb}`)).status, 404, 'other people’s');
    assert.equal((await alice.post(`/api/v1/notifications/requests/1/${verb}`)).status, 404);
  }
  assert.equal((await carol.get(`/api/v1/notifications/requests/${id}`)).status, 404);
  assert.deepEqual((await alice.post(`/api/v1/notifications/requests/${id}/accept`)).body, {});
  assert.deepEqual((await alice.get('/api/v1/notifications/requests/merged')).body, { merged: true });
  assert.equal((await listed(alice)).length, 2);
  assert.deepEqual((await alice.get('/api/v1/notifications/requests')).body, []);
  await bob.says('@alice three');
  await until('the next one', async () => ((await listed(alice)).length === 3 ? true : undefined), ARRIVAL_MS_MAX);
});

test('a dismissed request is gone; several are settled at once', async () => {
  const dora = await server.person('dora');
  await setPolicy(dora, { for_not_following: 'filter' });
  for (const person of [alice, bob, carol]) await person.says('@dora hello');
  await waiting(dora, 3);
  const requests: { id: string; account: { id: string } }[] = (await dora.get('/api/v1/notifications/requests')).body;
  const idOf = (person: Person) => requests.find(({ account }) => account.id === person.id)?.id ?? '';
  const first = await dora.get('/api/v1/notifications/requests?limit=2');
  assert.deepEqual(
    first.body.map(({ id }: { id: string }) => id),
    requests.slice(0, 2).map(({ id }) => id),
  );
  await dora.post(`/api/v1/notifications/requests/${idOf(alice)}/dismiss`);
  assert.equal((await listed(dora, 'include_filtered=true')).length, 2);
  await dora.post('/api/v1/notifications/requests/accept', { id: [idOf(bob)] });
  await dora.post('/api/v1/notifications/requests/dismiss', { id: [idOf(carol), '1'] });
  const left = await listed(dora, 'include_filtered=true');
  assert.deepEqual(
    left.map((one: { account: { id: string } }) => one.account.id),
    [bob.id],
  );
  const { summary } = await policyOf(dora);
  assert.deepEqual(summary, { pending_requests_count: 0, pending_notifications_count: 0 });
});

test('a stream of notifications announces when waiting ones were merged', async () => {
  const nora = await server.person('nora');
  await setPolicy(nora, { for_not_following: 'filter' });
  await nora.follows(carol);
  const stream = await EventStream.open(server, 'user/notification', nora.token);
  try {
    const heard = async () => (await carol.says('@nora probe')) !== '' && stream.events.length > 0;
    await until('the stream is open', async () => (await heard()) || undefined, ARRIVAL_MS_MAX);
    await bob.says('@nora hello');
    await waiting(nora, 1);
    const [{ id }] = (await nora.get('/api/v1/notifications/requests')).body;
    await nora.post(`/api/v1/notifications/requests/${id}/accept`);
    const merged = () => stream.events.find(({ event }) => event === 'notifications_merged');
    assert.equal((await until('merged', merged, ARRIVAL_MS_MAX)).data, '1');
  } finally {
    await stream.close();
  }
});

test('a private mention by a stranger waits, a reply to the viewer’s own status does not', async () => {
  const [erin, fay] = [await server.person('erin'), await server.person('fay')];
  await fay.says('@erin psst', { visibility: 'direct' });
  await waiting(erin, 1);
  const asked = await erin.says('@fay what?', { visibility: 'direct' });
  await fay.says('@erin this', { visibility: 'direct', in_reply_to_id: asked });
  const [told] = await until(
    'the answer',
    async () => {
      const all = await listed(erin);
      return all.length > 0 ? all : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  assert.match(told.status.content, /this/);
  assert.equal((await policyOf(erin)).summary.pending_notifications_count, 1);
  await erin.post(`/api/v1/accounts/${fay.id}/block`);
  assert.deepEqual((await erin.get('/api/v1/notifications/requests')).body, [], 'nor of somebody blocked');
});

test('an account that may reply may continue, and an uninvited one may not join in', async () => {
  const names = ['gunnar', 'hugo', 'ines'] as const;
  const [gil, hal, ivo] = await Promise.all(names.map((name) => server.person(name)));
  assert.ok(gil && hal && ivo);
  const direct = { visibility: 'direct' };
  const asked = await gil.says('@hugo what?', direct);
  const answer = await hal.says('@gunnar @ines this', { ...direct, in_reply_to_id: asked });
  const more = await hal.says('@gunnar and that', { ...direct, in_reply_to_id: answer });
  await ivo.says('@gunnar me too', { ...direct, in_reply_to_id: answer });
  await waiting(gil, 1);
  const told = (await listed(gil)).map((one: { status: { id: string } }) => one.status.id);
  assert.deepEqual(told, [more, answer]);
  const kept = (await gil.get('/api/v1/conversations')).body;
  assert.equal(kept[0].last_status.id, more);
  const [request] = (await gil.get('/api/v1/notifications/requests')).body;
  assert.equal(request.account.id, ivo.id);
});

test('notifications from a silenced account follow the policy of each stranger; followers get them', async () => {
  const [gus, hal, ida, jo] = await Promise.all(['gus', 'hal', 'ida', 'jo'].map((name) => server.person(name)));
  assert.ok(gus && hal && ida && jo);
  const loud = await server.person('loud');
  const mod = await server.staff('mo', 'admin');
  await hal.follows(loud);
  await setPolicy(ida, { for_limited_accounts: 'accept' });
  await setPolicy(jo, { for_limited_accounts: 'drop' });
  const early = await loud.says('@gus early');
  await until('the first', async () => ((await listed(gus)).length === 1 ? true : undefined), ARRIVAL_MS_MAX);
  assert.equal((await mod.post(`/api/v1/admin/accounts/${loud.id}/action`, { type: 'silence' })).status, 200);
  const said = await loud.says('@gus @hal @ida @jo hello');
  const own = await gus.says('mine');
  await loud.post(`/api/v1/statuses/${own}/favourite`);
  await loud.follows(gus);
  for (const who of [hal, ida])
    await until('it is told', async () => ((await listed(who)).length === 1 ? true : undefined), ARRIVAL_MS_MAX);
  await waiting(gus, 3);
  const told = (await listed(gus)).map((one: { status: { id: string } }) => one.status.id);
  assert.deepEqual(told, [early], 'what came before stays');
  assert.equal((await gus.get('/api/v1/notifications/unread_count')).body.count, 1);
  assert.equal((await gus.get('/api/v2/notifications/unread_count')).body.count, 1);
  const [request] = (await gus.get('/api/v1/notifications/requests')).body;
  assert.deepEqual([request.account.id, request.last_status.id], [loud.id, said]);
  assert.deepEqual(await listed(jo, 'include_filtered=true'), []);
  await gus.post(`/api/v1/notifications/requests/${request.id}/accept`);
  assert.equal((await listed(gus)).length, 4);
});

test('version 1 of the policy states for each rule if it filters, and changes the same rules', async () => {
  const old = await server.person('oldclient');
  const set = (body: object) => server.ask('PATCH', '/api/v1/notifications/policy', body, old.token);
  const { body } = await old.get('/api/v1/notifications/policy');
  assert.deepEqual(body, {
    filter_not_following: false,
    filter_not_followers: false,
    filter_new_accounts: false,
    filter_private_mentions: true,
    summary: { pending_requests_count: 0, pending_notifications_count: 0 },
  });
  const changed = await set({ filter_not_following: 'true', filter_private_mentions: false });
  assert.deepEqual(changed.body, { ...body, filter_not_following: true, filter_private_mentions: false });
  const { for_not_following, for_private_mentions, for_limited_accounts } = await policyOf(old);
  assert.deepEqual([for_not_following, for_private_mentions, for_limited_accounts], ['filter', 'accept', 'filter']);
  await setPolicy(old, { for_new_accounts: 'drop' });
  assert.equal((await old.get('/api/v1/notifications/policy')).body.filter_new_accounts, true);
  assert.equal((await set({ filter_not_following: 'perhaps' })).status, 422);
  assert.equal((await server.get('/api/v1/notifications/policy')).status, 401);
  const reader = await server.token(old.id, ['read:notifications']);
  assert.equal((await server.ask('PATCH', '/api/v1/notifications/policy', {}, reader)).status, 403);
});

test('policies and requests need a user with the scope', async () => {
  assert.equal((await server.get('/api/v2/notifications/policy')).status, 401);
  const token = await server.token(alice.id, ['read:notifications']);
  const refused = [
    await server.ask('PATCH', '/api/v2/notifications/policy', {}, token),
    await server.ask('POST', '/api/v1/notifications/requests/accept', { id: [] }, token),
    await server.ask('POST', '/api/v1/notifications/requests/1/dismiss', {}, token),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403],
  );
});

test('requests of a suspended account are hidden while it is', async () => {
  const [max, ned] = [await server.person('max'), await server.person('ned')];
  await ned.says('@max psst', { visibility: 'direct' });
  await waiting(max, 1);
  const requests = async () => (await max.get('/api/v1/notifications/requests')).body.length;
  assert.equal(await requests(), 1);
  const { services } = server.node;
  await services.askAccount(ned.id, 'moderate', { action: 'suspend', by: '', text: '', mail: false });
  await until('the suspension', async () => (await requests()) === 0 || undefined, ARRIVAL_MS_MAX);
  await services.askAccount(ned.id, 'moderate', { action: 'unsuspend', by: '', text: '', mail: false });
  await until('the end of it', async () => (await requests()) === 1 || undefined, ARRIVAL_MS_MAX);
});
