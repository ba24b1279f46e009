import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tagId } from '../../../../actors/domain/text/tag-id.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';
import { until } from '../../../kit/time/until.js';

const DAY_MS = 86_400_000;
/** Trends and counts stay cached for longer if computing them takes long, as on a busy machine. */
const WAIT_MS = 60_000;
let server: TestServer;
let mod: Person;
let ada: Person;
let bob: Person;
/** Five days, of which today is the last. */
let period: { start_at: string; end_at: string };
before(async () => {
  await sameDayFor(60_000);
  server = await TestServer.start();
  mod = await server.staff('mod', 'moderator');
  [ada, bob] = await Promise.all([server.person('ada'), server.person('bob')]);
  const nowMs = Date.now();
  period = { start_at: new Date(nowMs - 4 * DAY_MS).toISOString(), end_at: new Date(nowMs).toISOString() };
  const said = await ada.says('the #match', { language: 'en' });
  await ada.says('der #match', { language: 'de' });
  await bob.says('le #match', { language: 'en' });
  await bob.says('mine too', { in_reply_to_id: said });
  await ada.says('to myself', { in_reply_to_id: said });
  await bob.post(`/api/v1/statuses/${said}/favourite`);
  await mod.post(`/api/v1/statuses/${said}/reblog`);
  await bob.post('/api/v1/reports', { account_id: ada.id, status_ids: [said] });
  const [report] = (await mod.get('/api/v1/admin/reports')).body;
  await bob.post('/api/v1/reports', { account_id: mod.id });
  await mod.post(`/api/v1/admin/reports/${report.id}/resolve`);
});
after(() => server?.stop());

const MEASURES = '/api/v1/admin/measures';
const DIMENSIONS = '/api/v1/admin/dimensions';
const RETENTION = '/api/v1/admin/retention';

test('measures count users, interactions and reports, by day and in total, beside the previous period', async () => {
  const keys = ['active_users', 'new_users', 'interactions', 'opened_reports', 'resolved_reports'];
  const { status, body } = await mod.post(MEASURES, { keys, ...period });
  assert.equal(status, 200, JSON.stringify(body));
  const totals = Object.fromEntries(body.map(({ key, total }: { key: string; total: string }) => [key, total]));
  assert.deepEqual(totals, {
    // A reblog counts as activity, too.
    active_users: '3',
    new_users: '3',
    interactions: '3',
    opened_reports: '2',
    resolved_reports: '1',
  });
  for (const { key, data, total, previous_total, unit } of body) {
    assert.deepEqual([data.length, data[4].value, previous_total, unit], [5, total, '0', null], key);
    assert.ok(data.slice(0, 4).every(({ value }: { value: string }) => value === '0'));
    assert.equal(data[0].date, `${period.start_at.slice(0, 10)}T00:00:00.000Z`);
  }
});

test('measures of a hashtag are found by its name, and by its id while it trends', async () => {
  const ask = (id: string) => {
    const of = { id };
    const keys = ['tag_uses', 'tag_accounts', 'tag_servers'];
    return mod.post(MEASURES, { keys, ...period, tag_uses: of, tag_accounts: of, tag_servers: of });
  };
  const totals = (body: { total: string }[]) => body.map(({ total }) => total);
  assert.deepEqual(totals((await ask('#Match')).body), ['3', '2', '1']);
  assert.deepEqual(totals((await ask('nobody')).body), ['0', '0', '0']);
  const byId = await until(
    'the trend',
    async () => {
      const answered = await ask(tagId('match'));
      return answered.status === 200 ? answered.body : undefined;
    },
    WAIT_MS,
  );
  assert.deepEqual(totals(byId), ['3', '2', '1']);
  assert.equal((await ask('123')).status, 404);
});

test('measures of other servers are empty; unknown ones, and those without a subject, are left out', async () => {
  const keys = ['instance_accounts', 'instance_media_attachments', 'instance_reports', 'tag_uses', 'weather'];
  const of = { domain: 'other.example' };
  const { body } = await mod.post(MEASURES, {
    keys: [...keys, ...keys],
    ...period,
    instance_accounts: of,
    instance_media_attachments: of,
  });
  assert.deepEqual(
    body.map(({ key, total, human_value: human }: Record<string, string>) => [key, total, human]),
    [
      ['instance_accounts', '0', undefined],
      ['instance_media_attachments', '0', '0 Bytes'],
    ],
  );
});

test('daily counts go back twelve weeks: only that part of a longer period is answered, and nothing of the future', async () => {
  const keys = ['new_users'];
  const [long] = (await mod.post(MEASURES, { keys, start_at: '2001-01-01', end_at: '2999-01-01' })).body;
  assert.deepEqual([long.data.length, long.total, long.previous_total], [84, '3', undefined]);
  const [future] = (await mod.post(MEASURES, { keys, start_at: '2998-01-01', end_at: '2999-01-01' })).body;
  assert.deepEqual([future.data, future.total], [[], '0']);
});

test('dimensions rank languages, sources, servers and versions', async () => {
  const keys = ['languages', 'sources', 'servers', 'space_usage', 'software_versions', 'tag_languages', 'tag_servers'];
  const of = { id: 'match' };
  const { body } = await mod.post(DIMENSIONS, { keys, ...period, tag_languages: of, tag_servers: of });
  const data = Object.fromEntries(body.map((one: { key: string; data: unknown }) => [one.key, one.data]));
  assert.deepEqual(data.languages, [{ key: 'en', human_key: 'English', value: '3' }]);
  assert.deepEqual(data.sources, [{ key: 'web', human_key: 'Website', value: '3' }]);
  assert.deepEqual(data.servers, [{ key: 'localhost', human_key: 'localhost', value: '6' }]);
  assert.deepEqual(data.space_usage, []);
  assert.equal(data.software_versions[0].key, 'murmuration');
  assert.deepEqual(data.tag_languages, [
    { key: 'en', human_key: 'English', value: '2' },
    { key: 'de', human_key: 'German', value: '1' },
  ]);
  assert.deepEqual(data.tag_servers, [{ key: 'localhost', human_key: 'localhost', value: '3' }]);
  const few = await mod.post(DIMENSIONS, { keys: ['tag_languages'], limit: 1, tag_languages: of });
  assert.deepEqual(few.body[0].data.length, 1);
});

test('retention counts the new accounts that came back, by day and by month', async () => {
  const days = (await mod.post(RETENTION, { ...period, frequency: 'day' })).body;
  assert.deepEqual(
    days.map(({ data }: { data: unknown[] }) => data.length),
    [5, 4, 3, 2, 1],
  );
  const today = `${period.end_at.slice(0, 10)}T00:00:00.000Z`;
  assert.deepEqual(days[4], { period: today, frequency: 'day', data: [{ date: today, rate: 1, value: '3' }] });
  assert.deepEqual(days[0].data[4], { date: today, rate: 0, value: '0' });
  const months = (await mod.post(RETENTION, { ...period, frequency: 'month' })).body;
  assert.equal(months.at(-1).data[0].value, '3');
  assert.equal(months.at(-1).period, `${period.end_at.slice(0, 7)}-01T00:00:00.000Z`);
  const long = (await mod.post(RETENTION, { start_at: '2001-01-01', end_at: '2999-01-01', frequency: 'day' })).body;
  assert.equal(long.length, 100);
});

test('malformed requests and unauthorised callers are refused', async () => {
  const curious = await server.staff('curious', 'user');
  const narrow = await server.token(mod.id, ['read', 'write']);
  for (const path of [MEASURES, DIMENSIONS, RETENTION]) {
    const body = { keys: ['new_users'], ...period, frequency: 'day' };
    assert.equal((await server.ask('POST', path, body)).status, 401, path);
    assert.equal((await curious.post(path, body)).status, 403, path);
    assert.equal((await server.ask('POST', path, body, narrow)).status, 403, path);
    assert.equal((await mod.post(path, { ...body, start_at: 'yesterday' })).status, 422, path);
    assert.equal((await mod.post(path, { ...body, start_at: '2026-99-99' })).status, 422, path);
    assert.equal((await mod.post(path, { ...body, start_at: '2027-01-01', end_at: '2026-01-01' })).status, 422, path);
  }
  assert.equal((await mod.post(MEASURES, { keys: ['new_users'] })).status, 422);
  assert.equal((await mod.post(RETENTION, { ...period, frequency: 'week' })).status, 422);
});
