import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { sameDayFor } from '../../../kit/time/same-day.js';

let server: TestServer;
let alice: Person;
let bob: Person;
before(async () => {
  await sameDayFor(60_000);
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
});
after(() => server.stop());

const ids = (list: { id: string }[]) => list.map((item) => item.id);
const timeline = (tag: string, query = '') => `/api/v1/timelines/tag/${encodeURIComponent(tag)}${query}`;

test('a hashtag’s timeline contains public statuses with it, including replies, in any spelling', async () => {
  const first = await alice.says('a #Blackbird sings');
  const reply = await bob.says('a #blackbird, too', { in_reply_to_id: first });
  for (const visibility of ['unlisted', 'private', 'direct']) await alice.says('#blackbird quietly', { visibility });
  await bob.post(`/api/v1/statuses/${first}/reblog`);
  for (const who of [server, alice, bob]) {
    for (const tag of ['blackbird', '#BlackBird', 'bläckbird'])
      assert.deepEqual(ids((await who.get(timeline(tag))).body), [reply, first]);
  }
  const [shown] = (await server.get(timeline('blackbird'))).body;
  assert.deepEqual(shown.tags, [{ name: 'blackbird', url: 'http://localhost/tags/blackbird' }]);
  assert.match(shown.content, /<a href="http:\/\/localhost\/tags\/blackbird" class="mention hashtag" rel="tag">/);
  assert.equal((await bob.remove(`/api/v1/statuses/${reply}`)).status, 200);
  assert.deepEqual(ids((await server.get(timeline('blackbird'))).body), [first]);
});

test('an edit removes a status from hashtags that it no longer has, and adds it to new ones', async () => {
  const id = await alice.says('#swift');
  const edit = (status: string) => server.ask('PUT', `/api/v1/statuses/${id}`, { status }, alice.token);
  assert.equal((await edit('#martin #gull')).status, 200);
  assert.deepEqual((await server.get(timeline('swift'))).body, []);
  assert.equal((await server.get('/api/v1/tags/swift')).body.history[0].uses, '0');
  assert.deepEqual(ids((await server.get(timeline('martin'))).body), [id]);
  await edit('#swift #gull');
  assert.deepEqual(ids((await server.get(timeline('swift'))).body), [id]);
  assert.deepEqual(ids((await server.get(timeline('gull'))).body), [id]);
  assert.deepEqual((await server.get(timeline('gull', '?only_media=true'))).body, []);
});

test('any adds hashtags, all and none remove statuses', async () => {
  const one = await alice.says('#owl');
  const two = await alice.says('#owl #night');
  const three = await alice.says('#bat #night');
  const asked = async (query: string) => ids((await server.get(timeline('owl', query))).body);
  assert.deepEqual(await asked('?any[]=bat'), [three, two, one]);
  assert.deepEqual(await asked('?all[]=Night'), [two]);
  assert.deepEqual(await asked('?any[]=bat&all[]=night&none[]=owl'), [three]);
  assert.deepEqual(await asked('?none[]=night'), [one]);
  assert.deepEqual(await asked('?local=true'), [two, one]);
  assert.deepEqual(await asked('?remote=true'), []);
});

test('pages continue down and up without gaps or repeats, for hashtags that share statuses', async () => {
  const said: string[] = [];
  for (let n = 0; n < 9; n++) said.unshift(await alice.says(['#heron', '#stork', '#heron #stork'][n % 3] ?? ''));
  const down: string[] = [];
  for (let path: string | undefined = timeline('heron', '?any[]=stork&limit=2'); path !== undefined; ) {
    const page = await server.get(path);
    down.push(...ids(page.body));
    path = linkTo(page, 'next');
    assert.ok(path === undefined || path.includes('any%5B%5D=stork'), path);
  }
  assert.deepEqual(down, said);
  const up: string[] = [];
  for (let path = timeline('heron', `?any[]=stork&limit=2&min_id=${said.at(-1)}`); ; ) {
    const page = await server.get(path);
    if (page.body.length === 0) break;
    up.unshift(...ids(page.body));
    path = linkTo(page, 'prev') ?? '';
  }
  assert.deepEqual(up, said.slice(0, -1));
});

test('accounts that the viewer blocks or mutes, or that block the viewer, are not in a hashtag’s timeline', async () => {
  const [viewer, blocked, muted, blocker] = [
    await server.person('viewer'),
    await server.person('blocked'),
    await server.person('muted'),
    await server.person('blocker'),
  ];
  for (const who of [blocked, muted, blocker]) await who.says('#crow');
  const own = await viewer.says('#crow');
  await viewer.post(`/api/v1/accounts/${blocked.id}/block`);
  await viewer.post(`/api/v1/accounts/${muted.id}/mute`);
  await blocker.post(`/api/v1/accounts/${viewer.id}/block`);
  assert.deepEqual(ids((await viewer.get(timeline('crow'))).body), [own]);
  assert.equal((await server.get(timeline('crow'))).body.length, 4);
});

test('a hashtag has a week of uses by day, and distinct accounts; an unused one has none', async () => {
  await alice.says('#finch');
  await alice.says('#finch again');
  await bob.says('#Finch');
  const { body } = await server.get('/api/v1/tags/Finch');
  assert.deepEqual([body.name, body.url, body.history.length], ['finch', 'http://localhost/tags/finch', 7]);
  assert.deepEqual([body.history[0].uses, body.history[0].accounts], ['3', '2']);
  assert.equal(Number(body.history[0].day) % 86_400, 0);
  assert.deepEqual([body.history[6].uses, body.history[6].accounts], ['0', '0']);
  assert.match(body.id, /^[0-9]{1,18}$/);
  assert.equal((await server.get('/api/v1/tags/nobody_used_it')).body.history[0].uses, '0');
});

test('a hashtag has its most common spelling, the earliest of equally common ones, and its own spelling in a status', async () => {
  const named = async (name: string) => (await server.get(`/api/v1/tags/${name}`)).body.name;
  const said = await bob.says('#SnowBunting');
  assert.equal(await named('snowbunting'), 'SnowBunting');
  await alice.says('#snowbunting and #snowbunting');
  assert.equal(await named('snowbunting'), 'SnowBunting', 'one against one');
  await alice.says('#snowbunting');
  assert.equal(await named('snowbunting'), 'SnowBunting', 'the same person again');
  const carol = await server.person('bunting_lover');
  await carol.says('#snowbunting');
  assert.equal(await named('SnowBunting'), 'snowbunting');
  const status = (await server.get(`/api/v1/statuses/${said}`)).body;
  assert.deepEqual(status.tags, [{ name: 'snowbunting', url: 'http://localhost/tags/snowbunting' }]);
  assert.match(status.content, />#<span>SnowBunting<\/span></);
  await bob.says('#RedKite');
  const { hashtags } = (await alice.get('/api/v2/search?q=redk&type=hashtags')).body;
  assert.deepEqual(
    hashtags.map(({ name, url }: { name: string; url: string }) => [name, url]),
    [['RedKite', 'http://localhost/tags/redkite']],
  );
  assert.equal((await alice.post('/api/v1/tags/redkite/follow')).body.name, 'RedKite');
  assert.equal((await alice.get('/api/v1/followed_tags')).body[0].name, 'RedKite');
  await alice.post('/api/v1/tags/redkite/unfollow');
});

test('a malformed hashtag is not found, and has an empty timeline; malformed bounds are refused', async () => {
  for (const name of ['2026', 'a-b', '%20', 'x'.repeat(201)]) {
    assert.equal((await server.get(`/api/v1/tags/${name}`)).status, 404, name);
    assert.deepEqual((await server.get(`/api/v1/timelines/tag/${name}`)).body, [], name);
  }
  assert.equal((await server.get(timeline('owl', '?max_id=x&limit=0'))).status, 200);
});

test('followed hashtags add public statuses of anyone to the home timeline, until they are unfollowed', async () => {
  const [reader, friend, stranger, nuisance] = [
    await server.person('reader'),
    await server.person('friend'),
    await server.person('stranger'),
    await server.person('nuisance'),
  ];
  await reader.follows(friend);
  await reader.post(`/api/v1/accounts/${nuisance.id}/mute`);
  const followed = await reader.post('/api/v1/tags/Wren/follow');
  assert.deepEqual([followed.status, followed.body.name, followed.body.following], [200, 'wren', true]);
  const mine = await reader.says('mine');
  const hers = await friend.says('a #wren of a friend');
  const strangers = await stranger.says('a #wren of a stranger');
  const reply = await stranger.says('#wren again', { in_reply_to_id: strangers });
  for (const visibility of ['unlisted', 'private', 'direct']) await stranger.says('#wren quietly', { visibility });
  await nuisance.says('#wren');
  await stranger.says(`@nuisance #wren`);
  await stranger.says('nothing');
  await friend.says('@stranger a reply to a stranger', { in_reply_to_id: strangers });
  const home = () => reader.get('/api/v1/timelines/home');
  assert.deepEqual(ids((await home()).body), [reply, strangers, hers, mine]);
  const first = await reader.get('/api/v1/timelines/home?limit=2');
  assert.deepEqual(ids(first.body), [reply, strangers]);
  assert.deepEqual(ids((await reader.get(linkTo(first, 'next') ?? '')).body), [hers, mine]);
  assert.deepEqual(ids((await reader.get(`/api/v1/timelines/home?min_id=${mine}&limit=2`)).body), [strangers, hers]);
  assert.equal((await reader.get('/api/v1/tags/wren')).body.following, true);
  assert.equal((await stranger.get('/api/v1/tags/wren')).body.following, false);
  assert.equal('following' in (await server.get('/api/v1/tags/wren')).body, false);
  assert.equal((await reader.post('/api/v1/tags/wren/unfollow')).body.following, false);
  assert.deepEqual(ids((await home()).body), [hers, mine]);
});

test('followed hashtags are listed, latest first, and paged by Link', async () => {
  const reader = await server.person('lister');
  for (const name of ['a', 'b', 'c']) await reader.post(`/api/v1/tags/${name}/follow`);
  const page = await reader.get('/api/v1/followed_tags?limit=2');
  assert.deepEqual(
    page.body.map(({ name }: { name: string }) => name),
    ['c', 'b'],
  );
  assert.ok(page.body.every((tag: { following: boolean }) => tag.following));
  const rest = await reader.get(linkTo(page, 'next') ?? '');
  assert.deepEqual(
    rest.body.map(({ name }: { name: string }) => name),
    ['a'],
  );
  assert.equal(linkTo(rest, 'next'), undefined);
  assert.deepEqual((await bob.get('/api/v1/followed_tags')).body, []);
});

test('following a hashtag needs a user with the scope, and a valid name', async () => {
  assert.equal((await server.ask('POST', '/api/v1/tags/birds/follow')).status, 401);
  assert.equal((await server.get('/api/v1/followed_tags')).status, 401);
  const reading = await server.token(alice.id, ['read']);
  assert.equal((await server.ask('POST', '/api/v1/tags/birds/follow', undefined, reading)).status, 403);
  assert.equal((await alice.post('/api/v1/tags/2026/follow')).status, 404);
  assert.equal((await alice.post('/api/v1/tags/2026/unfollow')).status, 404);
});
