import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/server.js';
import { until } from '../../kit/until.js';

/** Trends are kept for longer where finding them takes long: on a busy machine. */
const WAIT_MS = 60_000;
let server: TestServer;
let mod: Person;
let ada: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  mod = await server.staff('mod', 'moderator');
  [ada, bob] = await Promise.all([server.person('ada'), server.person('bob')]);
});
after(() => server?.stop());

const PATHS = ['/api/v1/admin/trends/tags', '/api/v1/admin/trends/statuses', '/api/v1/admin/trends/links'];

test('moderators see what trends: hashtags with what was decided about them, statuses, and links', async () => {
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

test('nobody else sees them there, and no token without the scope', async () => {
  const narrow = await server.token(mod.id, ['read', 'write']);
  const curious = await server.staff('curious', 'user');
  for (const path of PATHS) {
    assert.equal((await server.get(path)).status, 401, path);
    assert.equal((await curious.get(path)).status, 403, path);
    assert.equal((await server.ask('GET', path, undefined, narrow)).status, 403, path);
  }
});
