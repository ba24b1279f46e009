import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { putEntry } from '../../../../gateway/settings/changes.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';
import { until } from '../../../kit/time/until.js';

/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const WAIT_MS = 60_000;
let server: TestServer;
let mod: Person;
let ada: Person;
let bob: Person;
before(async () => {
  // Hashtags count by day.
  await sameDayFor(60_000);
  server = await TestServer.start();
  mod = await server.staff('mod', 'moderator');
  [ada, bob] = await Promise.all([server.person('ada'), server.person('bob')]);
});
after(() => server?.stop());

const PATHS = ['/api/v1/admin/trends/tags', '/api/v1/admin/trends/statuses', '/api/v1/admin/trends/links'];

test('moderators see trending hashtags with their reviews, statuses, and links', async () => {
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, ada.token);
  const liked = await ada.says('the #match at https://news.example/match');
  await bob.says('#match https://news.example/match');
  for (const who of [mod, bob]) await who.post(`/api/v1/statuses/${liked}/favourite`);
  const [tags, statuses, links] = await Promise.all(
    PATHS.map((path) =>
      until(
        path,
        async () => {
          const { body } = await mod.get(path);
          return body.length === 1 ? body : undefined;
        },
        WAIT_MS,
      ),
    ),
  );
  const [{ name, trendable, usable, requires_review: isWaiting, history }] = tags;
  assert.deepEqual([name, trendable, usable, isWaiting, history[0].accounts], ['match', true, true, false, '2']);
  assert.equal(statuses[0].id, liked);
  assert.equal(links[0].url, 'https://news.example/match');
  assert.deepEqual((await mod.get('/api/v1/admin/trends/tags?offset=1')).body, []);
});

test('no publisher of links waits for a review', async () => {
  const answer = await mod.get('/api/v1/admin/trends/links/publishers');
  assert.deepEqual([answer.status, answer.body], [200, []]);
});

test('trends for moderators are refused to others, and to tokens without the scope', async () => {
  const narrow = await server.token(mod.id, ['read', 'write']);
  const curious = await server.staff('curious', 'user');
  for (const path of PATHS) {
    assert.equal((await server.get(path)).status, 401, path);
    assert.equal((await curious.get(path)).status, 403, path);
    assert.equal((await server.ask('GET', path, undefined, narrow)).status, 403, path);
  }
});

const REVIEWED = ['/api/v1/admin/trends/tags', '/api/v1/admin/trends/links', '/api/v1/admin/trends/statuses'];

test('a rejected trend is hidden until it is approved', async () => {
  const kinds = ['tags', 'links', 'statuses'] as const;
  const nameOf = (one: { name?: string; url: string; id: string }) => one.name ?? one.url;
  for (const kind of kinds) {
    const path = `/api/v1/trends/${kind}`;
    const shown = async () => (await server.get(path)).body.map(nameOf) as string[];
    const [trend] = (await mod.get(`/api/v1/admin/trends/${kind}`)).body;
    assert.deepEqual(await shown(), [nameOf(trend)], kind);
    const rejected = await mod.post(`/api/v1/admin/trends/${kind}/${trend.id}/reject`);
    assert.equal(rejected.status, 200, JSON.stringify(rejected.body));
    assert.equal(nameOf(rejected.body), nameOf(trend));
    if (kind !== 'statuses') assert.deepEqual([rejected.body.trendable, rejected.body.requires_review], [false, false]);
    assert.deepEqual(await shown(), [], kind);
    assert.equal((await mod.get(`/api/v1/admin/trends/${kind}`)).body.length, 1, 'moderators still see it');
    assert.deepEqual(
      (await mod.get(`/api/v2/search?q=match&exclude_unreviewed=true`)).body.hashtags.length,
      kind === 'tags' ? 0 : 1,
    );
    if (kind === 'links')
      assert.equal((await server.get('/api/v1/timelines/link?url=https://news.example/match')).status, 404);
    assert.equal((await mod.post(`/api/v1/admin/trends/${kind}/${trend.id}/approve`)).status, 200);
    assert.deepEqual(await shown(), [nameOf(trend)], kind);
  }
  assert.equal((await mod.get(`/api/v2/search?q=match`)).body.hashtags.length, 1);
});

test('a server that reviews all trends shows only reviewed ones', async () => {
  const set = (text: string) =>
    putEntry(server.node.services, '', {
      collection: 'settings',
      key: 'trends_review',
      replace: true,
      text: { text, hint: '' },
    });
  await ada.says('the #derby');
  await bob.says('the #derby');
  const shown = async () => (await server.get('/api/v1/trends/tags')).body.map(({ name }: { name: string }) => name);
  await until('another trend', async () => (await shown()).includes('derby') || undefined, WAIT_MS);
  await set('on');
  assert.deepEqual(await shown(), ['match'], 'approved above');
  const derby = (await mod.get('/api/v1/admin/trends/tags')).body.find(
    ({ name }: { name: string }) => name === 'derby',
  );
  assert.deepEqual([derby.trendable, derby.requires_review], [false, true]);
  const found = async () => (await bob.get('/api/v2/search?q=derby&exclude_unreviewed=true')).body.hashtags.length;
  assert.equal(await found(), 0);
  const approved = (await mod.post(`/api/v1/admin/trends/tags/${derby.id}/approve`)).body;
  assert.deepEqual([approved.name, approved.trendable, approved.requires_review], ['derby', true, false]);
  assert.deepEqual([(await shown()).includes('derby'), await found()], [true, 1]);
  await set('off');
});

test('only moderators review, and only trends and public statuses can be reviewed', async () => {
  const curious = await server.staff('keen', 'user');
  const reading = await server.token(mod.id, ['read', 'write', 'admin:read']);
  const closed = await ada.says('closed', { visibility: 'private' });
  for (const path of REVIEWED)
    for (const verb of ['approve', 'reject']) {
      const one = `${path}/123456789/${verb}`;
      assert.equal((await server.ask('POST', one)).status, 401, one);
      assert.equal((await curious.post(one)).status, 403, one);
      assert.equal((await server.ask('POST', one, undefined, reading)).status, 403, one);
      assert.equal((await mod.post(one)).status, 404, one);
    }
  assert.equal((await mod.post(`/api/v1/admin/trends/statuses/${closed}/approve`)).status, 404);
  assert.equal((await mod.post('/api/v1/admin/trends/tags/match/approve')).status, 404);
  assert.equal((await mod.post('/api/v1/admin/trends/links/x/reject')).status, 404);
});

test('a hashtag in use that does not trend is reviewed by its id; an unused one is not found', async () => {
  await bob.says('quietly #rarely');
  const { id } = (await mod.get('/api/v1/tags/rarely')).body;
  const approved = await mod.post(`/api/v1/admin/trends/tags/${id}/approve`);
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  assert.deepEqual([approved.body.id, approved.body.name, approved.body.trendable], [id, 'rarely', true]);
  const rejected = await mod.post(`/api/v1/admin/trends/tags/${id}/reject`);
  assert.deepEqual([rejected.status, rejected.body.trendable], [200, false]);
  assert.equal(
    (await mod.post(`/api/v1/admin/trends/tags/${(await mod.get('/api/v1/tags/neverused')).body.id}/approve`)).status,
    404,
  );
});
