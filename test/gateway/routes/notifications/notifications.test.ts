import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
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
const types = (list: { type: string }[]) => list.map((item) => item.type);

test('actions of others are notified, filtered by type and account, paged, and cleared', async () => {
  const status = await alice.says('hello');
  await bob.follows(alice);
  await bob.post(`/api/v1/statuses/${status}/favourite`);
  await carol.post(`/api/v1/statuses/${status}/reblog`);
  await carol.says('@alice hi');
  const all = await until(
    'four notifications',
    async () => {
      const answer = await alice.get('/api/v1/notifications');
      return answer.body.length === 4 ? answer : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  assert.deepEqual(types(all.body).sort(), ['favourite', 'follow', 'mention', 'reblog']);
  const favourite = all.body.find((item: { type: string }) => item.type === 'favourite');
  assert.deepEqual([favourite.account.id, favourite.status.id], [bob.id, status]);
  assert.equal(all.body.find((item: { type: string }) => item.type === 'follow').status, undefined);
  const chosen = async (query: string) => types((await alice.get(`/api/v1/notifications?${query}`)).body).sort();
  assert.deepEqual(await chosen('types[]=follow&types[]=mention'), ['follow', 'mention']);
  assert.deepEqual(await chosen('exclude_types[]=follow'), ['favourite', 'mention', 'reblog']);
  assert.deepEqual(await chosen(`account_id=${carol.id}`), ['mention', 'reblog']);
  const first = await alice.get('/api/v1/notifications?limit=3');
  const second = await alice.get(linkTo(first, 'next') ?? '');
  assert.deepEqual([...first.body, ...second.body], all.body);
  const { id } = favourite;
  assert.deepEqual((await alice.get(`/api/v1/notifications/${id}`)).body, favourite);
  assert.equal((await bob.get(`/api/v1/notifications/${id}`)).status, 404);
  assert.equal((await bob.post(`/api/v1/notifications/${id}/dismiss`)).status, 404);
  assert.equal((await alice.get(`/api/v1/notifications/${id}`)).status, 200, 'other people’s are not dismissed');
  assert.deepEqual((await alice.post(`/api/v1/notifications/${id}/dismiss`)).body, {});
  await until(
    'the dismissed one is gone',
    async () => ((await alice.get(`/api/v1/notifications/${id}`)).status === 404 ? true : undefined),
    ARRIVAL_MS_MAX,
  );
  assert.deepEqual((await alice.post('/api/v1/notifications/clear')).body, {});
  await until(
    'all are gone',
    async () => ((await alice.get('/api/v1/notifications')).body.length === 0 ? true : undefined),
    ARRIVAL_MS_MAX,
  );
});

test('an undone action leaves lists, counts and groups; a repeated one is notified again', async () => {
  const [gina, hugo, ines] = await Promise.all(['gina', 'hugo', 'ines'].map((name) => server.person(name)));
  assert.ok(gina && hugo && ines);
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { locked: true }, gina.token);
  const status = await gina.says('look');
  const at = (verb: string) => `/api/v1/statuses/${status}/${verb}`;
  const told = (...wanted: string[]) =>
    until(
      `${wanted}`,
      async () => {
        const { body } = await gina.get('/api/v1/notifications');
        return `${types(body).sort()}` === `${wanted}` ? true : undefined;
      },
      ARRIVAL_MS_MAX,
    );
  for (const person of [hugo, ines]) {
    await person.post(at('favourite'));
    await person.post(at('reblog'));
    await person.post(`/api/v1/accounts/${gina.id}/follow`);
  }
  await told('favourite', 'favourite', 'follow_request', 'follow_request', 'reblog', 'reblog');
  const unread = async (version: number) => (await gina.get(`/api/v${version}/notifications/unread_count`)).body.count;
  assert.deepEqual([await unread(1), await unread(2)], [6, 4]);
  await hugo.post(at('unfavourite'));
  await told('favourite', 'follow_request', 'follow_request', 'reblog', 'reblog');
  await hugo.post(at('unreblog'));
  await hugo.post(`/api/v1/accounts/${gina.id}/unfollow`);
  await told('favourite', 'follow_request', 'reblog');
  assert.deepEqual([await unread(1), await unread(2)], [3, 3]);
  const groups = (await gina.get('/api/v2/notifications')).body.notification_groups;
  for (const group of groups)
    assert.deepEqual([group.notifications_count, group.sample_account_ids], [1, [ines.id]], group.type);
  await gina.post(`/api/v1/follow_requests/${ines.id}/authorize`);
  await told('favourite', 'follow', 'reblog');
  await hugo.post(at('favourite'));
  await told('favourite', 'favourite', 'follow', 'reblog');
  await gina.remove(`/api/v1/statuses/${status}`);
  await told('follow');
  await ines.post(`/api/v1/accounts/${gina.id}/unfollow`);
  await told();
  assert.deepEqual([await unread(1), await unread(2)], [0, 0]);
});

test('notifications from blocked accounts, and about deleted statuses, are hidden', async () => {
  const [dora, erin] = [await server.person('dora'), await server.person('erin')];
  await erin.says('@dora one');
  const gone = await erin.says('@dora two');
  const count = async (wanted: number) =>
    until(
      `${wanted} notifications`,
      async () => ((await dora.get('/api/v1/notifications')).body.length === wanted ? true : undefined),
      ARRIVAL_MS_MAX,
    );
  await count(2);
  await erin.remove(`/api/v1/statuses/${gone}`);
  await count(1);
  await dora.post(`/api/v1/accounts/${erin.id}/block`);
  await count(0);
});

test('a follow limited to languages notifies of no statuses in others', async () => {
  const [reader, polyglot] = [await server.person('reader'), await server.person('polyglot')];
  await reader.post(`/api/v1/accounts/${polyglot.id}/follow`, { notify: true, languages: ['de'] });
  await polyglot.says('in English', { language: 'en' });
  const german = await polyglot.says('auf Deutsch', { language: 'de' });
  const told = async () =>
    (await reader.get('/api/v1/notifications?types[]=status')).body.map(
      (one: { status: { id: string } }) => one.status.id,
    );
  await until('the German one', async () => (await told()).includes(german) || undefined, ARRIVAL_MS_MAX);
  assert.deepEqual(await told(), [german]);
  await reader.post(`/api/v1/accounts/${polyglot.id}/follow`, { languages: [] });
  assert.equal((await told()).length, 2);
});

test('a conversation with an account that the viewer blocks, or mutes with notifications, causes no notification', async () => {
  const [nora, pest, friend] = [
    await server.person('nora'),
    await server.person('pest'),
    await server.person('friend'),
  ];
  const statuses = async (path: string) =>
    (await nora.get(path)).body.map((one: { status?: { id: string } }) => one.status?.id);
  const told = () => statuses('/api/v1/notifications?types[]=mention');
  const both = await friend.says('@nora @pest hello to both');
  const answer = await friend.says('@nora as I said', { in_reply_to_id: await pest.says('something') });
  const alone = await friend.says('@nora and you');
  await until('all three', async () => (await told()).length === 3 || undefined, ARRIVAL_MS_MAX);
  await nora.post(`/api/v1/accounts/${pest.id}/mute`, { notifications: false });
  assert.deepEqual(await told(), [alone, answer, both]);
  for (const verb of ['mute', 'block']) {
    await nora.post(`/api/v1/accounts/${pest.id}/${verb}`);
    assert.deepEqual(await told(), [alone], verb);
    assert.equal((await nora.get('/api/v1/notifications/unread_count')).body.count, 1);
    assert.equal((await nora.get('/api/v2/notifications')).body.notification_groups.length, 1);
    await nora.post(`/api/v1/accounts/${pest.id}/un${verb}`);
  }
  assert.deepEqual(await told(), [alone, answer, both]);
});

test('notifications need a user with the scope', async () => {
  assert.equal((await server.get('/api/v1/notifications')).status, 401);
  const token = await server.token(alice.id, ['read:statuses']);
  assert.equal((await server.ask('GET', '/api/v1/notifications', undefined, token)).status, 403);
  assert.equal((await alice.get('/api/v1/notifications/1')).status, 404);
  assert.equal((await alice.get('/api/v1/notifications/x')).status, 404);
});

test('followers who request it are notified of each status while they follow', async () => {
  const [fay, gus, hal] = [await server.person('fay'), await server.person('gus'), await server.person('hal')];
  await gus.post(`/api/v1/accounts/${fay.id}/follow`, { notify: true });
  await hal.follows(fay);
  await until(
    'the wish is known',
    async () => {
      const status = await fay.says('told');
      await fay.says('not told: a direct one', { visibility: 'direct' });
      const told = await gus.get('/api/v1/notifications?types[]=status');
      return told.body[0]?.status.id <= status ? told : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  const { body } = await gus.get('/api/v1/notifications?types[]=status');
  assert.deepEqual([body[0].type, body[0].account.id, body[0].status.visibility], ['status', fay.id, 'public']);
  assert.ok(body.every((one: { status: { visibility: string } }) => one.status.visibility === 'public'));
  assert.deepEqual((await hal.get('/api/v1/notifications?types[]=status')).body, []);
});

test('unread notifications are counted above the marker, by type and up to a limit', async () => {
  const ivy = await server.person('ivy');
  const unread = async (query = '') => (await ivy.get(`/api/v1/notifications/unread_count?${query}`)).body.count;
  assert.equal(await unread(), 0);
  for (let n = 0; n < 3; n++) await bob.says(`@ivy ${n}`);
  await bob.follows(ivy);
  const { body } = await until(
    'four notifications',
    async () => {
      const all = await ivy.get('/api/v1/notifications');
      return all.body.length === 4 ? all : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  assert.equal(await unread(), 4);
  assert.equal(await unread('limit=2'), 2);
  assert.equal(await unread('types[]=mention'), 3);
  await ivy.post('/api/v1/markers', { notifications: { last_read_id: body[1].id } });
  assert.equal(await unread(), 1);
  await ivy.post(`/api/v1/accounts/${bob.id}/block`);
  assert.equal(await unread(), 0, 'what is not shown is not counted');
});

test('a notification can be dismissed by the older route, too', async () => {
  const jan = await server.person('jan');
  await bob.follows(jan);
  const id = await until(
    'a follow',
    async () => (await jan.get('/api/v1/notifications')).body[0]?.id as string | undefined,
    ARRIVAL_MS_MAX,
  );
  assert.equal((await bob.post('/api/v1/notifications/dismiss', { id })).status, 404, 'not by others');
  assert.deepEqual((await jan.post('/api/v1/notifications/dismiss', { id })).body, {});
  assert.equal((await jan.get(`/api/v1/notifications/${id}`)).status, 404);
  assert.equal((await jan.post('/api/v1/notifications/dismiss', {})).status, 422);
});

test('notifications of reports go to moderators only; warnings and severed follows contain their details', async () => {
  const { services } = server.node;
  const mod = await services.newAccountId();
  const signUp = { passwordHash: '', confirmed: true, approved: true, locale: 'en' };
  const registered = { username: 'mo', email: 'mo@example.org', role: 'moderator', ...signUp };
  await services.askAccount(mod, 'register', registered);
  const token = await server.token(mod, ['read']);
  const report = {
    id: '9',
    target: carol.id,
    category: 'spam',
    comment: 'look',
    forwarded: false,
    createdAtMs: 0,
    statusIds: ['5'],
    ruleIds: [],
  };
  const warning = { id: '4', action: 'none', text: 'careful', statusIds: [], createdAtMs: 0 };
  const severance = {
    id: '3',
    type: 'domain_block',
    targetName: 'far.example',
    followers: 2,
    following: 1,
    createdAtMs: 0,
  };
  for (const id of [mod, carol.id]) {
    await services.askAccount(id, 'notify', { type: 'admin.report', from: bob.id, report });
    await services.askAccount(id, 'notify', { type: 'moderation_warning', from: id, warning });
    await services.askAccount(id, 'notify', { type: 'severed_relationships', from: id, severance });
  }
  const read = async (who: string) => {
    const query = 'types[]=admin.report&types[]=moderation_warning&types[]=severed_relationships';
    return (await server.ask('GET', `/api/v1/notifications?${query}`, undefined, who)).body;
  };
  const [severed, warned, reported] = await read(token);
  assert.deepEqual([reported.type, reported.account.id], ['admin.report', bob.id]);
  assert.equal(reported.report.target_account.id, carol.id);
  assert.deepEqual([reported.report.category, reported.report.status_ids], ['spam', ['5']]);
  assert.deepEqual([warned.moderation_warning.text, warned.moderation_warning.target_account.id], ['careful', mod]);
  assert.deepEqual(
    [severed.event.target_name, severed.event.followers_count, severed.event.purged],
    ['far.example', 2, false],
  );
  assert.deepEqual(types(await read(carol.token)), ['severed_relationships', 'moderation_warning']);
});

test('a moderator is notified of a report by an account that they block, in the stream as in the list', async () => {
  const [judy, ivan] = [await server.staff('judy', 'moderator'), await server.person('ivan')];
  await judy.post(`/api/v1/accounts/${ivan.id}/block`);
  const stream = await EventStream.open(server, 'user', judy.token);
  assert.equal((await ivan.post('/api/v1/reports', { account_id: carol.id })).status, 200);
  const listed = async () => types((await judy.get('/api/v1/notifications')).body).includes('admin.report');
  await until('the list', async () => (await listed()) || undefined, ARRIVAL_MS_MAX);
  const streamed = () => stream.dataOf('notification').some((data) => JSON.parse(data).type === 'admin.report');
  await until('the stream', () => streamed() || undefined, ARRIVAL_MS_MAX);
  await stream.close();
});
