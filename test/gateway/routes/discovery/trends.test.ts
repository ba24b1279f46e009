import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';
import { until } from '../../../kit/time/until.js';

/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const WAIT_MS = 60_000;
let server: TestServer;
let people: Person[];
before(async () => {
  await sameDayFor(60_000);
  server = await TestServer.start();
  people = await Promise.all(['ada', 'bob', 'cleo', 'dan', 'eve'].map((name) => server.person(name)));
});
after(() => server.stop());

const one = (n: number) => people[n] as Person;
const ids = (list: { id: string }[]) => list.map((item) => item.id);
const discoverable = (who: Person, is = true) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: is }, who.token);

test('hashtags trend by their number of users, not of uses; those of one user do not', async () => {
  for (const who of people.slice(0, 3)) await who.says('the #match');
  for (const who of people.slice(0, 2)) await who.says('the #weather');
  for (let n = 0; n < 5; n++) await one(0).says(`#mine ${n}`);
  for (const who of people) await who.says('#hidden', { visibility: 'unlisted' });
  const trends = await until(
    'two trends',
    async () => {
      const { body } = await server.get('/api/v1/trends/tags');
      return body.length === 2 ? body : undefined;
    },
    WAIT_MS,
  );
  assert.deepEqual(
    trends.map(({ name }: { name: string }) => name),
    ['match', 'weather'],
  );
  assert.deepEqual([trends[0].history.length, trends[0].history[0].accounts, trends[0].history[0].uses], [7, '3', '3']);
  const second = await server.get('/api/v1/trends/tags?limit=1&offset=1');
  assert.deepEqual(
    second.body.map(({ name }: { name: string }) => name),
    ['weather'],
  );
});

test('links trend by the users who share them, without fragments, and not links to this server', async () => {
  await one(0).says('read https://news.example/story#top');
  await one(1).says('https://news.example/story is good');
  for (const who of people) await who.says('http://localhost/@ada');
  await one(2).says('https://news.example/other');
  const [link] = await until(
    'a link',
    async () => {
      const { body } = await server.get('/api/v1/trends/links');
      return body.length === 1 ? body : undefined;
    },
    WAIT_MS,
  );
  assert.equal(link.url, 'https://news.example/story');
  assert.deepEqual([link.type, link.provider_name, link.history[0].accounts], ['link', 'news.example', '2']);
});

test('a trending link has a paged timeline of the statuses that share it; other links have none', async () => {
  const path = `/api/v1/timelines/link?url=${encodeURIComponent('https://talk.example/a?b=c')}`;
  assert.equal((await server.get(path)).status, 404);
  const said: string[] = [];
  for (const who of people.slice(0, 3)) said.unshift(await who.says('https://talk.example/a?b=c#d'));
  await one(3).says('https://talk.example/a?b=c', { visibility: 'unlisted' });
  const whole = () => server.get(path);
  await until('the three', async () => ((await whole()).body.length === 3 ? true : undefined), WAIT_MS);
  assert.deepEqual(ids((await whole()).body), said);
  const first = await server.get(`${path}&limit=2`);
  assert.deepEqual(ids(first.body), said.slice(0, 2));
  assert.deepEqual(ids((await server.get(linkTo(first, 'next') ?? '')).body), said.slice(2));
  await one(4).post(`/api/v1/accounts/${one(1).id}/block`);
  assert.deepEqual(ids((await one(4).get(path)).body), [said[0], said[2]]);
  assert.equal((await server.get('/api/v1/timelines/link?url=nonsense')).status, 404);
  assert.equal((await server.get('/api/v1/timelines/link')).status, 422);
});

test('statuses trend that several users marked, by discoverable authors, for viewers who may see them', async () => {
  const author = one(0);
  await discoverable(author);
  const much = await author.says('much liked');
  const some = await author.says('somewhat liked');
  const shy = await one(1).says('liked, but shy');
  const sensitive = await author.says('liked, but not for all', { sensitive: true });
  const quiet = await author.says('liked, but quiet', { visibility: 'unlisted' });
  for (const who of people.slice(1)) await who.post(`/api/v1/statuses/${much}/favourite`);
  for (const id of [some, shy, sensitive, quiet])
    for (const who of people.slice(2, 4)) await who.post(`/api/v1/statuses/${id}/favourite`);
  const trending = async (who: { get: Person['get'] }) => ids((await who.get('/api/v1/trends/statuses')).body);
  await until('both', async () => ((await trending(server)).length === 2 ? true : undefined), WAIT_MS);
  assert.deepEqual(await trending(server), [much, some]);
  await author.post(`/api/v1/accounts/${one(4).id}/block`);
  assert.deepEqual(await trending(one(4)), []);
  await one(3).post(`/api/v1/accounts/${author.id}/mute`);
  assert.deepEqual(await trending(one(3)), []);
  await author.remove(`/api/v1/statuses/${much}`);
  assert.deepEqual(await trending(server), [some]);
});

test('the old address of trends names the new one', async () => {
  const { status, body } = await server.get('/api/v1/trends');
  assert.equal(status, 410);
  assert.match(body.error, /\/api\/v1\/trends\/tags/);
});

test('malformed offsets and limits are refused', async () => {
  for (const kind of ['tags', 'links', 'statuses']) {
    assert.equal((await server.get(`/api/v1/trends/${kind}?offset=-1`)).status, 422);
    assert.equal((await server.get(`/api/v1/trends/${kind}?limit=x`)).status, 200);
    assert.deepEqual((await server.get(`/api/v1/trends/${kind}?offset=99`)).body, []);
  }
});
