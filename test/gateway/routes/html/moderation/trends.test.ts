import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { putEntry } from '../../../../../gateway/settings/changes.js';
import type { Visitor } from '../../../../kit/network/visitor.js';
import { type Person, TestServer } from '../../../../kit/services/server.js';
import { sameDayFor } from '../../../../kit/time/same-day.js';
import { until } from '../../../../kit/time/until.js';
import { makeUser, signedIn } from '../../../oauth/stage.js';

const PATH = '/moderation/trends';
/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const WAIT_MS = 60_000;
let server: TestServer;
let mod: Visitor;
let api: Person;
before(async () => {
  // Hashtags count by day.
  await sameDayFor(60_000);
  server = await TestServer.start();
  await makeUser(server, 'mod', 'moderator');
  mod = await signedIn(server, 'mod');
  api = await server.staff('boss', 'moderator');
  const [ada, bob] = await Promise.all([server.person('ada'), server.person('bob')]);
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, ada.token);
  const liked = await ada.says('the #match at https://news.example/match');
  await bob.says('#match https://news.example/match');
  for (const who of [api, bob]) await who.post(`/api/v1/statuses/${liked}/favourite`);
});
after(() => server?.stop());

const first = (kind: string): Promise<{ readonly id: string }> =>
  until(kind, async () => (await api.get(`/api/v1/admin/trends/${kind}`)).body[0], WAIT_MS);
const shown = async (kind: string) => (await server.get(`/api/v1/trends/${kind}`)).body.length;

test('a moderator hides what trends, and shows it again (/moderation/trends)', async () => {
  for (const [kind, form, name] of [
    ['tags', (id: string) => `/moderation/trends/tags/${id}`, '#match'],
    ['links', (id: string) => `/moderation/trends/links/${id}`, 'https://news.example/match'],
    ['statuses', (id: string) => `/moderation/trends/statuses/${id}`, 'the <a'],
  ] as const) {
    const action = form((await first(kind)).id);
    const page = await mod.get(PATH);
    assert.ok(page.text.includes(name) && page.text.includes(`action="${action}"`), kind);
    assert.equal((await mod.submit(action, { action: 'reject' })).location, `${PATH}?done=true`);
    assert.equal(await shown(kind), 0);
    const hidden = (await mod.get(`${PATH}?done=true`)).text.split(`action="${action}"`)[1] ?? '';
    assert.match(hidden.split('</form>')[0] ?? '', />Hidden<.*value="approve"/s);
    assert.equal((await mod.submit(action, { action: 'approve' })).status, 303);
    assert.equal(await shown(kind), 1);
  }
});

test('trends that need approval wait for a moderator', async () => {
  const { services } = server.node;
  await putEntry(services, '', { collection: 'settings', key: 'trends_review', text: { text: 'on', hint: '' } });
  const { id } = await first('tags');
  const action = `/moderation/trends/tags/${id}`;
  await mod.get(PATH);
  await mod.submit(action, { action: 'reject' });
  assert.equal(await shown('tags'), 0);
});

test('unknown trends, unknown acts and forged forms change nothing', async () => {
  const { id } = await first('links');
  const action = `/moderation/trends/links/${id}`;
  await mod.get(PATH);
  assert.equal((await mod.submit(action, { action: 'reject', csrf: 'forged' })).status, 403);
  await mod.get(PATH);
  const { csrf = '' } = mod.hidden(action);
  assert.equal((await mod.post(action, { csrf, action: 'explode' })).status, 422);
  for (const kind of ['tags', 'links', 'statuses'])
    assert.equal((await mod.post(`${PATH}/${kind}/999999999999999999`, { csrf, action: 'approve' })).status, 404);
  assert.equal(await shown('links'), 1);
});
