import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answered, TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  // Suggestions count by day.
  await sameDayFor(60_000);
  server = await TestServer.start();
});
after(() => server.stop());

const WAIT_MS = 5_000;
interface Shown {
  readonly id: string;
  readonly name: string;
  readonly statuses_count: string;
}
const names = (list: Shown[]) => list.map((tag) => tag.name);

test('featured hashtags show on the profile, most recently used first, with their number of uses', async () => {
  const ann = await server.person('ann');
  for (const name of ['#Birds', 'cats']) assert.equal((await ann.post('/api/v1/featured_tags', { name })).status, 200);
  await ann.says('one #birds');
  const second = await ann.says('two #cats #dogs');
  const shown = async () => (await server.get(`/api/v1/accounts/${ann.id}/featured_tags`)).body as Shown[];
  assert.deepEqual(names(await shown()), ['cats', 'birds']);
  const [cats] = await shown();
  assert.deepEqual(Object.keys(cats ?? {}).sort(), ['id', 'last_status_at', 'name', 'statuses_count', 'url']);
  assert.equal(cats?.statuses_count, '1');
  const [dogs, ...none] = (await ann.get('/api/v1/featured_tags/suggestions')).body;
  assert.deepEqual([dogs.name, dogs.history.length, dogs.history[0].uses, none], ['dogs', 7, '1', []]);
  assert.ok(!('following' in dogs));
  await ann.remove(`/api/v1/statuses/${second}`);
  await until('the count falls', async () => (await shown())[1]?.statuses_count === '0' || undefined, WAIT_MS);
  assert.deepEqual((await ann.remove(`/api/v1/featured_tags/${cats?.id}`)).body, {});
  assert.deepEqual(names((await ann.get('/api/v1/featured_tags')).body), ['birds']);
  assert.equal((await ann.remove(`/api/v1/featured_tags/${cats?.id}`)).status, 404);
});

test('hashtags of non-public statuses are suggested to their author', async () => {
  const mona = await server.person('mona');
  await mona.says('one #quiet', { visibility: 'unlisted' });
  await mona.says('two #closed', { visibility: 'private' });
  assert.deepEqual(names((await mona.get('/api/v1/featured_tags/suggestions')).body), ['closed', 'quiet']);
  const { body } = await mona.post('/api/v1/featured_tags', { name: 'closed' });
  assert.deepEqual([body.statuses_count, body.last_status_at], ['0', null], 'how often is told to nobody');
});

test('a hashtag is featured and unfeatured by name', async () => {
  const ben = await server.person('ben');
  const featured = (await ben.post('/api/v1/tags/Birds/feature')).body;
  assert.deepEqual([featured.name, featured.featuring], ['birds', true]);
  assert.deepEqual(names((await ben.get('/api/v1/featured_tags')).body), ['birds']);
  const about = async (answer: Promise<Answered>) => {
    const { following, featuring } = (await answer).body;
    return { following, featuring };
  };
  assert.deepEqual(await about(ben.get('/api/v1/tags/birds')), { following: false, featuring: true });
  assert.deepEqual(await about(ben.post('/api/v1/tags/birds/follow')), { following: true, featuring: true });
  assert.deepEqual(await about(ben.post('/api/v1/tags/birds/feature')), { following: true, featuring: true });
  assert.deepEqual(await about(server.get('/api/v1/tags/birds')), { following: undefined, featuring: undefined });
  assert.equal((await ben.post('/api/v1/tags/birds/unfeature')).body.featuring, false);
  assert.equal((await ben.post('/api/v1/tags/birds/unfeature')).status, 200);
  assert.deepEqual((await ben.get('/api/v1/featured_tags')).body, []);
  assert.deepEqual(await about(ben.get('/api/v1/tags/birds')), { following: true, featuring: false });
  assert.equal((await ben.post('/api/v1/tags/123/feature')).status, 404);
});

test('malformed hashtags, an eleventh one, others’ ids and narrow tokens are refused', async () => {
  const [cleo, dan] = [await server.person('cleo'), await server.person('dan')];
  for (const name of ['', '#', 'two words', '123'])
    assert.equal((await cleo.post('/api/v1/featured_tags', { name })).status, 422, name);
  for (let n = 0; n < 10; n++) await cleo.post('/api/v1/featured_tags', { name: `tag${n}` });
  assert.equal((await cleo.post('/api/v1/featured_tags', { name: 'more' })).status, 422);
  const [{ id }] = (await cleo.get('/api/v1/featured_tags')).body;
  assert.equal((await dan.remove(`/api/v1/featured_tags/${id}`)).status, 404);
  const reader = await server.token(cleo.id, ['read']);
  assert.equal((await server.ask('POST', '/api/v1/featured_tags', { name: 'x' }, reader)).status, 403);
  await cleo.post(`/api/v1/accounts/${dan.id}/block`);
  assert.deepEqual((await dan.get(`/api/v1/accounts/${cleo.id}/featured_tags`)).body, []);
});
