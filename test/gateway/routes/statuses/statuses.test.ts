import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../../kit/services/server.js';

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

const NOT_FOUND = { error: 'Record not found' };

test('a posted status is returned completely and readable by everybody', async () => {
  const posted = await alice.post('/api/v1/statuses', {
    status: 'Hello @bob, see #Tagged https://example.org/',
    spoiler_text: 'careful',
    language: 'de',
  });
  assert.equal(posted.status, 200);
  const { body } = posted;
  assert.equal(body.visibility, 'public');
  assert.equal(body.spoiler_text, 'careful');
  assert.equal(body.sensitive, true);
  assert.equal(body.language, 'de');
  assert.equal(body.account.username, 'alice');
  assert.deepEqual(body.mentions, [{ id: bob.id, username: 'bob', acct: 'bob', url: 'http://localhost/@bob' }]);
  assert.deepEqual(body.tags, [{ name: 'tagged', url: 'http://localhost/tags/tagged' }]);
  assert.match(body.content, /^<p>Hello .*class="u-url mention"/);
  assert.equal(body.favourited, false);
  assert.equal(body.text, undefined);
  const read = await server.get(`/api/v1/statuses/${body.id}`);
  assert.equal(read.status, 200);
  assert.equal(read.body.content, body.content);
  assert.equal('favourited' in read.body, false, 'nobody in particular has no marks');
});

test('a form with empty fields posts the others', async () => {
  const empty = ['in_reply_to_id', 'media_ids[]', 'spoiler_text', 'visibility', 'language', 'scheduled_at'];
  const form = new URLSearchParams({ status: 'only this', sensitive: '' });
  for (const name of empty) form.append(name, '');
  const posted = await server.send(`/api/v1/statuses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.token}` },
    body: form,
  });
  const status = (await posted.json()) as Record<string, unknown>;
  assert.equal(posted.status, 200, JSON.stringify(status));
  assert.deepEqual([status.visibility, status.spoiler_text, status.media_attachments], ['public', '', []]);
});

test('empty text and unsupported features are refused with a reason', async () => {
  const refused = async (body: object) => {
    const { status, body: answer } = await alice.post('/api/v1/statuses', body);
    return [status, answer.error];
  };
  assert.deepEqual(await refused({ status: ' ' }), [422, "Validation failed: Text can't be blank"]);
  assert.deepEqual(await refused({}), [422, "Validation failed: Text can't be blank"]);
  assert.equal((await refused({ status: 'x'.repeat(501) }))[0], 422);
  assert.equal((await refused({ status: 'x', visibility: 'secret' }))[0], 422);
  const [refusal, error] = await refused({ status: 'x', media_ids: ['1'] });
  assert.equal(refusal, 422);
  assert.match(error, /Media attachments were not found/);
  assert.equal((await refused({ status: 'x', language: 'x'.repeat(21) }))[0], 422);
  assert.deepEqual(await refused({ status: 'x', in_reply_to_id: '1' }), [
    404,
    'The post you are trying to reply to does not appear to exist.',
  ]);
});

test('the language is the given one, otherwise the author’s default, otherwise detected from the text', async () => {
  const language = async (body: object) => (await alice.post('/api/v1/statuses', body)).body.language;
  const status = 'Das ist ein schöner Tag für einen Spaziergang im Park.';
  assert.equal(await language({ status }), 'de');
  assert.equal(await language({ status, language: 'fr' }), 'fr');
  const update = (code: string) =>
    server.ask('PATCH', '/api/v1/accounts/update_credentials', { source: { language: code } }, alice.token);
  assert.equal((await update('nl')).status, 200);
  assert.equal(await language({ status }), 'nl');
  const codes = { 'sr-Latn': 'sr', 'en-US': 'en', pt_BR: 'pt', 'zh-TW': 'zh-TW', 'zh-Hant': 'zh' };
  for (const [code, shown] of Object.entries(codes)) assert.equal(await language({ status, language: code }), shown);
  assert.equal(await language({ status, language: 'zz' }), 'nl', 'what is no language was not said');
  await update('');
  for (const none of ['zz', 'EN', '<x>', 'no language']) assert.equal(await language({ status, language: none }), 'de');
  const planned = { status, language: 'zz', scheduled_at: new Date(Date.now() + 86_400_000).toISOString() };
  const scheduled = (await alice.post('/api/v1/statuses', planned)).body;
  assert.equal(scheduled.params.language, 'de');
  await alice.remove(`/api/v1/scheduled_statuses/${scheduled.id}`);
});

test('repeats with an idempotency key create one status', async () => {
  const post = () => alice.post('/api/v1/statuses', { status: 'once' }, { 'idempotency-key': 'k' });
  assert.equal((await post()).body.id, (await post()).body.id);
});

test('an invisible status gets the same 404 as a missing one, on every route', async () => {
  const missing = alice.id;
  const hidden = await alice.says('for followers', { visibility: 'private' });
  const secret = await alice.says('@bob only', { visibility: 'direct' });
  for (const id of [missing, hidden, secret]) {
    for (const path of ['', '/context', '/favourited_by', '/reblogged_by']) {
      for (const who of [carol, server]) {
        const answer = await who.get(`/api/v1/statuses/${id}${path}`);
        assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], `${id}${path}`);
      }
    }
    for (const verb of ['favourite', 'unfavourite', 'reblog', 'unreblog']) {
      const answer = await carol.post(`/api/v1/statuses/${id}/${verb}`);
      assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], verb);
    }
    const answer = await carol.remove(`/api/v1/statuses/${id}`);
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
    assert.equal((await carol.post('/api/v1/statuses', { status: 'x', in_reply_to_id: id })).status, 404);
  }
  assert.equal((await bob.get(`/api/v1/statuses/${secret}`)).status, 200);
  assert.equal((await bob.get(`/api/v1/statuses/${hidden}`)).status, 404);
  const several = await carol.get(`/api/v1/statuses?id[]=${hidden}&id[]=${secret}`);
  assert.deepEqual(several.body, []);
  assert.equal((await server.get('/api/v1/statuses/nonsense')).status, 404);
  assert.equal((await server.get(`/api/v1/statuses/${'9'.repeat(18)}`)).status, 404);
});

test('favourites and reblogs count once, list their accounts, and can be undone', async () => {
  const id = await alice.says('like me');
  for (let twice = 0; twice < 2; twice++) {
    const { body } = await bob.post(`/api/v1/statuses/${id}/favourite`);
    assert.deepEqual([body.id, body.favourited, body.favourites_count], [id, true, 1]);
  }
  const first = await bob.post(`/api/v1/statuses/${id}/reblog`);
  const second = await bob.post(`/api/v1/statuses/${id}/reblog`);
  assert.equal(first.status, 200);
  assert.equal(first.body.id, second.body.id);
  assert.deepEqual(
    [first.body.account.id, first.body.reblog.id, first.body.reblog.reblogged, first.body.reblog.reblogs_count],
    [bob.id, id, true, 1],
  );
  for (const list of ['favourited_by', 'reblogged_by']) {
    const { body } = await server.get(`/api/v1/statuses/${id}/${list}`);
    assert.deepEqual(
      body.map((account: { id: string }) => account.id),
      [bob.id],
    );
  }
  const unfavourited = await bob.post(`/api/v1/statuses/${id}/unfavourite`);
  assert.deepEqual([unfavourited.body.favourited, unfavourited.body.favourites_count], [false, 0]);
  const unreblogged = await bob.post(`/api/v1/statuses/${id}/unreblog`);
  assert.deepEqual([unreblogged.body.id, unreblogged.body.reblogged, unreblogged.body.reblogs_count], [id, false, 0]);
  assert.equal((await server.get(`/api/v1/statuses/${first.body.id}`)).status, 404);
});

test('a reblog for followers only is counted, and named to nobody else', async () => {
  const status = await alice.says('to pass on');
  const [quiet, loud] = [await server.person('quiet'), await server.person('loud')];
  const wrapper = (await quiet.post(`/api/v1/statuses/${status}/reblog`, { visibility: 'private' })).body;
  assert.equal(wrapper.visibility, 'private');
  await loud.post(`/api/v1/statuses/${status}/reblog`);
  const path = `/api/v1/statuses/${status}/reblogged_by`;
  const named = (list: { id: string }[]) => list.map(({ id }) => id);
  for (const body of [(await server.get(path)).body, (await alice.get(path)).body])
    assert.deepEqual(named(body), [loud.id]);
  assert.deepEqual(named((await quiet.get(path)).body), [loud.id, quiet.id], 'they know it themselves');
  assert.equal((await server.get(`/api/v1/statuses/${status}`)).body.reblogs_count, 2);
  assert.equal((await loud.get(`/api/v1/statuses/${wrapper.id}`)).status, 404);
});

test('private statuses are not reblogged, not even by their author', async () => {
  const id = await alice.says('just us', { visibility: 'private' });
  assert.equal((await alice.post(`/api/v1/statuses/${id}/reblog`)).status, 422);
});

test('a thread shows the statuses that its reader may see, each branch after its root', async () => {
  const root = await alice.says('root');
  const reply = await bob.says('@alice reply', { in_reply_to_id: root });
  const secret = await alice.says('@bob psst', { in_reply_to_id: reply, visibility: 'direct' });
  const leaf = await carol.says('leaf', { in_reply_to_id: reply });
  const ids = (list: { id: string }[]) => list.map((status) => status.id);
  const forBob = await bob.get(`/api/v1/statuses/${reply}/context`);
  assert.deepEqual(ids(forBob.body.ancestors), [root]);
  assert.deepEqual(ids(forBob.body.descendants), [secret, leaf]);
  const forAll = await server.get(`/api/v1/statuses/${root}/context`);
  assert.deepEqual(ids(forAll.body.descendants), [reply, leaf]);
  assert.equal((await server.get(`/api/v1/statuses/${root}`)).body.replies_count, 1);
});

test('a thread of any length is shown completely, also to an anonymous viewer', async () => {
  const [LONG, WIDE] = [70, 90];
  const root = await alice.says('deep');
  const chain = [root];
  while (chain.length < LONG) chain.push(await bob.says('deeper', { in_reply_to_id: chain.at(-1) }));
  const beside: string[] = [];
  while (beside.length < WIDE) beside.push(await carol.says('beside', { in_reply_to_id: root }));
  const ids = (list: { id: string }[]) => list.map((status) => status.id);
  for (const who of [server, alice]) {
    const above = (await who.get(`/api/v1/statuses/${chain.at(-1)}/context`)).body;
    assert.deepEqual([ids(above.ancestors), above.descendants], [chain.slice(0, -1), []]);
    const below = (await who.get(`/api/v1/statuses/${root}/context`)).body;
    assert.deepEqual(ids(below.descendants).sort(), [...chain.slice(1), ...beside].sort());
  }
});

test('a hidden status does not move the replies below it up', async () => {
  const root = await alice.says('seen');
  const hidden = await alice.says('@bob unseen', { in_reply_to_id: root, visibility: 'direct' });
  const middle = await bob.says('seen again', { in_reply_to_id: hidden });
  const leaf = await bob.says('and again', { in_reply_to_id: middle });
  const { ancestors, descendants } = (await server.get(`/api/v1/statuses/${middle}/context`)).body;
  assert.deepEqual(
    [ancestors, descendants].map((list) => list.map(({ id }: { id: string }) => id)),
    [[root], [leaf]],
  );
});

test('only its author deletes a status; the answer contains its text once, and it is gone', async () => {
  const id = await alice.says('draft *text*');
  assert.equal((await bob.remove(`/api/v1/statuses/${id}`)).status, 404);
  const { statuses_count } = (await alice.get('/api/v1/accounts/verify_credentials')).body;
  const deleted = await alice.remove(`/api/v1/statuses/${id}`);
  assert.deepEqual([deleted.status, deleted.body.text], [200, 'draft *text*']);
  assert.equal(deleted.body.account.statuses_count, statuses_count - 1, 'as many as there are without it');
  const own = (await alice.get('/api/v1/accounts/verify_credentials')).body;
  const others = (await bob.get(`/api/v1/accounts/${alice.id}`)).body;
  assert.deepEqual([own.statuses_count, others.statuses_count], [statuses_count - 1, statuses_count - 1]);
  assert.equal((await alice.get(`/api/v1/statuses/${id}`)).status, 404);
  assert.equal((await alice.remove(`/api/v1/statuses/${id}`)).status, 404);
});

test('a status does not mention accounts that its author blocks, nor does an edit', async () => {
  const [uma, ulf] = [await server.person('uma'), await server.person('ulf')];
  await uma.post(`/api/v1/accounts/${ulf.id}/block`);
  const said = (await uma.post('/api/v1/statuses', { status: '@ulf and @bob' })).body;
  const names = (status: { mentions: { acct: string }[] }) => status.mentions.map(({ acct }) => acct);
  assert.deepEqual(names(said), ['bob']);
  assert.match(said.content, /^<p>@ulf and </);
  const edited = await server.ask('PUT', `/api/v1/statuses/${said.id}`, { status: '@bob and @ulf' }, uma.token);
  assert.deepEqual(names(edited.body), ['bob']);
  await uma.post(`/api/v1/accounts/${ulf.id}/unblock`);
  assert.deepEqual(names((await uma.post('/api/v1/statuses', { status: '@ulf again' })).body), ['ulf']);
});

test('an account’s counts do not reveal direct statuses', async () => {
  const quiet = await server.person('hushed');
  const told = async () => {
    const { statuses_count, last_status_at } = (await bob.get(`/api/v1/accounts/${quiet.id}`)).body;
    return [statuses_count, last_status_at];
  };
  const secret = await quiet.says('@bob a secret', { visibility: 'direct' });
  assert.deepEqual(await told(), [0, null]);
  await quiet.says('for everybody');
  const [, today] = await told();
  assert.deepEqual(await told(), [1, today]);
  assert.equal((await quiet.remove(`/api/v1/statuses/${secret}`)).body.account.statuses_count, 1);
  assert.deepEqual(await told(), [1, today]);
});

test('replies to a deleted status refer to none, and stay replies', async () => {
  const root = await alice.says('going');
  const reply = await bob.says('to what goes', { in_reply_to_id: root });
  const leaf = await carol.says('to what stays', { in_reply_to_id: reply });
  const shown = async () => (await server.get(`/api/v1/statuses/${reply}`)).body;
  const { in_reply_to_id, in_reply_to_account_id } = await shown();
  assert.deepEqual([in_reply_to_id, in_reply_to_account_id], [root, alice.id]);
  assert.equal((await alice.remove(`/api/v1/statuses/${root}`)).status, 200);
  const now = await shown();
  assert.deepEqual([now.in_reply_to_id, now.in_reply_to_account_id], [null, alice.id]);
  const { ancestors, descendants } = (await server.get(`/api/v1/statuses/${leaf}/context`)).body;
  assert.deepEqual([ancestors.length, ancestors[0].id, ancestors[0].in_reply_to_id], [1, reply, null]);
  assert.deepEqual(descendants, []);
  const listed = (await bob.get(`/api/v1/accounts/${bob.id}/statuses?exclude_replies=true`)).body;
  assert.ok(!listed.some(({ id }: { id: string }) => id === reply));
  const edited = await bob.put(`/api/v1/statuses/${reply}`, { status: 'to what went' });
  assert.equal(edited.body.in_reply_to_id, null);
  const publicly = (await server.get('/api/v1/timelines/public')).body;
  assert.ok(!publicly.some(({ id }: { id: string }) => id === reply));
});

test('features that this server lacks are not found', async () => {
  const id = await alice.says('ein Satz');
  const translated = await alice.post(`/api/v1/statuses/${id}/translate`, { lang: 'en' });
  assert.deepEqual([translated.status, typeof translated.body.error], [404, 'string']);
  assert.equal((await alice.get('/api/v1_alpha/async_refreshes/x')).status, 404);
});

test('a request without the scope or a token is refused', async () => {
  const token = await server.token(alice.id, ['read']);
  assert.equal((await server.ask('POST', '/api/v1/statuses', { status: 'x' }, token)).status, 403);
  assert.equal((await server.ask('POST', '/api/v1/statuses', { status: 'x' })).status, 401);
});

test('a status that mentions an account outside the allowed ones is refused, names it, and is not posted', async () => {
  const before = (await alice.get(`/api/v1/accounts/${alice.id}`)).body.statuses_count;
  const post = (allowed: unknown) =>
    alice.post('/api/v1/statuses', { status: '@bob @carol only one of you', allowed_mentions: allowed });
  for (const [allowed, unexpected] of [
    [[], [bob.id, carol.id]],
    [[bob.id], [carol.id]],
  ] as const) {
    const { status, body } = await post(allowed);
    assert.deepEqual([status, body.error], [422, 'Post would be sent to unexpected accounts']);
    assert.deepEqual(body.unexpected_accounts.map(({ id }: { id: string }) => id).sort(), [...unexpected].sort());
  }
  assert.equal((await alice.get(`/api/v1/accounts/${alice.id}`)).body.statuses_count, before);
  assert.equal((await post([bob.id, carol.id])).status, 200);
});

test('a reply may name its status by an integer; a deletion accepts parameters in its body', async () => {
  const parent = await alice.says('to be answered');
  const text = `{"status":"by number","in_reply_to_id":${parent}}`;
  const answered = await server.send(`/api/v1/statuses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
    body: text,
  });
  const { id, in_reply_to_id } = (await answered.json()) as { id: string; in_reply_to_id: string };
  assert.equal(in_reply_to_id, parent);
  const removed = await server.ask('DELETE', `/api/v1/statuses/${id}`, { delete_media: 1 }, alice.token);
  assert.equal(removed.status, 200);
  const refused = await server.ask('DELETE', `/api/v1/statuses/${parent}`, { delete_media: 'x' }, alice.token);
  assert.equal(refused.status, 422);
});

test('a date too far ahead is refused with the limit', async () => {
  const { status, body } = await alice.post('/api/v1/statuses', { status: 'later', scheduled_at: '4000-01-01' });
  assert.equal(status, 422);
  assert.match(body.error, /within 100 years/);
});
