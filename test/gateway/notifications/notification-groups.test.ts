import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const ARRIVAL_MS_MAX = 10_000;
const SAMPLE_MAX = 8;
const FANS = 10;
const STATUSES = 5;
/** Requests for each page: the first reads the rows, the second caches the page, and later ones find it. */
const TURNS = 4;

interface Told {
  readonly id: string;
  readonly type: string;
  readonly group_key: string;
  readonly account: { readonly id: string };
  readonly status?: { readonly id: string };
}
interface Page {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  readonly upwards?: boolean;
  readonly grouped?: readonly string[];
  readonly types?: readonly string[];
}

let server: TestServer;
let alice: Person;
let fans: Person[];
let statuses: string[];
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  fans = [];
  for (let n = 0; n < FANS; n++) fans.push(await server.person(`fan${n}`));
  statuses = [];
  for (let n = 0; n < STATUSES; n++) statuses.push(await alice.says(`number ${n}`));
});
after(() => server.stop());

const all = async (): Promise<Told[]> => {
  const upper = (await alice.get('/api/v1/notifications?limit=80')).body as Told[];
  if (upper.length === 0) return [];
  const rest = (await alice.get(`/api/v1/notifications?limit=80&max_id=${upper.at(-1)?.id}`)).body as Told[];
  return [...upper, ...rest];
};

/** Computes a page of groups from single notifications, one row after the other, by the documentation of Mastodon. */
function pageOf(rows: readonly Told[], { limit, before, after, upwards, grouped, types }: Page) {
  const keyOf = ({ id, type, group_key: key }: Told) =>
    grouped !== undefined && !grouped.includes(type) ? `ungrouped-${id}` : key;
  const wanted = rows.filter(({ type }) => types === undefined || types.includes(type));
  const inside = wanted.filter(
    ({ id }) => (before === undefined || id < before) && (after === undefined || id > after),
  );
  const groups = new Map<string, Told[]>();
  let lowest = '';
  for (const row of upwards ? inside.reverse() : inside) {
    const members = groups.get(keyOf(row));
    if (members === undefined && groups.size === limit) break;
    if (members === undefined) groups.set(keyOf(row), [row]);
    else if (upwards) members.unshift(row);
    else members.push(row);
    if (lowest === '' || !upwards) lowest = row.id;
  }
  const items = Array.from(groups, ([key, members]) => {
    const older = wanted.filter((row) => row.id < lowest && keyOf(row) === key);
    const people = new Set([...members, ...older].map(({ account }) => account.id));
    const [newest] = members as [Told];
    return {
      group_key: key,
      notifications_count: members.length + older.length,
      type: newest.type,
      page_min_id: members.at(-1)?.id,
      page_max_id: newest.id,
      sample_account_ids: [...people].slice(0, SAMPLE_MAX),
      status_id: newest.status?.id,
    };
  });
  return items.sort((a, b) => (a.page_max_id < b.page_max_id ? 1 : -1));
}

async function groupsOf({ limit, before, after, upwards, grouped, types }: Page) {
  const query = new URLSearchParams({ limit: String(limit) });
  if (before !== undefined) query.set('max_id', before);
  if (after !== undefined) query.set(upwards ? 'min_id' : 'since_id', after);
  for (const type of grouped ?? []) query.append('grouped_types[]', type);
  for (const type of types ?? []) query.append('types[]', type);
  const { body } = await alice.get(`/api/v2/notifications?${query}`);
  return body.notification_groups.map((group: Record<string, unknown>) => {
    const { group_key, notifications_count, type, page_min_id, page_max_id, sample_account_ids, status_id } = group;
    return { group_key, notifications_count, type, page_min_id, page_max_id, sample_account_ids, status_id };
  });
}

async function compare(what: string): Promise<number> {
  const rows = await all();
  const ids = rows.map(({ id }) => id);
  const bounds = [undefined, ids[4], ids[30], ids.at(-1)];
  const choices = [{}, { grouped: ['follow', 'reblog'] }, { types: ['favourite', 'mention'] }];
  let asked = 0;
  for (const limit of [1, 2, 4, 40]) {
    for (const bound of bounds) {
      const ends = [{ before: bound }, { after: bound }, { after: bound, before: ids[2] }];
      for (const end of bound === undefined ? [{}] : [...ends, { after: bound, upwards: true }]) {
        const page = { limit, ...end, ...choices[asked++ % choices.length] } as Page;
        assert.deepEqual(await groupsOf(page), pageOf(rows, page), `${what}: ${JSON.stringify(page)}`);
      }
    }
  }
  // First pages are cached, so each is requested until it is found in the cache.
  for (const choice of choices) {
    for (let turn = 0; turn < TURNS; turn++) {
      const page = { limit: 4, ...choice };
      assert.deepEqual(await groupsOf(page), pageOf(rows, page), `${what}, turn ${turn}: ${JSON.stringify(page)}`);
    }
  }
  return rows.length;
}

/** Returns true if the first page of four groups is cached. */
const isKept = () => server.node.services.pages.others.groupPages.peek(`${alice.id} 4`) !== undefined;

test('pages of groups equal the single notifications, even if the viewer may no longer see some of them', async () => {
  const acts: (() => Promise<unknown>)[] = [];
  for (const [n, fan] of fans.entries()) {
    for (const status of statuses) acts.push(() => fan.post(`/api/v1/statuses/${status}/favourite`));
    for (const status of statuses.slice(0, n % 3)) acts.push(() => fan.post(`/api/v1/statuses/${status}/reblog`));
    acts.push(() => fan.says(`@alice hello ${n}`));
    if (n % 2 === 0) acts.push(() => fan.follows(alice));
  }
  // Each step takes an act far from the previous one. All acts are taken once, because both numbers have no common
  // divisor.
  const step = [37, 41, 43].find((prime) => acts.length % prime !== 0) ?? 1;
  for (let n = 0; n < acts.length; n++) await acts[(n * step) % acts.length]?.();
  await until('all', async () => ((await all()).length === acts.length ? true : undefined), ARRIVAL_MS_MAX);
  assert.equal(await compare('at first'), acts.length);
  assert.ok(isKept());

  const [foe, loud, dull] = [fans[0] as Person, fans[3] as Person, fans[4] as Person];
  const counts = [acts.length];
  const then = async (what: string, act: () => Promise<unknown>) => {
    await act();
    counts.push(await compare(what));
  };
  const isMore = () => (counts.at(-1) ?? 0) > (counts.at(-2) ?? 0);
  const moderate = (action: string) =>
    server.node.services.askAccount(dull.id, 'moderate', { action, by: '', text: '', mail: false });
  await then('dismissed', async () => {
    const [newest] = await groupsOf({ limit: 1, types: ['favourite'] });
    await alice.post(`/api/v1/notifications/${newest?.page_max_id}/dismiss`);
  });
  await then('deleted', () => alice.remove(`/api/v1/statuses/${statuses[1]}`));
  assert.ok(isKept());
  await then('muted', () => alice.post(`/api/v1/accounts/${loud.id}/mute`));
  await then('suspended', () => moderate('suspend'));
  await then('blocked', () => alice.post(`/api/v1/accounts/${foe.id}/block`));
  for (const [index, count] of counts.entries())
    if (index > 0) assert.ok(count < (counts[index - 1] ?? 0), `${counts}`);
  await then('heard again', () => alice.post(`/api/v1/accounts/${loud.id}/unmute`));
  assert.ok(isMore(), `${counts}`);
  await then('not suspended any more', () => moderate('unsuspend'));
  assert.ok(isMore(), `${counts}`);
  await then('one more', async () => {
    const before = counts.at(-1) ?? 0;
    await fans[1]?.says('@alice once more');
    await until('it', async () => ((await all()).length > before ? true : undefined), ARRIVAL_MS_MAX);
  });
  assert.ok(isMore(), `${counts}`);
  await then('a filter hides it', () =>
    alice.post('/api/v2/filters', {
      title: 'no more',
      context: ['notifications'],
      filter_action: 'hide',
      keywords_attributes: [{ keyword: 'once more', whole_word: true }],
    }),
  );
  assert.ok(!isMore(), `${counts}`);
  await then('unblocked', () => alice.post(`/api/v1/accounts/${foe.id}/unblock`));
  assert.equal((await alice.post('/api/v1/notifications/clear')).status, 200);
  assert.equal(await compare('cleared'), 0);
});
