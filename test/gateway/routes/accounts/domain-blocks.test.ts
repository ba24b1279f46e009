import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { put, type Tables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const WAIT_MS = 5_000;
const PATH = '/api/v1/domain_blocks';
const ids = (list: { id: string }[]) => list.map((item) => item.id);
const at = async (person: Person, path: string) => ids((await person.get(path)).body);

/** Gives an account another server's domain in its row, which all readers use. */
async function movesTo(person: Person, domain: string): Promise<void> {
  const tables = server.node.services.tables as unknown as Tables;
  const record = await tables.get(accounts, { account: person.id });
  assert.ok(record);
  await tables.write([put(accounts, { account: person.id }, { ...record, domain })]);
}

test('domains are blocked, listed newest first and paged by Link, and unblocked by query or body', async () => {
  const ann = await server.person('ann');
  for (const domain of ['one.example', 'TWO.example', 'two.example', 'three.example'])
    assert.deepEqual((await ann.post(PATH, { domain })).body, {});
  assert.deepEqual((await ann.get(PATH)).body, ['three.example', 'two.example', 'one.example']);
  const page = await ann.get(`${PATH}?limit=2`);
  assert.deepEqual((await ann.get(linkTo(page, 'next') ?? '')).body, ['one.example']);
  assert.deepEqual((await ann.remove(`${PATH}?domain=two.example`)).body, {});
  assert.equal((await server.ask('DELETE', PATH, { domain: 'one.example' }, ann.token)).status, 200);
  assert.deepEqual((await ann.get(PATH)).body, ['three.example']);
  assert.equal((await ann.remove(`${PATH}?domain=never.example`)).status, 200);
  for (const wrong of [{}, { domain: '' }, { domain: 'no domain' }, { domain: 'x'.repeat(300) }])
    assert.equal((await ann.post(PATH, wrong)).status, 422, JSON.stringify(wrong));
  assert.equal((await server.get(PATH)).status, 401);
  const narrow = await server.token(ann.id, ['read:mutes']);
  assert.equal((await server.ask('GET', PATH, undefined, narrow)).status, 403);
});

test('accounts of a blocked domain vanish from public timelines, threads, notifications and reblogs, until it is unblocked', async () => {
  const [ben, far, cleo] = [await server.person('ben'), await server.person('far'), await server.person('cleo')];
  await ben.follows(cleo);
  const own = await ben.says('mine #birds');
  const fars = await far.says('@ben from afar #birds', { in_reply_to_id: own });
  const alone = await far.says('alone');
  await cleo.post(`/api/v1/statuses/${alone}/reblog`);
  const thread = async () => ids((await ben.get(`/api/v1/statuses/${own}/context`)).body.descendants);
  await until('the mention', async () => (await at(ben, '/api/v1/notifications'))[0], WAIT_MS);
  await movesTo(far, 'far.example');
  const everything = async () => ({
    public: (await at(ben, '/api/v1/timelines/public')).includes(alone),
    tag: (await at(ben, '/api/v1/timelines/tag/birds')).includes(fars),
    thread: (await thread()).includes(fars),
    told: (await at(ben, '/api/v1/notifications')).length > 0,
    home: (await at(ben, '/api/v1/timelines/home')).length === 2,
  });
  const all = { public: true, tag: true, thread: true, told: true, home: true };
  assert.deepEqual(await everything(), all);
  await ben.post(PATH, { domain: 'far.example' });
  assert.deepEqual(await everything(), { public: false, tag: false, thread: false, told: false, home: false });
  const [relation] = (await ben.get(`/api/v1/accounts/relationships?id[]=${far.id}`)).body;
  assert.equal(relation.domain_blocking, true);
  assert.equal((await ben.get(`/api/v1/statuses/${alone}`)).status, 200, 'who asks for it by name gets it');
  assert.deepEqual(await at(ben, `/api/v1/accounts/${far.id}/statuses`), [alone, fars]);
  await ben.remove(`${PATH}?domain=far.example`);
  assert.deepEqual(await everything(), all);
});

test('a domain block removes followers from the domain and follows of its accounts; others stay', async () => {
  const [dan, far, near] = [await server.person('dan'), await server.person('away'), await server.person('near')];
  for (const fan of [far, near]) await fan.follows(dan);
  for (const other of [far, near]) await dan.follows(other);
  await movesTo(far, 'gone.example');
  await dan.post(PATH, { domain: 'gone.example' });
  const relation = async (from: Person, to: Person) =>
    (await from.get(`/api/v1/accounts/relationships?id[]=${to.id}`)).body[0];
  await until(
    'the follows end',
    async () => {
      const [there, back] = [await relation(far, dan), await relation(dan, far)];
      return (!there.following && !back.following && !back.followed_by) || undefined;
    },
    WAIT_MS,
  );
  assert.equal((await relation(near, dan)).following, true);
  assert.equal((await relation(dan, near)).following, true);
  assert.equal((await dan.get(`/api/v1/accounts/${dan.id}`)).body.followers_count, 1);
  const told = async () => (await dan.get('/api/v1/notifications?types[]=severed_relationships')).body[0];
  const { type, account, event } = await until('what it ended is told', told, WAIT_MS);
  assert.deepEqual([type, account.id], ['severed_relationships', dan.id]);
  const { target_name, followers_count, following_count } = event;
  assert.deepEqual(
    [event.type, target_name, followers_count, following_count],
    ['user_domain_block', 'gone.example', 1, 1],
  );
});

test('follow requests from a blocked domain are rejected', async () => {
  const [nan, far] = [await server.person('nan'), await server.person('distant')];
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { locked: true }, nan.token);
  await far.follows(nan);
  await movesTo(far, 'distant.example');
  assert.equal((await nan.get('/api/v1/follow_requests')).body.length, 1);
  await nan.post(PATH, { domain: 'distant.example' });
  const turnedDown = async () => (await nan.get('/api/v1/follow_requests')).body.length === 0 || undefined;
  await until('the request is gone', turnedDown, WAIT_MS);
  const [relation] = (await far.get(`/api/v1/accounts/relationships?id[]=${nan.id}`)).body;
  assert.equal(relation.requested, false);
});

test('followers from a domain can be removed without a block', async () => {
  const [eve, far] = [await server.person('eve'), await server.person('afar')];
  await far.follows(eve);
  await movesTo(far, 'other.example');
  await server.node.services.askAccount(eve.id, 'partFromDomain', { domain: 'other.example', following: false });
  await until(
    'the follower is gone',
    async () => {
      const [relation] = (await far.get(`/api/v1/accounts/relationships?id[]=${eve.id}`)).body;
      return !relation.following || undefined;
    },
    WAIT_MS,
  );
  assert.deepEqual((await eve.get(PATH)).body, []);
});

test('streams send nothing by accounts of a blocked domain', async () => {
  const [fay, gil, jan] = [await server.person('fay'), await server.person('gil'), await server.person('jan')];
  await fay.follows(jan);
  const early = await gil.says('early');
  const stream = await EventStream.open(server, 'public', fay.token);
  const home = await EventStream.open(server, 'user', fay.token);
  const arrives = (id: string) =>
    until(`${id} in the stream`, () => stream.updates().includes(id) || undefined, WAIT_MS);
  const probed = async () =>
    (await jan.says('probe')) !== '' && stream.updates().length > 0 && home.updates().length > 0;
  await until('the streams are open', async () => (await probed()) || undefined, WAIT_MS);
  await fay.post(PATH, { domain: 'gil.example' });
  // A local account's row is rewritten with each status, so only decisions by the earlier row are visible here.
  await movesTo(gil, 'gil.example');
  const reblog = (await jan.post(`/api/v1/statuses/${early}/reblog`)).body.id;
  const last = await jan.says('last');
  await arrives(last);
  assert.ok(!home.updates().includes(reblog));
  await stream.close();
  await home.close();
});

test('conversations with accounts of a blocked domain are hidden until it is unblocked', async () => {
  const [kim, far] = [await server.person('kim'), await server.person('abroad')];
  await kim.follows(far);
  const status = await far.says('@kim a word', { visibility: 'direct' });
  const conversations = () => at(kim, '/api/v1/conversations');
  await until('the conversation', async () => (await conversations())[0], WAIT_MS);
  await movesTo(far, 'abroad.example');
  await kim.post(PATH, { domain: 'abroad.example' });
  const followers = async () => (await far.get(`/api/v1/accounts/${far.id}`)).body.followers_count;
  await until('the follow is over', async () => (await followers()) === 0 || undefined, WAIT_MS);
  // The local account's row was rewritten by the previous step.
  await movesTo(far, 'abroad.example');
  assert.deepEqual(await conversations(), []);
  assert.deepEqual(await at(kim, '/api/v1/timelines/direct'), []);
  assert.deepEqual(await at(kim, '/api/v1/timelines/mentions'), []);
  await kim.remove(`${PATH}?domain=abroad.example`);
  assert.equal((await conversations()).length, 1);
  assert.deepEqual(await at(kim, '/api/v1/timelines/direct'), [status]);
});

test('accounts of a blocked domain are not suggested', async () => {
  const [lea, far] = [await server.person('lea'), await server.person('outside')];
  const status = await far.says('a thing to like');
  await lea.post(`/api/v1/statuses/${status}/favourite`);
  await movesTo(far, 'outside.example');
  const suggested = async () => (await at(lea, '/api/v1/suggestions')).includes(far.id);
  await until('the suggestion', async () => (await suggested()) || undefined, WAIT_MS);
  await lea.post(PATH, { domain: 'outside.example' });
  assert.equal(await suggested(), false);
});

test('accounts of a blocked domain and their statuses are neither found nor in the directory', async () => {
  const [moe, far] = [await server.person('moe'), await server.person('beyond')];
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true, indexable: true }, far.token);
  const status = await far.says('a rare kakapo');
  await movesTo(far, 'beyond.example');
  const found = async () => {
    const people = (await moe.get('/api/v2/search?q=beyond&type=accounts')).body.accounts;
    const statuses = (await moe.get('/api/v2/search?q=kakapo&type=statuses')).body.statuses;
    return [ids(people), ids(statuses), await at(moe, '/api/v1/accounts/search?q=beyond')];
  };
  assert.deepEqual(await found(), [[far.id], [status], [far.id]]);
  assert.ok((await at(moe, '/api/v1/directory?limit=80')).includes(far.id));
  await moe.post(PATH, { domain: 'beyond.example' });
  assert.deepEqual(await found(), [[], [], []]);
  assert.ok(!(await at(moe, '/api/v1/directory?limit=80')).includes(far.id));
  await moe.remove(`${PATH}?domain=beyond.example`);
  assert.deepEqual(await found(), [[far.id], [status], [far.id]]);
});
