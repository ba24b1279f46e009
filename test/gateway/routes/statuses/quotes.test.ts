import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eraOfMs } from '../../../../actors/domain/ids.js';
import { notifications } from '../../../../store/tables.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let alice: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
});
after(() => server.stop());

const policy = (who: Person, id: string, quote_approval_policy: string) =>
  server.ask('PUT', `/api/v1/statuses/${id}/interaction_policy`, { quote_approval_policy }, who.token);

test('an author sets the quote policy, with the status or later, and everybody can read it', async () => {
  const posted = await alice.post('/api/v1/statuses', { status: 'quote me', quote_approval_policy: 'public' });
  assert.deepEqual(posted.body.quote_approval.automatic, ['public']);
  const { id } = posted.body;
  const set = await policy(alice, id, 'followers');
  assert.deepEqual([set.status, set.body.quote_approval.automatic], [200, ['followers']]);
  assert.deepEqual((await bob.get(`/api/v1/statuses/${id}`)).body.quote_approval.automatic, ['followers']);
  assert.deepEqual((await policy(alice, id, 'nobody')).body.quote_approval.automatic, []);
  const narrow = { status: 'for followers', visibility: 'private', quote_approval_policy: 'public' };
  assert.deepEqual((await alice.post('/api/v1/statuses', narrow)).body.quote_approval.automatic, []);
});

test('a status without a policy may be quoted by everybody who sees it, unless its author’s default differs', async () => {
  const shy = await server.person('shy');
  const approvals = async (more: object = {}) => {
    const { quote_approval } = (await shy.post('/api/v1/statuses', { status: 'as usual', ...more })).body;
    return quote_approval.automatic;
  };
  assert.equal((await shy.get('/api/v1/accounts/verify_credentials')).body.source.quote_policy, 'public');
  assert.equal((await shy.get('/api/v1/preferences')).body['posting:default:quote_policy'], 'public');
  assert.deepEqual([await approvals(), await approvals({ visibility: 'unlisted' })], [['public'], ['public']]);
  assert.deepEqual([await approvals({ visibility: 'private' }), await approvals({ visibility: 'direct' })], [[], []]);
  const id = await shy.says('anybody');
  assert.equal((await seen(bob, id)).quote_approval.current_user, 'automatic');
  assert.equal((await seen(server, id)).quote_approval.current_user, 'denied');
  assert.equal((await quotes(bob, id)).body.quote?.state, 'accepted');
  const wish = { source: { quote_policy: 'nobody' } };
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', wish, shy.token);
  assert.deepEqual([await approvals(), await approvals({ quote_approval_policy: 'public' })], [[], ['public']]);
  assert.equal((await quotes(bob, await shy.says('not for you'))).status, 404);
  const reblogged = (await bob.post(`/api/v1/statuses/${id}/reblog`)).body;
  assert.deepEqual([reblogged.quote_approval.automatic, reblogged.reblog.quote_approval.automatic], [[], ['public']]);
});

test('only the author sets the policy, and unknown values are refused', async () => {
  const id = await alice.says('mine');
  assert.equal((await policy(bob, id, 'public')).status, 404);
  assert.equal((await policy(alice, id, 'friends')).status, 422);
  const empty = await alice.post('/api/v1/statuses', { status: 'as usual', quote_approval_policy: '' });
  assert.deepEqual([empty.status, empty.body.quote_approval.automatic], [200, ['public']]);
  const hidden = await alice.says('for followers', { visibility: 'private' });
  assert.deepEqual((await bob.get(`/api/v1/statuses/${id}/quotes`)).body, []);
  assert.equal((await bob.get(`/api/v1/statuses/${hidden}/quotes`)).status, 404);
  assert.equal((await alice.post(`/api/v1/statuses/${id}/quotes/${id}/revoke`)).status, 404);
});

const becomes = (what: string, test: () => boolean | Promise<boolean>) =>
  until(what, async () => (await test()) || undefined, 5_000);
/** Posts a status with a quote. */
const quotes = (who: Person, id: string, more: object = {}) =>
  who.post('/api/v1/statuses', { status: 'look', quoted_status_id: id, ...more });
const open = (who: Person, text: string) => who.says(text, { quote_approval_policy: 'public' });
const seen = async (who: Pick<Person, 'get'>, id: string) => (await who.get(`/api/v1/statuses/${id}`)).body;

test('a status shows its quote, and the quoted one counts and lists it, page by page', async () => {
  const id = await open(alice, 'worth quoting');
  const first = await quotes(bob, id);
  const { quote } = first.body;
  assert.deepEqual(
    [first.status, quote.state, quote.quoted_status.id, quote.quoted_status.account.username],
    [200, 'accepted', id, 'alice'],
  );
  assert.equal(quote.quoted_status.quote, null);
  assert.deepEqual((await seen(server, first.body.id)).quote.quoted_status.content, '<p>worth quoting</p>');
  const second = await quotes(bob, id, { status: '' });
  assert.equal(second.status, 200, 'a quote needs no text');
  assert.equal((await seen(alice, id)).quotes_count, 2);
  const page = await alice.get(`/api/v1/statuses/${id}/quotes?limit=1`);
  assert.deepEqual([page.body.length, page.body[0].id], [1, second.body.id]);
  const next = linkTo(page, 'next') ?? '';
  assert.deepEqual((await alice.get(next)).body[0].id, first.body.id);
  const home = (await bob.get('/api/v1/timelines/home')).body;
  assert.equal(home[0].quote.quoted_status.id, id);
});

test('each of many quotes on a page is complete, with the viewer’s marks and filters on the quoted status', async () => {
  const [once, twice] = [await open(alice, 'quoted heron'), await open(alice, 'quoted wren')];
  const quoting = [];
  for (const id of [once, twice, once, once]) quoting.push((await quotes(bob, id)).body.id);
  const gus = await server.person('gus');
  await gus.follows(bob);
  await gus.post(`/api/v1/statuses/${once}/favourite`);
  const filter = { title: 'birds', context: ['home'], keywords_attributes: [{ keyword: 'heron' }] };
  await gus.post('/api/v2/filters', filter);
  const home = (await gus.get('/api/v1/timelines/home?limit=4')).body;
  assert.deepEqual(
    home.map(({ id }: { id: string }) => id),
    quoting.toReversed(),
  );
  const told = home.map(({ quote: { state, quoted_status: quoted } }: typeof home) => {
    return [state, quoted.id, quoted.favourited, quoted.filtered.length];
  });
  const [heron, wren] = [
    ['accepted', once, true, 1],
    ['accepted', twice, false, 0],
  ];
  assert.deepEqual(told, [heron, heron, wren, heron]);
  await alice.post(`/api/v1/accounts/${gus.id}/block`);
  const hidden = (await gus.get('/api/v1/timelines/home?limit=4')).body;
  for (const { quote } of hidden) assert.deepEqual(quote, { state: 'unauthorized', quoted_status: null });
});

test('a nested quote is shown by its id only', async () => {
  const id = await open(alice, 'the beginning');
  const middle = (await quotes(alice, id, { quote_approval_policy: 'public' })).body.id;
  const outer = (await quotes(bob, middle)).body;
  assert.deepEqual(outer.quote.quoted_status.quote, { state: 'accepted', quoted_status_id: id });
  const reblogged = await bob.post(`/api/v1/statuses/${outer.id}/reblog`);
  assert.equal(reblogged.body.quote, null);
  assert.equal(reblogged.body.reblog.quote.quoted_status.id, middle);
  assert.equal((await quotes(bob, reblogged.body.id)).status, 200, 'a reblog is quoted as what it reblogs');
});

test('a status that the viewer may not quote or see is not found', async () => {
  const carol = await server.person('carol');
  const mine = await alice.says('nobody quotes this', { quote_approval_policy: 'nobody' });
  const absent = await quotes(bob, '1');
  for (const id of [mine, await alice.says('narrow', { visibility: 'private', quote_approval_policy: 'public' })]) {
    const refused = await quotes(bob, id);
    assert.deepEqual([refused.status, refused.body], [404, absent.body]);
  }
  const direct = await alice.says('hush', { visibility: 'direct' });
  assert.equal((await quotes(alice, direct, { visibility: 'direct' })).status, 404);
  const followers = await alice.says('for friends', { quote_approval_policy: 'followers' });
  assert.equal((await seen(carol, followers)).quote_approval.current_user, 'denied');
  assert.equal((await quotes(carol, followers)).status, 404);
  await carol.follows(alice);
  assert.equal((await seen(carol, followers)).quote_approval.current_user, 'automatic');
  assert.equal((await quotes(carol, followers)).body.quote.state, 'accepted');
  const own = await quotes(alice, mine);
  assert.deepEqual(
    [own.body.quote.state, (await seen(alice, mine)).quote_approval.current_user],
    ['accepted', 'automatic'],
  );
  assert.equal((await seen(server, mine)).quote_approval.current_user, 'denied');
});

test('a status for followers is quoted by its author only, for followers', async () => {
  const dora = await server.person('dora');
  const narrow = await alice.says('only for you', { visibility: 'private' });
  const quoting = await quotes(alice, narrow, { visibility: 'public' });
  assert.deepEqual([quoting.status, quoting.body.visibility], [200, 'private']);
  assert.equal((await dora.get(`/api/v1/statuses/${quoting.body.id}`)).status, 404);
});

test('a quote shows each viewer only what they may see', async () => {
  const [erin, fred, gina] = [await server.person('erin'), await server.person('fred'), await server.person('gina')];
  const id = await open(erin, 'seen by some');
  const quoting = (await quotes(fred, id)).body.id;
  await erin.post(`/api/v1/accounts/${gina.id}/block`);
  const hidden = await seen(gina, quoting);
  assert.deepEqual(hidden.quote, { state: 'unauthorized', quoted_status: null });
  assert.ok(!JSON.stringify(hidden).includes('seen by some'));
  const outer = (await quotes(fred, quoting)).body.id;
  assert.deepEqual((await seen(gina, outer)).quote.quoted_status?.quote, {
    state: 'unauthorized',
    quoted_status_id: null,
  });
  await bob.post(`/api/v1/accounts/${erin.id}/mute`);
  assert.equal((await seen(bob, quoting)).quote.state, 'muted_account');
  await bob.post(`/api/v1/accounts/${erin.id}/unmute`);
  await bob.post(`/api/v1/accounts/${erin.id}/block`);
  assert.equal((await seen(bob, quoting)).quote.state, 'blocked_account');
  assert.equal((await quotes(bob, id)).status, 404);
  assert.equal((await quotes(gina, id)).status, 404);
  assert.equal((await erin.remove(`/api/v1/statuses/${id}`)).status, 200);
  assert.deepEqual((await seen(alice, quoting)).quote, { state: 'deleted', quoted_status: null });
});

test('only the author of the quoted status revokes a quote', async () => {
  const id = await open(alice, 'take it back');
  const quoting = (await quotes(bob, id)).body.id;
  const revoke = (who: Person) => who.post(`/api/v1/statuses/${id}/quotes/${quoting}/revoke`);
  assert.equal((await revoke(bob)).status, 403);
  const revoked = await revoke(alice);
  assert.deepEqual([revoked.status, revoked.body.id], [200, quoting]);
  assert.deepEqual(revoked.body.quote, { state: 'revoked', quoted_status: null });
  assert.deepEqual((await seen(bob, quoting)).quote, { state: 'revoked', quoted_status: null });
  assert.deepEqual((await alice.get(`/api/v1/statuses/${id}/quotes`)).body, []);
  assert.equal((await seen(alice, id)).quotes_count, 0);
  assert.equal((await revoke(alice)).status, 200, 'again is no error');
});

test('authors are notified of quotes, and quoting authors of edits', async () => {
  const [hugo, ines] = [await server.person('hugo'), await server.person('ines')];
  const id = await open(hugo, 'before');
  const quoting = (await quotes(ines, id)).body.id;
  const told = async (who: Person, type: string) =>
    (await who.get(`/api/v1/notifications?types[]=${type}`)).body.map(
      (one: { account: { username: string }; status: { id: string } }) => `${one.account.username} ${one.status.id}`,
    );
  await becomes('the author is told', async () => (await told(hugo, 'quote')).join() === `ines ${quoting}`);
  let last: string | undefined;
  for (const text of ['after', 'after all']) {
    await server.ask('PUT', `/api/v1/statuses/${id}`, { status: text }, hugo.token);
    await becomes('the edit is told, and none before', async () => {
      const notices = (await ines.get('/api/v1/notifications?types[]=quoted_update')).body;
      if (notices.length !== 1 || notices[0].id === last) return false;
      last = notices[0].id;
      return true;
    });
  }
  assert.deepEqual(await told(ines, 'quoted_update'), [`hugo ${quoting}`]);
  const edited = await server.ask('PUT', `/api/v1/statuses/${quoting}`, { status: 'mine' }, ines.token);
  assert.equal(edited.body.quote.quoted_status.content, '<p>after all</p>');
  const history = (await ines.get(`/api/v1/statuses/${quoting}/history`)).body;
  assert.deepEqual(
    history.map((one: { quote: { quoted_status: { id: string } } }) => one.quote.quoted_status.id),
    [id, id],
  );
  assert.equal((await ines.remove(`/api/v1/statuses/${quoting}`)).status, 200);
  await becomes('it is counted no more', async () => (await seen(hugo, id)).quotes_count === 0);
  assert.deepEqual((await hugo.get(`/api/v1/statuses/${id}/quotes`)).body, []);
});

test('nobody is notified of a quote that they may not see, unless it mentions them', async () => {
  const [nora, olaf] = [await server.person('nora'), await server.person('olaf')];
  const id = await open(nora, 'talked about');
  const { tables, clock } = server.node.services;
  const stored = async () => {
    const era = eraOfMs(clock.nowMs());
    const rows = await tables.range(notifications, { account: nora.id, era }, { limit: 100 });
    return rows.flatMap(({ value }) => (value.type === 'quote' ? [value.statusId] : []));
  };
  await quotes(olaf, id, { visibility: 'private' });
  await quotes(olaf, id, { visibility: 'direct' });
  const named = (await quotes(olaf, id, { visibility: 'private', status: '@nora look' })).body.id;
  const last = (await quotes(olaf, id)).body.id;
  await becomes('the last one is told', async () => (await stored()).includes(last));
  assert.deepEqual(await stored(), [named, last]);
  await nora.follows(olaf);
  const narrow = (await quotes(olaf, id, { visibility: 'private' })).body.id;
  await becomes('followers are told', async () => (await stored()).includes(narrow));
});

test('the history shows a quote as the viewer may see it', async () => {
  const [paul, quinn, rosa] = [await server.person('paul'), await server.person('quinn'), await server.person('rosa')];
  const id = await open(paul, 'not for rosa');
  const quoting = (await quotes(quinn, id)).body.id;
  await server.ask('PUT', `/api/v1/statuses/${quoting}`, { status: 'look again' }, quinn.token);
  await paul.post(`/api/v1/accounts/${rosa.id}/block`);
  const states = async (who: Pick<Person, 'get'>) =>
    (await who.get(`/api/v1/statuses/${quoting}/history`)).body.map(
      (one: { quote: { state: string } }) => one.quote.state,
    );
  assert.deepEqual(await states(quinn), ['accepted', 'accepted']);
  const answer = await rosa.get(`/api/v1/statuses/${quoting}/history`);
  assert.ok(!JSON.stringify(answer.body).includes('not for rosa'));
  assert.deepEqual(await states(rosa), ['unauthorized', 'unauthorized']);
  const decided = { action: 'suspend', by: '', text: '', mail: false };
  await server.node.services.askAccount(paul.id, 'moderate', decided);
  await becomes('nobody sees it', async () => (await states(server)).join() === 'unauthorized,unauthorized');
  assert.ok(!JSON.stringify((await quinn.get(`/api/v1/statuses/${quoting}/history`)).body).includes('not for rosa'));
});

test('a repeated key quotes once, and a scheduled status retains its quote', async () => {
  const id = await open(alice, 'later');
  const draft = { status: 'once', quoted_status_id: id };
  const key = { 'idempotency-key': 'quote once' };
  const [first, again] = [
    await server.ask('POST', '/api/v1/statuses', draft, bob.token, key),
    await server.ask('POST', '/api/v1/statuses', draft, bob.token, key),
  ];
  assert.deepEqual([first.status, again.body.id], [200, first.body.id]);
  assert.equal((await seen(alice, id)).quotes_count, 1);
  const due = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await quotes(bob, id, { scheduled_at: due });
  assert.equal(body.params.quoted_status_id, id);
});

test('streams show a quote as their viewer may see it', async () => {
  const [jack, kate, lena] = [await server.person('jack'), await server.person('kate'), await server.person('lena')];
  const id = await open(jack, 'on the air');
  await jack.post(`/api/v1/accounts/${lena.id}/block`);
  for (const who of [alice, lena]) await who.follows(kate);
  const streams = [
    await EventStream.open(server, 'user', alice.token),
    await EventStream.open(server, 'user', lena.token),
  ];
  const { body } = await quotes(kate, id);
  const quoteIn = (stream: EventStream | undefined) =>
    stream?.events
      .flatMap(({ event, data }) => (event === 'update' ? [JSON.parse(data)] : []))
      .find((one) => one.id === body.id)?.quote;
  await becomes('both have it', () => streams.every((stream) => quoteIn(stream) !== undefined));
  assert.equal(quoteIn(streams[0]).quoted_status.id, id);
  assert.deepEqual(quoteIn(streams[1]), { state: 'unauthorized', quoted_status: null });
  await jack.post(`/api/v1/statuses/${id}/quotes/${body.id}/revoke`);
  const news = () => streams[0]?.events.find(({ event }) => event === 'status.update')?.data ?? '{}';
  await becomes('the revocation is told', () => JSON.parse(news()).quote?.state === 'revoked');
  for (const stream of streams) await stream.close();
});

test('the filters of a quote are those of the place, in a stream as in a page', async () => {
  const [mona, nils, olga] = await Promise.all(['mona', 'nils', 'olga'].map((name) => server.person(name)));
  assert.ok(mona && nils && olga);
  await mona.follows(olga);
  const filter = { title: 'x', context: ['account'], keywords_attributes: [{ keyword: 'ducks' }] };
  assert.equal((await mona.post('/api/v2/filters', filter)).status, 200);
  const id = await open(nils, 'ducks');
  const stream = await EventStream.open(server, 'user', mona.token);
  const { body } = await quotes(olga, id);
  await becomes('the quote', () => stream.updates().includes(body.id));
  const update = JSON.parse(stream.dataOf('update')[0] ?? '{}');
  const [paged] = (await mona.get('/api/v1/timelines/home')).body;
  for (const one of [update, paged]) {
    assert.equal(one.quote.quoted_status.id, id);
    assert.deepEqual(one.quote.quoted_status.filtered, []);
  }
  await stream.close();
});
