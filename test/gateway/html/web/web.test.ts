import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { putEntry } from '../../../../gateway/settings/changes.js';
import { Visitor } from '../../../kit/network/visitor.js';
import type { Person, TestServer } from '../../../kit/services/server.js';
import { startAliceAndBob } from './alice-and-bob.js';

let server: TestServer;
let bob: Person;
let aliceId: string;
let alice: Visitor;
before(async () => {
  ({ server, aliceId, bob, alice } = await startAliceAndBob());
});
after(() => server?.stop());

const COMPOSE = '/web/compose';

async function say(fields: Readonly<Record<string, string>>, page = '/web'): Promise<string> {
  await alice.get(page);
  const posted = await alice.submit(COMPOSE, fields);
  assert.equal(posted.status, 303, posted.text);
  return /post-(\d+)$/.exec(posted.location ?? '')?.[1] ?? '';
}

test('a person writes a post, answers it and finds both at home', async () => {
  const id = await say({ status: 'hello from a browser', visibility: 'unlisted' });
  assert.match((await alice.get(`/web/posts/${id}`)).text, /<option value="unlisted" selected/, 'as the answered one');
  const answer = await say({ status: 'and an answer', visibility: 'unlisted' }, `/web/posts/${id}`);
  const thread = (await alice.get(`/web/posts/${id}`)).text;
  assert.match(thread, /post focused.*hello from a browser.*and an answer/s);
  const { body } = await server.get(`/api/v1/statuses/${answer}`);
  assert.deepEqual([body.in_reply_to_id, body.visibility], [id, 'unlisted']);
  assert.match((await alice.get('/web')).text, /and an answer.*hello from a browser/s);
});

test('a refused post keeps what was typed, and tells why', async () => {
  await alice.get('/web');
  const refused = await alice.submit(COMPOSE, { status: 'x'.repeat(600), spoiler_text: 'a warning "' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /class="fault" role="alert">[^<]+/);
  assert.ok(refused.text.includes('x'.repeat(600)));
  assert.match(refused.text, /value="a warning &quot;"/);
});

test('buttons change a post, and lead back to it', async () => {
  const id = await bob.says('please like this');
  for (const [verb, field] of [
    ['favourite', 'favourited'],
    ['reblog', 'reblogged'],
    ['bookmark', 'bookmarked'],
  ] as const) {
    const page = `/web/posts/${id}`;
    await alice.get(page);
    const marked = await alice.submit(`/web/posts/${id}/${verb}`, {});
    assert.equal(marked.location, `${page}#post-${id}`);
    await alice.get(page);
    assert.match(alice.page?.text ?? '', new RegExp(`un${verb}".*?aria-pressed="true"`, 's'), field);
    await alice.submit(`/web/posts/${id}/un${verb}`, {});
    assert.doesNotMatch((await alice.get(page)).text, /aria-pressed="true"/);
  }
});

test('a button leads to pages of the client only', async () => {
  const id = await bob.says('a button below');
  for (const back of ['https://evil.example', '//evil.example', '/webber', '/auth/sign_in', 'javascript:x']) {
    await alice.get(`/web/posts/${id}`);
    assert.equal((await alice.submit(`/web/posts/${id}/favourite`, { back })).location, '/web', back);
    await alice.get(`/web/posts/${id}`);
    await alice.submit(`/web/posts/${id}/unfavourite`, {});
  }
});

test('a person votes once, and sees the result', async () => {
  const poll = { options: ['red', 'blue'], expires_in: 3_600 };
  const id = (await bob.post('/api/v1/statuses', { status: 'a colour?', poll })).body.id;
  await alice.get(`/web/posts/${id}`);
  await alice.submit(`/web/posts/${id}/vote`, { 'choices[]': '1' });
  const { text } = await alice.get(`/web/posts/${id}`);
  assert.doesNotMatch(text, /class="vote"/);
  assert.match(text, /100%/);
});

test('a person follows another one and takes it back; requests are answered', async () => {
  const path = `/web/people/${bob.id}`;
  assert.match((await alice.get(path)).text, /<bdi>bob<\/bdi>/);
  for (const [verb, next] of [
    ['follow', 'unfollow'],
    ['unfollow', 'follow'],
    ['mute', 'unmute'],
    ['unmute', 'mute'],
    ['block', 'unblock'],
    ['unblock', 'block'],
  ] as const) {
    await alice.submit(`/web/people/${bob.id}/${verb}`, {});
    assert.match((await alice.get(path)).text, new RegExp(`/${next}"`));
  }
  const lock = await server.token(aliceId, ['write']);
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { locked: true }, lock);
  await bob.post(`/api/v1/accounts/${aliceId}/follow`);
  await alice.get('/web/notifications');
  assert.match(alice.page?.text ?? '', /<h2>Follow requests<\/h2>.*href="\/web\/people\/\d+"/s);
  const verb = 'authorize';
  const answered = await alice.submit(`/web/requests/${bob.id}/${verb}`, {});
  assert.equal(answered.location, '/web/notifications');
  assert.doesNotMatch((await alice.get('/web/notifications')).text, /<h2>Follow requests/);
});

test('notifications tell who did what', async () => {
  await bob.says('@alice have you seen this?');
  const { text } = await alice.get('/web/notifications');
  assert.match(text, /mentioned you.*have you seen this\?/s);
});

test('a search finds people and hashtags; an empty one finds nothing', async () => {
  assert.match((await alice.get('/web/search?q=bob')).text, new RegExp(`href="/web/people/${bob.id}"`));
  assert.doesNotMatch((await alice.get('/web/search')).text, /class="people"/);
  assert.match((await alice.get('/web/search?q=%22%3E%3Cb%3E')).text, /value="&quot;>&lt;b>"/);
});

test('a person deletes an own post, and nobody else’s', async () => {
  const id = await say({ status: 'soon gone' });
  await alice.get('/web');
  const deleted = await alice.submit(`/web/posts/${id}/delete`, {});
  assert.equal(deleted.location, `/web#post-${id}`);
  assert.equal((await server.get(`/api/v1/statuses/${id}`)).status, 404);
  const others = await bob.says('stays');
  await alice.get('/web');
  const { csrf = '' } = alice.hidden(COMPOSE);
  assert.equal((await alice.post(`/web/posts/${others}/delete`, { csrf })).status, 404);
});

test('home shows announcements with their times until they are dismissed', async () => {
  const startsAtMs = Date.UTC(2026, 0, 2, 3);
  const announcement = { text: 'Cake <b>at</b> noon', allDay: true, startsAtMs, endsAtMs: Date.UTC(2999, 0, 1) };
  const made = await putEntry(server.node.services, '', { collection: 'announcements', announcement });
  assert.ok(!isProblem(made));
  const later = { text: 'A secret', allDay: false, startsAtMs: Date.UTC(2998, 0, 1), endsAtMs: 0 };
  await putEntry(server.node.services, '', { collection: 'announcements', announcement: later });
  const { text } = await alice.get('/web');
  assert.match(
    text,
    /Cake &lt;b&gt;at&lt;\/b&gt; noon.*From <time[^>]*>Jan 2, 2026<\/time> until <time[^>]*>Jan 1, 2999</s,
  );
  assert.ok(!text.includes('A secret'));
  const dismissed = await alice.submit(`/web/announcements/${made.id}/dismiss`, {});
  assert.equal(dismissed.location, '/web');
  assert.ok(!(await alice.get('/web')).text.includes('at noon'));
});

test('forms without the token of the session change nothing, and strangers see nothing', async () => {
  const id = await bob.says('untouched');
  for (const path of [
    COMPOSE,
    `/web/posts/${id}/favourite`,
    `/web/people/${bob.id}/block`,
    `/web/requests/${bob.id}/reject`,
    '/web/announcements/1/dismiss',
  ]) {
    assert.equal((await alice.post(path, { status: 'forged', csrf: 'x'.repeat(43) })).status, 403, path);
    assert.equal((await new Visitor(server).post(path, { status: 'forged' })).status, 403, path);
  }
  assert.equal((await server.get(`/api/v1/statuses/${id}`)).body.favourites_count, 0);
  for (const path of ['/web', '/web/notifications', '/web/search', `/web/posts/${id}`, `/web/people/${bob.id}`])
    assert.match((await new Visitor(server).get(path)).location ?? '', /^\/auth\/sign_in\?return_to=/);
  const secret = await bob.says('not for alice', { visibility: 'direct' });
  const [hidden, missing] = [await alice.get(`/web/posts/${secret}`), await alice.get('/web/posts/1')];
  assert.deepEqual([hidden.status, hidden.text], [404, missing.text]);
});
