import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let alice: Person;
let fans: Person[];
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  fans = [];
  for (let n = 0; n < 10; n++) fans.push(await server.person(`fan${n}`));
});
after(() => server.stop());

/** Notifications are effects that follow the reply. */
const ARRIVAL_MS_MAX = 10_000;

interface Group {
  readonly group_key: string;
  readonly type: string;
  readonly notifications_count: number;
  readonly sample_account_ids: readonly string[];
  readonly status_id?: string;
  readonly page_min_id?: string;
  readonly page_max_id?: string;
}

const arrived = (who: Person, count: number) =>
  until(
    `${count} notifications`,
    async () => ((await who.get('/api/v1/notifications?limit=80')).body.length === count ? true : undefined),
    ARRIVAL_MS_MAX,
  );
const groupsOf = async (who: Person, query = ''): Promise<Group[]> =>
  (await who.get(`/api/v2/notifications?${query}`)).body.notification_groups;

test('favourites of one status, its reblogs and follows are separate groups; mentions stay alone', async () => {
  const status = await alice.says('liked');
  for (const fan of fans) await fan.post(`/api/v1/statuses/${status}/favourite`);
  for (const fan of fans.slice(0, 2)) await fan.follows(alice);
  await fans[3]?.post(`/api/v1/statuses/${status}/reblog`);
  await fans[4]?.says('@alice one');
  await fans[4]?.says('@alice two');
  await arrived(alice, 15);
  const { body } = await alice.get('/api/v2/notifications');
  const groups: Group[] = body.notification_groups;
  const counts = groups.map(({ type, notifications_count }) => `${type} ${notifications_count}`);
  assert.deepEqual(counts.sort(), ['favourite 10', 'follow 2', 'mention 1', 'mention 1', 'reblog 1']);
  const liked = groups.find(({ type }) => type === 'favourite');
  assert.deepEqual([liked?.status_id, liked?.sample_account_ids.length], [status, 8]);
  assert.ok(
    liked?.page_min_id !== undefined && liked.page_max_id !== undefined && liked.page_min_id < liked.page_max_id,
  );
  const known = new Set(body.accounts.map(({ id }: { id: string }) => id));
  assert.equal(known.size, body.accounts.length, 'each account once');
  for (const { sample_account_ids } of groups) for (const id of sample_account_ids) assert.ok(known.has(id));
  assert.equal(body.statuses.length, 3, 'each status once');
  assert.match(
    JSON.stringify((await alice.get('/api/v1/notifications')).body.map((one: Group) => one.group_key)),
    new RegExp(`"${liked?.group_key}"`),
  );
  assert.equal((await alice.get('/api/v2/notifications/unread_count')).body.count, 5);
  assert.equal((await alice.get('/api/v2/notifications/unread_count?grouped_types[]=follow')).body.count, 14);
});

test('the client chooses which types are grouped, included and shown in full', async () => {
  assert.equal((await groupsOf(alice, 'types[]=favourite')).length, 1);
  assert.equal((await groupsOf(alice, 'types[]=favourite&grouped_types[]=follow')).length, 10);
  assert.equal((await groupsOf(alice, 'exclude_types[]=favourite')).length, 4);
  const { body } = await alice.get('/api/v2/notifications?expand_accounts=partial_avatars');
  const whole = new Set(body.accounts.map(({ id }: { id: string }) => id));
  for (const { sample_account_ids } of body.notification_groups) assert.ok(whole.has(sample_account_ids[0]));
  assert.ok(body.partial_accounts.length > 0);
  for (const account of body.partial_accounts) {
    assert.ok(!whole.has(account.id));
    assert.deepEqual(Object.keys(account).sort(), ['acct', 'avatar', 'avatar_static', 'bot', 'id', 'locked', 'url']);
  }
  assert.equal((await alice.get('/api/v2/notifications?expand_accounts=all')).status, 422);
});

test('pages of groups continue downwards without a gap, and upwards again', async () => {
  const seen: string[] = [];
  let path: string | undefined = '/api/v2/notifications?limit=2';
  for (let pages = 0; path !== undefined && pages < 10; pages++) {
    const page = await alice.get(path);
    seen.push(...page.body.notification_groups.map(({ group_key }: Group) => group_key));
    path = linkTo(page, 'next');
  }
  assert.deepEqual([...new Set(seen)].sort(), (await groupsOf(alice)).map(({ group_key }) => group_key).sort());
  const first = await alice.get('/api/v2/notifications?limit=2');
  assert.deepEqual((await alice.get(linkTo(first, 'prev') ?? '')).body.notification_groups, []);
});

test('a group is shown, its accounts are listed in pages, and it is dismissed as a whole', async () => {
  const [liked] = await groupsOf(alice, 'types[]=favourite');
  const key = liked?.group_key ?? '';
  const one = (await alice.get(`/api/v2/notifications/${key}`)).body;
  assert.deepEqual([one.notification_groups.length, one.notification_groups[0].notifications_count], [1, 10]);
  const people = await alice.get(`/api/v2/notifications/${key}/accounts?limit=6`);
  const rest = await alice.get(linkTo(people, 'next') ?? '');
  const ids = [...people.body, ...rest.body].map(({ id }: { id: string }) => id);
  assert.deepEqual(ids.sort(), fans.map(({ id }) => id).sort());
  const [mention] = await groupsOf(alice, 'types[]=mention');
  assert.match(mention?.group_key ?? '', /^ungrouped-/);
  assert.equal((await alice.get(`/api/v2/notifications/${mention?.group_key}`)).body.statuses.length, 1);
  const other = fans[0] as Person;
  assert.equal((await other.get(`/api/v2/notifications/${key}`)).status, 404, 'other people have none of it');
  assert.equal((await other.post(`/api/v2/notifications/${key}/dismiss`)).status, 404);
  assert.deepEqual((await alice.post(`/api/v2/notifications/${key}/dismiss`)).body, {});
  assert.equal((await alice.get(`/api/v2/notifications/${key}`)).status, 404);
  assert.deepEqual(await groupsOf(alice, 'types[]=favourite'), []);
  for (const none of ['x', 'ungrouped-1', `favourite-1-${'9'.repeat(18)}`, 'follow-0'])
    assert.equal((await alice.get(`/api/v2/notifications/${none}`)).status, 404, none);
});

test('blocked accounts are not in a group', async () => {
  const [ivy, foe, friend] = [await server.person('ivy'), fans[8] as Person, fans[9] as Person];
  const status = await ivy.says('liked');
  for (const fan of [foe, friend]) await fan.post(`/api/v1/statuses/${status}/favourite`);
  await arrived(ivy, 2);
  await ivy.post(`/api/v1/accounts/${foe.id}/block`);
  const { body } = await ivy.get('/api/v2/notifications');
  assert.deepEqual(body.notification_groups[0].sample_account_ids, [friend.id]);
  assert.deepEqual(
    body.accounts.map(({ id }: { id: string }) => id),
    [friend.id],
  );
});

test('a group has its count and its accounts up to the page’s newest row, even if most of it is on later pages', async () => {
  const hana = await server.person('hana');
  const [status, another] = [await hana.says('liked'), await hana.says('liked, too')];
  const likes = async (fan: number, liked: string, count: number) => {
    await fans[fan]?.post(`/api/v1/statuses/${liked}/favourite`);
    await arrived(hana, count);
  };
  await likes(0, status, 1);
  await likes(1, status, 2);
  await fans[2]?.says('@hana hello');
  await arrived(hana, 3);
  await likes(3, another, 4);
  await likes(4, status, 5);
  const [one] = await groupsOf(hana, 'limit=1');
  assert.deepEqual([one?.status_id, one?.notifications_count, one?.page_min_id], [status, 3, one?.page_max_id]);
  assert.deepEqual(
    one?.sample_account_ids,
    [4, 1, 0].map((fan) => fans[fan]?.id),
  );
  const known = one?.page_max_id ?? '';
  await likes(5, status, 6);
  for (const bound of ['since_id', 'min_id']) {
    const groups = await groupsOf(hana, `${bound}=${known}`);
    assert.deepEqual(
      groups.map((group) => [group.notifications_count, group.sample_account_ids.length, group.page_min_id]),
      [[4, 4, groups[0]?.page_max_id]],
      bound,
    );
  }
  const [older] = await groupsOf(hana, `max_id=${known}&types[]=favourite&limit=40`);
  assert.deepEqual([older?.status_id, older?.notifications_count], [another, 1]);
  const [, below] = await groupsOf(hana, `max_id=${known}&types[]=favourite&limit=40`);
  assert.deepEqual([below?.status_id, below?.notifications_count], [status, 2], 'none that is newer than the page');
  await hana.post(`/api/v1/accounts/${fans[0]?.id}/block`);
  const [fewer] = await groupsOf(hana, `since_id=${known}`);
  assert.deepEqual([fewer?.notifications_count, fewer?.sample_account_ids.includes(fans[0]?.id ?? '')], [3, false]);
});

test('groups need a user with the scope', async () => {
  assert.equal((await server.get('/api/v2/notifications')).status, 401);
  const token = await server.token(alice.id, ['read:statuses']);
  for (const path of ['', '/unread_count', '/follow-1', '/follow-1/accounts'])
    assert.equal((await server.ask('GET', `/api/v2/notifications${path}`, undefined, token)).status, 403, path);
});
