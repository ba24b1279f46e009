import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wordBucket } from '../../../../actors/domain/text/words.js';
import { statusIndex } from '../../../../store/tables.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let ada: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  ada = await server.person('ada_lovelace');
  bob = await server.person('bob');
});
after(() => server.stop());

const ids = (list: { id: string }[]) => list.map((item) => item.id);
const path = (q: string, more = '') => `/api/v2/search?q=${encodeURIComponent(q)}${more}`;
const found = async (who: { get: Person['get'] }, q: string, more = '') => {
  const answer = await who.get(path(q, more));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as { accounts: { id: string }[]; statuses: { id: string }[]; hashtags: { name: string }[] };
};
const profile = (who: Person, body: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', body, who.token);

test('accounts are found by prefixes and parts of their name and words of their display name, as they are now', async () => {
  for (const q of ['ada', '@ada_love', 'LOVELACE', 'ada_lovelace@localhost', 'lovelace ada'])
    assert.deepEqual(ids((await found(bob, q, '&type=accounts')).accounts), [ada.id], q);
  await profile(ada, { display_name: 'Gräfin Byron' });
  assert.deepEqual(ids((await found(server, 'grafin')).accounts), [ada.id]);
  await profile(ada, { display_name: 'Countess' });
  assert.deepEqual((await found(bob, 'grafin')).accounts, []);
  assert.deepEqual(ids((await found(bob, 'count')).accounts), [ada.id]);
  for (const q of ['nobody', 'ada nobody', 'ada_lovelace@elsewhere.example', 'a@b@c', '%', '  '])
    assert.deepEqual((await found(bob, q)).accounts, [], q);
  const list = await bob.get('/api/v1/accounts/search?q=ada');
  assert.deepEqual(ids(list.body), [ada.id]);
});

test('accounts are found by one letter of their names, alone or beside words', async () => {
  const [quinn, rené] = [await server.person('quinn'), await server.person('rene_q')];
  await profile(quinn, { display_name: 'Жанна 7' });
  await profile(rené, { display_name: 'Élodie' });
  const who = async (q: string) => ids((await found(bob, q, '&type=accounts')).accounts).sort();
  assert.deepEqual(await who('q'), [quinn.id, rené.id].sort());
  for (const q of ['é', 'r q', 'q r', 'ren q', 'el r']) assert.deepEqual(await who(q), [rené.id], q);
  for (const q of ['ж', '7', 'quinn 7', 'q ж']) assert.deepEqual(await who(q), [quinn.id], q);
  for (const q of ['x', 'quinn r', 'я', '語']) assert.deepEqual(await who(q), [], q);
  assert.deepEqual(ids((await bob.get('/api/v1/accounts/search?q=@Q')).body).sort(), [quinn.id, rené.id].sort());
  assert.deepEqual((await found(bob, 'q', '&type=accounts&limit=1&offset=1')).accounts.length, 1);
});

test('hashtags are found by one letter, the exact name first', async () => {
  for (const text of ['#Xylo', '#x', '#xx #x_ray #x9', '#жук']) await bob.says(text);
  const names = async (q: string, more = '') =>
    (await found(bob, q, `&type=hashtags${more}`)).hashtags.map(({ name }) => name);
  await until('they are found', async () => (await names('xx')).length + (await names('жу')).length === 2, 5_000);
  assert.deepEqual((await names('x')).sort(), ['Xylo', 'x', 'x9', 'x_ray', 'xx']);
  assert.deepEqual([(await names('#X'))[0], (await names('x', '&limit=2&offset=1')).length], ['x', 2]);
  assert.deepEqual([await names('ж'), await names('я')], [['жук'], []]);
});

test('the exact name comes first, then followed accounts; following restricts the result; pages use offsets', async () => {
  const [exact, friend, other] = [
    await server.person('eve'),
    await server.person('evelyn'),
    await server.person('eveline'),
  ];
  await bob.follows(friend);
  const all = ids((await found(bob, 'eve')).accounts);
  assert.deepEqual(all.slice(0, 2), [exact.id, friend.id]);
  assert.deepEqual(all[2], other.id);
  assert.deepEqual(ids((await found(bob, 'eve', '&following=true')).accounts), [friend.id]);
  assert.deepEqual(ids((await found(bob, 'eve', '&limit=1&offset=1')).accounts), [friend.id]);
  assert.deepEqual(ids((await bob.get('/api/v1/accounts/search?q=eve&following=true')).body), [friend.id]);
});

test('the most followed of many matches come first, and every page continues the previous one', async () => {
  const crowd = await Promise.all(Array.from({ length: 7 }, (_, n) => server.person(`ulla${n}`)));
  for (const [place, followed] of crowd.entries())
    for (const other of crowd.slice(0, place)) await other.follows(followed);
  const order = crowd.toReversed().map(({ id }) => id);
  assert.deepEqual(ids((await found(bob, 'ulla')).accounts), order);
  for (const offset of [0, 2, 6, 7]) {
    const page = (await found(bob, 'ulla', `&limit=2&offset=${offset}`)).accounts;
    assert.deepEqual(ids(page), order.slice(offset, offset + 2), `from ${offset}`);
  }
});

test('a block hides nobody from account searches, in either direction', async () => {
  const [one, two] = [await server.person('zoe_one'), await server.person('zoe_two')];
  await one.post(`/api/v1/accounts/${two.id}/block`);
  for (const [who, other, name] of [
    [one, two, 'zoe_two'],
    [two, one, 'zoe_one'],
  ] as const) {
    for (const q of [name, `@${name}@localhost`, `http://localhost/@${name}`])
      assert.deepEqual(ids((await found(who, q, '&type=accounts&resolve=true')).accounts), [other.id], q);
    assert.deepEqual(ids((await who.get(`/api/v1/accounts/search?q=${name}`)).body), [other.id]);
  }
  assert.equal((await found(bob, 'zoe')).accounts.length, 2);
});

test('hashtags are found by prefix, the exact one first, with their uses', async () => {
  await ada.says('#birdwatching #bird');
  await ada.says('#secretbirds', { visibility: 'unlisted' });
  const { hashtags } = await found(bob, '#Bird', '&type=hashtags');
  assert.deepEqual(
    hashtags.map(({ name }) => name),
    ['bird', 'birdwatching'],
  );
  assert.equal((hashtags[0] as unknown as { history: { uses: string }[] }).history[0]?.uses, '1');
  assert.deepEqual((await found(server, 'secretb')).hashtags, []);
  const old = await bob.get('/api/v1/search?q=bird');
  assert.deepEqual(old.body.hashtags, ['bird', 'birdwatching']);
});

test('the viewer’s own statuses, marked ones and mentions are found by all their words, phrases and exclusions', async () => {
  const own = await bob.says('The quick brown Fox');
  const closed = await bob.says('brown bread', { visibility: 'direct' });
  const liked = await ada.says('a brown coat');
  await bob.post(`/api/v1/statuses/${liked}/favourite`);
  const kept = await ada.says('brown shoes');
  await bob.post(`/api/v1/statuses/${kept}/bookmark`);
  const mention = await ada.says('@bob brown eyes', { visibility: 'direct' });
  await ada.says('brown, said to nobody');
  const search = async (q: string, more = '') => ids((await found(bob, q, `&type=statuses${more}`)).statuses);
  const expected = [mention, kept, liked, closed, own];
  await until('all five', async () => ((await search('brown')).length === 5 ? true : undefined), 5_000);
  assert.deepEqual(await search('brown'), expected);
  assert.deepEqual(await search('brown', '&limit=2&offset=1'), [kept, liked]);
  assert.deepEqual(await search('brown', `&account_id=${bob.id}`), [closed, own]);
  assert.deepEqual(await search('brown', `&max_id=${liked}`), [closed, own]);
  assert.deepEqual(await search('FOX quick'), [own]);
  assert.deepEqual(await search('"quick brown"'), [own]);
  assert.deepEqual(await search('"brown quick"'), []);
  assert.deepEqual(await search('brown -fox -bread -coat -shoes'), [mention]);
  await bob.remove(`/api/v1/statuses/${own}`);
  assert.deepEqual(await search('fox'), []);
});

test('a hashtag finds only the statuses that have it', async () => {
  const cat = await server.person('cat');
  const tagged = await cat.says('plover #plover');
  const plain = await cat.says('plover, no hashtag');
  const longer = await cat.says('#plover_x');
  const search = async (q: string) => ids((await found(cat, q, '&type=statuses')).statuses);
  assert.deepEqual(await search('plover'), [longer, plain, tagged]);
  assert.deepEqual(await search('#plover'), [tagged]);
  assert.deepEqual(await search('＃PLOVER'), [tagged]);
  assert.deepEqual(await search('#plover_x'), [longer]);
  assert.deepEqual(await search('#plover_x plover'), [longer]);
  assert.deepEqual(await search('plover -#plover'), [longer, plain]);
  assert.deepEqual(await search('"plover #plover"'), [tagged]);
});

test('everybody finds public statuses of authors who allow indexing, and no others', async () => {
  const open = await server.person('open');
  const shy = await server.person('shy');
  await profile(open, { indexable: true });
  const id = await open.says('a nightingale sang');
  await open.says('nightingale, quietly', { visibility: 'unlisted' });
  await open.says('nightingale, closed', { visibility: 'private' });
  await shy.says('nightingale');
  assert.deepEqual(ids((await found(bob, 'nightingale')).statuses), [id]);
  assert.deepEqual((await found(server, 'nightingale')).statuses, [], 'nobody is signed in');
  await open.post(`/api/v1/accounts/${shy.id}/block`);
  assert.deepEqual(ids((await found(shy, 'nightingale')).statuses).includes(id), false);
  await profile(open, { indexable: false });
  assert.deepEqual((await found(bob, 'nightingale')).statuses, []);
  await profile(open, { indexable: true });
  await open.remove(`/api/v1/statuses/${id}`);
  assert.deepEqual((await found(bob, 'nightingale')).statuses, []);
});

test('older statuses are found after their author allows indexing, and leave the index when it is forbidden', async () => {
  const late = await server.person('late');
  const before = await late.says('a kingfisher');
  assert.deepEqual((await found(bob, 'kingfisher')).statuses, []);
  await profile(late, { indexable: true });
  const all = async () => ids((await found(bob, 'kingfisher')).statuses);
  await until('it is found', async () => (await all()).includes(before) || undefined, 5_000);
  const after = await late.says('another kingfisher');
  assert.deepEqual(await all(), [after, before]);
  await profile(late, { indexable: false });
  const range = { word: 'kingfisher', bucket: wordBucket(before) };
  const rows = () => server.node.services.tables.range(statusIndex, range, { limit: 5 });
  await until('no row of it', async () => (await rows()).length === 0 || undefined, 5_000);
});

test('local addresses lead to their objects, if the viewer may see them', async () => {
  const id = await ada.says('addressed #place');
  const closed = await ada.says('closed', { visibility: 'private' });
  assert.deepEqual(ids((await found(bob, `http://localhost/@ada_lovelace/${id}`, '&resolve=true')).statuses), [id]);
  assert.deepEqual(ids((await found(bob, `http://localhost/users/ada_lovelace/statuses/${id}`)).statuses), [id]);
  assert.deepEqual((await found(bob, `http://localhost/@ada_lovelace/${closed}`)).statuses, []);
  assert.deepEqual(ids((await found(ada, `http://localhost/@ada_lovelace/${closed}`)).statuses), [closed]);
  assert.deepEqual(ids((await found(server, 'http://localhost/@Ada_Lovelace')).accounts), [ada.id]);
  assert.deepEqual(
    (await found(bob, 'http://localhost/tags/Place')).hashtags.map(({ name }) => name),
    ['place'],
  );
  for (const q of ['http://localhost/', 'http://localhost/tags/%', 'http://localhost/@nobody', 'http://localhost/x/y'])
    assert.deepEqual(await found(bob, q), { accounts: [], statuses: [], hashtags: [] }, q);
});

test('an anonymous viewer gets no later pages and no resolved addresses; bad queries are refused', async () => {
  assert.equal((await server.get(path('ada', '&offset=1'))).status, 401);
  assert.equal((await server.get(path('ada', '&resolve=true'))).status, 401);
  assert.equal((await server.get('/api/v1/accounts/search?q=ada')).status, 401);
  assert.equal((await server.get('/api/v1/search?q=ada')).status, 401);
  assert.equal((await bob.get('/api/v2/search')).status, 422);
  assert.equal((await bob.get(path('x'.repeat(501)))).status, 422);
  assert.equal((await bob.get(path('x', '&type=people'))).status, 422);
  const posting = await server.token(bob.id, ['write']);
  assert.equal((await server.ask('GET', path('x'), undefined, posting)).status, 403);
});

test('words that an edit adds are found, and removed ones are not', async () => {
  const writer = await server.person('writer');
  await profile(writer, { indexable: true });
  const id = await writer.says('a marmot whistled');
  assert.deepEqual(ids((await found(bob, 'marmot')).statuses), [id]);
  const edited = await writer.put(`/api/v1/statuses/${id}`, { status: 'an ibex whistled', spoiler_text: 'Alps' });
  assert.equal(edited.status, 200);
  for (const q of ['ibex', 'whistled', 'alps', 'ibex alps whistled'])
    assert.deepEqual(ids((await found(bob, q)).statuses), [id], q);
  assert.deepEqual((await found(bob, 'marmot')).statuses, []);
  await writer.put(`/api/v1/statuses/${id}`, { status: 'a chamois' });
  assert.deepEqual(ids((await found(bob, 'chamois')).statuses), [id]);
  await writer.remove(`/api/v1/statuses/${id}`);
  for (const word of ['marmot', 'ibex', 'chamois', 'alps']) {
    assert.deepEqual((await found(bob, word)).statuses, [], word);
    const bucket = wordBucket(id);
    const left = () => server.node.services.tables.range(statusIndex, { word, bucket }, { limit: 1 });
    await until('no row of it', async () => (await left()).length === 0 || undefined, 5_000);
  }
  const shy = await server.person('shy_writer');
  const other = await shy.says('a beaver');
  await shy.put(`/api/v1/statuses/${other}`, { status: 'an otter' });
  assert.deepEqual((await found(bob, 'otter')).statuses, [], 'whoever does not want it is not found by edits either');
});

test('operators select statuses by author, time, content and place', async () => {
  const [gil, hal] = [await server.person('gil'), await server.person('hal')];
  await profile(gil, { indexable: true });
  const plain = await gil.says('zebra plain', { language: 'de' });
  const poll = await gil.says('zebra poll', { language: 'en', poll: { options: ['a', 'b'], expires_in: 3_600 } });
  const reply = await gil.says('zebra reply', { in_reply_to_id: plain, language: 'en' });
  const hidden = await gil.says('zebra hidden', { visibility: 'unlisted', language: 'en' });
  const own = await hal.says('zebra own', { sensitive: true, language: 'en' });
  const all = async (q: string) => ids((await found(hal, q, '&type=statuses')).statuses);
  await until('the index', async () => (await all('zebra')).length === 4, 10_000);
  const day = new Date().toISOString().slice(0, 10);
  for (const [q, expected] of [
    ['from:me zebra', [own]],
    ['zebra from:gil', [reply, poll, plain]],
    ['zebra from:@GIL@localhost', [reply, poll, plain]],
    ['zebra -from:gil', [own]],
    ['zebra from:nobody', []],
    ['from:gil', [reply, poll, plain]],
    ['from:me', [own]],
    ['from:gil has:poll', [poll]],
    ['from:gil -has:poll', [reply, plain]],
    ['zebra is:reply', [reply]],
    ['zebra is:sensitive', [own]],
    ['zebra has:media', []],
    ['zebra has:nonsense', []],
    ['zebra language:de', [plain]],
    [`zebra during:${day} is:reply`, [reply]],
    [`zebra before:${day}`, []],
    [`zebra after:${day}`, []],
    ['zebra after:2020-01-01', [own, reply, poll, plain]],
    ['zebra before:nonsense', []],
    ['zebra in:library', [own]],
    ['zebra in:public from:gil', [reply, poll, plain]],
    ['zebra "from:gil"', []],
    ['zebra foo:bar', []],
  ] as const)
    assert.deepEqual(await all(q), expected, q);
  assert.equal((await all('from:gil')).includes(hidden), false, 'what is not public is not searched');
});
