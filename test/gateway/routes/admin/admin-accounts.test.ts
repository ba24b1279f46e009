import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { OwnTime } from '../../../kit/time/own-time.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let mod: Person;
let admin: Person;
before(async () => {
  server = await TestServer.start();
  mod = await server.staff('mod', 'moderator');
  admin = await server.staff('chief', 'admin');
});
after(() => server?.stop());

const act = (who: Person, type: string, more: object = {}) =>
  mod.post(`/api/v1/admin/accounts/${who.id}/action`, { type, ...more });
const undo = (who: Person, verb: string) => mod.post(`/api/v1/admin/accounts/${who.id}/${verb}`);

test('a suspended account is empty to others, its statuses, tokens and streams end, and everything comes back', async () => {
  const [eve, ben] = [await server.person('eve'), await server.person('ben')];
  await eve.post('/api/v1/accounts/update_credentials');
  await ben.follows(eve);
  await eve.follows(ben);
  const id = await eve.says('hello #birds');
  const stream = await EventStream.open(server, 'user', eve.token);
  assert.equal((await act(eve, 'suspend', { text: 'spam' })).status, 200);
  const time = new OwnTime();
  await until('the stream to end', async () => stream.ended || undefined, 5_000);
  assert.ok(time.stop() < 1_000);
  assert.equal((await eve.get('/api/v1/accounts/verify_credentials')).status, 403);
  await assert.rejects(EventStream.open(server, 'user', eve.token));
  const shown = (await ben.get(`/api/v1/accounts/${eve.id}`)).body;
  assert.deepEqual(
    [shown.suspended, shown.display_name, shown.note, shown.fields, shown.statuses_count, shown.followers_count],
    [true, '', '', [], 0, 0],
  );
  const nowhere = async () => {
    for (const path of [`/api/v1/statuses/${id}`, `/api/v1/statuses/${id}/context`])
      assert.equal((await ben.get(path)).status, 404, path);
    for (const path of [
      `/api/v1/accounts/${eve.id}/statuses`,
      '/api/v1/timelines/home',
      '/api/v1/timelines/public',
      '/api/v1/timelines/tag/birds',
      `/api/v1/statuses?id[]=${id}`,
    ])
      assert.ok(!(await ben.get(path)).body.some((one: { id: string }) => one.id === id), path);
    assert.equal((await server.get(`/api/v1/statuses/${id}`)).status, 404);
  };
  await nowhere();
  assert.deepEqual((await ben.get(`/api/v1/accounts/${eve.id}/followers`)).body, []);
  const [relation] = (await ben.get(`/api/v1/accounts/relationships?id[]=${eve.id}`)).body;
  assert.equal(relation.following, true, 'relationships are not filtered');
  assert.equal((await mod.get(`/api/v1/admin/accounts/${eve.id}`)).body.suspended, true);
  assert.equal((await undo(eve, 'unsuspend')).body.suspended, false);
  assert.equal((await ben.get(`/api/v1/statuses/${id}`)).status, 200);
  assert.equal((await ben.get(`/api/v1/accounts/${eve.id}`)).body.suspended, undefined);
  assert.equal((await eve.get('/api/v1/timelines/home')).status, 200);
});

test('a silenced account appears in public timelines to its followers only, and is marked', async () => {
  const [loud, fan, stranger] = [
    await server.person('loud'),
    await server.person('fan'),
    await server.person('stranger'),
  ];
  await fan.follows(loud);
  const id = await loud.says('HELLO #noise');
  assert.equal((await act(loud, 'silence')).status, 200);
  const sees = async (who: Person, path: string) =>
    (await who.get(path)).body.some((one: { id: string }) => one.id === id);
  for (const path of ['/api/v1/timelines/public', '/api/v1/timelines/tag/noise']) {
    assert.deepEqual([await sees(fan, path), await sees(stranger, path), await sees(loud, path)], [true, false, true]);
  }
  assert.equal((await stranger.get(`/api/v1/statuses/${id}`)).status, 200);
  assert.equal((await stranger.get(`/api/v1/accounts/${loud.id}`)).body.limited, true);
  await undo(loud, 'unsilence');
  assert.equal(await sees(stranger, '/api/v1/timelines/public'), true);
});

test('statuses of a sensitized account are marked, and a disabled account can do nothing until it is enabled', async () => {
  const eva = await server.person('eva');
  const id = await eva.says('look');
  await act(eva, 'sensitive');
  assert.equal((await server.get(`/api/v1/statuses/${id}`)).body.sensitive, true);
  assert.equal((await undo(eva, 'unsensitive')).body.sensitized, false);
  assert.equal((await server.get(`/api/v1/statuses/${id}`)).body.sensitive, false);
  await act(eva, 'disable');
  assert.equal((await eva.get('/api/v1/timelines/home')).status, 403);
  assert.equal((await undo(eva, 'enable')).body.disabled, false);
  assert.equal((await eva.get('/api/v1/timelines/home')).status, 200);
});

test('a warning reaches its account', async () => {
  const walt = await server.person('walt');
  assert.equal((await act(walt, 'none', { text: 'Please be kind' })).status, 200);
  const told = await until(
    'the warning',
    async () => (await walt.get('/api/v1/notifications?types[]=moderation_warning')).body[0]?.moderation_warning,
    5_000,
  );
  assert.deepEqual([told.action, told.text], ['none', 'Please be kind']);
});

test('lists of accounts are filtered and paged', async () => {
  const names = ['list_a', 'list_b', 'list_c'];
  const made: Person[] = [];
  for (const name of names) made.push(await server.person(name));
  await act(made[1] as Person, 'silence');
  const list = async (path: string) =>
    (await mod.get(path)).body.map((one: { username: string }) => one.username) as string[];
  assert.deepEqual(await list('/api/v1/admin/accounts?username=list_'), ['list_c', 'list_b', 'list_a']);
  assert.deepEqual(await list('/api/v1/admin/accounts?username=list_&silenced=true'), ['list_b']);
  assert.deepEqual(await list('/api/v2/admin/accounts?username=list_&status=silenced'), ['list_b']);
  assert.deepEqual(await list(`/api/v2/admin/accounts?username=list_&max_id=${made[2]?.id}`), ['list_b', 'list_a']);
  assert.deepEqual((await list('/api/v2/admin/accounts?permissions=staff')).sort(), ['chief', 'mod']);
  assert.deepEqual((await list('/api/v2/admin/accounts?role_ids[]=1')).sort(), ['mod']);
  assert.deepEqual(await list('/api/v1/admin/accounts?email=list_c@'), ['list_c']);
  assert.deepEqual(await list('/api/v1/admin/accounts?remote=true'), []);
});

test('nobody moderates an account of equal rank, without a role, or a missing account', async () => {
  const plain = await server.staff('plain', 'user');
  assert.equal((await act(admin, 'suspend')).status, 403);
  assert.equal((await act(mod, 'suspend')).status, 403);
  assert.equal((await plain.post(`/api/v1/admin/accounts/${mod.id}/action`, { type: 'none' })).status, 403);
  assert.equal((await mod.post('/api/v1/admin/accounts/1/action', { type: 'none' })).status, 404);
  assert.equal((await act(plain, 'behead')).status, 422);
  const unknown = { type: 'suspend', report_id: '1' };
  assert.equal((await mod.post(`/api/v1/admin/accounts/${plain.id}/action`, unknown)).status, 404);
  const still = (await mod.get(`/api/v1/admin/accounts/${plain.id}`)).body;
  assert.equal(still.suspended, false, 'nothing is decided for a report that is not there');
  const other = await server.person('other');
  assert.equal((await undo(other, 'reject')).status, 403);
  assert.equal((await undo(other, 'approve')).status, 200);
  assert.equal((await mod.remove(`/api/v1/admin/accounts/${other.id}`)).status, 403, 'moderators delete nobody');
  assert.equal((await admin.remove(`/api/v1/admin/accounts/${other.id}`)).status, 403, 'only once suspended');
  await act(other, 'suspend');
  assert.equal((await admin.remove(`/api/v1/admin/accounts/${other.id}`)).status, 200);
  assert.equal((await undo(other, 'unsuspend')).status, 403);
});
