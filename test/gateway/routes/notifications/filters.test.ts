import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const WAIT_MS = 5_000;
const put = (person: Person, path: string, body: unknown) => server.ask('PUT', path, body, person.token);
const ids = (list: { id: string }[]) => list.map((item) => item.id);
interface Shown {
  readonly id: string;
  readonly filtered: { filter: { id: string; title: string }; keyword_matches: string[] | null }[];
  readonly reblog: Shown | null;
}
const found = (list: Shown[], id: string) => list.find((one) => one.id === id)?.filtered.map((one) => one.filter.title);
const everywhere = ['home', 'notifications', 'public', 'thread', 'account'];

test('filters, keywords and statuses are created, read, changed and removed, through both versions of the API', async () => {
  const [ann, ben] = [await server.person('ann'), await server.person('ben')];
  const status = await ben.says('about cats');
  const made = await ann.post('/api/v2/filters', {
    title: 'animals',
    context: ['home', 'public'],
    filter_action: 'hide',
    expires_in: 3_600,
    keywords_attributes: [{ keyword: 'cat', whole_word: true }, { keyword: 'dog' }],
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, title, context, filter_action, expires_at, keywords } = made.body;
  assert.deepEqual([title, context, filter_action], ['animals', ['home', 'public'], 'hide']);
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000) < 60_000);
  assert.deepEqual((await ann.get('/api/v2/filters')).body, [made.body]);
  assert.deepEqual((await ann.get(`/api/v2/filters/${id}`)).body, made.body);
  assert.deepEqual((await ann.get(`/api/v2/filters/${id}/keywords`)).body, keywords);
  const [cat, dog] = keywords;
  assert.deepEqual((await ann.get(`/api/v2/filters/keywords/${cat.id}`)).body, cat);
  assert.deepEqual([cat.whole_word, dog.whole_word], [true, true], 'whole words unless said otherwise');
  const cow = (await ann.post(`/api/v2/filters/${id}/keywords`, { keyword: 'cow' })).body;
  assert.deepEqual([cow.keyword, cow.whole_word], ['cow', true]);
  const part = await put(ann, `/api/v2/filters/keywords/${cow.id}`, { keyword: 'cow', whole_word: false });
  assert.equal(part.body.whole_word, false);
  const still = await put(ann, `/api/v2/filters/keywords/${cow.id}`, { keyword: 'cow' });
  assert.equal(still.body.whole_word, false, 'as it was');
  assert.equal((await put(ann, `/api/v2/filters/keywords/${cow.id}`, { keyword: 'cows' })).body.keyword, 'cows');
  const named = (await ann.post(`/api/v2/filters/${id}/statuses`, { status_id: status })).body;
  assert.deepEqual((await ann.get(`/api/v2/filters/${id}/statuses`)).body, [{ id: named.id, status_id: status }]);
  assert.deepEqual((await ann.get(`/api/v2/filters/statuses/${named.id}`)).body, named);
  const old = (await ann.get('/api/v1/filters')).body as { phrase: string; irreversible: boolean }[];
  assert.deepEqual(
    old.map((one) => [one.phrase, one.irreversible]),
    [
      ['cat', true],
      ['dog', true],
      ['cows', true],
    ],
  );
  assert.equal((await ann.get(`/api/v1/filters/${dog.id}`)).body.phrase, 'dog');
  const renamed = await put(ann, `/api/v2/filters/${id}`, {
    title: 'beasts',
    expires_in: '',
    keywords_attributes: [{ id: cow.id, _destroy: true }],
  });
  assert.deepEqual([renamed.body.title, renamed.body.expires_at, renamed.body.keywords.length], ['beasts', null, 2]);
  assert.deepEqual((await ann.remove(`/api/v2/filters/statuses/${named.id}`)).body, named);
  assert.deepEqual((await ann.remove(`/api/v2/filters/keywords/${dog.id}`)).body, {});
  assert.deepEqual((await ann.remove(`/api/v1/filters/${cat.id}`)).body, {});
  assert.deepEqual((await ann.get('/api/v2/filters')).body, [], 'with its last keyword it went');
});

test('the older API creates, changes and removes a filter of one phrase', async () => {
  const dan = await server.person('dan');
  const body = { phrase: 'cat', context: ['home'], irreversible: true, whole_word: true, expires_in: 60 };
  const made = (await dan.post('/api/v1/filters', body)).body;
  assert.deepEqual(Object.keys(made).sort(), ['context', 'expires_at', 'id', 'irreversible', 'phrase', 'whole_word']);
  assert.deepEqual([made.phrase, made.irreversible, made.whole_word], ['cat', true, true]);
  const path = `/api/v1/filters/${made.id}`;
  const changed = (await put(dan, path, { phrase: 'dog', context: ['public'], irreversible: false })).body;
  assert.deepEqual([changed.phrase, changed.context, changed.irreversible], ['dog', ['public'], false]);
  const [seen] = (await dan.get('/api/v2/filters')).body;
  assert.deepEqual([seen.title, seen.filter_action], ['cat', 'warn']);
  const remove = `/api/v2/filters/${seen.id}`;
  assert.deepEqual((await dan.remove(remove)).body, {});
  assert.equal((await dan.remove(remove)).status, 404);
  assert.equal((await dan.get(path)).status, 404);
});

test('others’ filters are not found, and narrow tokens and malformed filters are refused', async () => {
  const [eve, max] = [await server.person('eve'), await server.person('max')];
  const { body } = await eve.post('/api/v2/filters', {
    title: 'x',
    context: ['home'],
    keywords_attributes: [{ keyword: 'x' }],
  });
  const hidden = await eve.says('for nobody', { visibility: 'direct' });
  for (const path of [`/api/v2/filters/${body.id}`, `/api/v2/filters/keywords/${body.keywords[0].id}`]) {
    assert.equal((await max.get(path)).status, 404);
    assert.equal((await max.remove(path)).status, 404);
    assert.equal((await server.get(path)).status, 401);
  }
  const own = (await max.post('/api/v2/filters', { title: 'mine', context: ['home'] })).body;
  assert.equal((await max.post(`/api/v2/filters/${own.id}/statuses`, { status_id: hidden })).status, 404);
  const reader = await server.token(max.id, ['read:filters']);
  assert.equal((await server.ask('GET', '/api/v2/filters', undefined, reader)).status, 200);
  const bodies = [
    {},
    { title: 'x', context: [] },
    { title: 'x', context: ['nowhere'] },
    { title: '', context: ['home'] },
    { title: 'x'.repeat(257), context: ['home'] },
    { title: 'x', context: ['home'], filter_action: 'explode' },
    { title: 'x', context: ['home'], expires_in: -1 },
    { title: 'x', context: ['home'], keywords_attributes: [{ keyword: 'x'.repeat(513) }] },
    { title: 'x', context: ['home'], keywords_attributes: [{ keyword: ' ' }] },
  ];
  for (const wrong of bodies)
    assert.equal((await max.post('/api/v2/filters', wrong)).status, 422, JSON.stringify(wrong));
  assert.equal((await server.ask('POST', '/api/v2/filters', bodies[1], reader)).status, 403);
  assert.deepEqual(ids((await max.get('/api/v2/filters')).body), [own.id]);
});

test('statuses list the matching filters in their contexts; the viewer’s own stay visible', async () => {
  const [fay, gil] = [await server.person('fay'), await server.person('gil')];
  await fay.follows(gil);
  const cats = await gil.says('Cats, all over');
  const dogs = await gil.says('dogs');
  const reblog = (await gil.post(`/api/v1/statuses/${await (await server.person('other')).says('other cats')}/reblog`))
    .body;
  const own = await fay.says('my cats');
  await fay.post('/api/v2/filters', {
    title: 'no cats',
    context: ['home', 'account', 'thread'],
    keywords_attributes: [{ keyword: 'cat', whole_word: false }],
  });
  const home = (await fay.get('/api/v1/timelines/home')).body as Shown[];
  assert.deepEqual([found(home, cats), found(home, dogs), found(home, own)], [['no cats'], [], ['no cats']]);
  const again = home.find((one) => one.id === reblog.id);
  assert.deepEqual([again?.filtered.length, again?.reblog?.filtered.length], [1, 1], 'a reblog by what it reblogs');
  const [match] = home.find((one) => one.id === cats)?.filtered ?? [];
  assert.deepEqual(match?.keyword_matches, ['cat']);
  assert.equal('keywords' in (match?.filter ?? {}), false);
  assert.deepEqual(found((await fay.get('/api/v1/timelines/public')).body, cats), [], 'not in this context');
  assert.deepEqual(found((await fay.get(`/api/v1/accounts/${gil.id}/statuses`)).body, cats), ['no cats']);
  const answer = await gil.says('@fay cats again', { in_reply_to_id: own });
  const { descendants } = (await fay.get(`/api/v1/statuses/${own}/context`)).body;
  assert.deepEqual(found(descendants, answer), ['no cats']);
  assert.deepEqual(found([(await fay.get(`/api/v1/statuses/${cats}`)).body], cats), ['no cats']);
  assert.deepEqual((await gil.get('/api/v1/timelines/home')).body[0].filtered, [], 'nobody else’s business');
});

test('a hiding filter drops statuses from home and notifications and marks them elsewhere, until it is removed', async () => {
  const [hal, ivy] = [await server.person('hal'), await server.person('ivy')];
  await hal.follows(ivy);
  const [cats, dogs] = [await ivy.says('@hal cats'), await ivy.says('@hal dogs')];
  const told = async () =>
    ((await hal.get('/api/v1/notifications?types[]=mention')).body as { status: { id: string } }[]).map(
      (one) => one.status.id,
    );
  await until('both mentions', async () => (await told()).length === 2 || undefined, WAIT_MS);
  const own = await hal.says('my cats');
  const hide = { phrase: 'cats', context: everywhere, irreversible: true };
  const { id } = (await hal.post('/api/v1/filters', hide)).body;
  assert.deepEqual(ids((await hal.get('/api/v1/timelines/home')).body), [own, dogs]);
  assert.deepEqual(await told(), [dogs]);
  assert.deepEqual(found((await hal.get('/api/v1/timelines/public')).body, cats), ['cats']);
  assert.equal((await hal.get(`/api/v1/statuses/${cats}`)).status, 200);
  await hal.remove(`/api/v1/filters/${id}`);
  assert.deepEqual(ids((await hal.get('/api/v1/timelines/home')).body), [own, dogs, cats]);
  assert.deepEqual(await told(), [dogs, cats]);
});

test('an expired filter is not applied', async () => {
  const [jan, kim] = [await server.person('jan'), await server.person('kim')];
  await jan.follows(kim);
  const cats = await kim.says('cats');
  const { id } = (
    await jan.post('/api/v2/filters', {
      title: 'x',
      context: ['home'],
      expires_in: 1,
      filter_action: 'hide',
      keywords_attributes: [{ keyword: 'cats' }],
    })
  ).body;
  const home = async () => ids((await jan.get('/api/v1/timelines/home')).body);
  await until('the filter is over', async () => (await home()).includes(cats) || undefined, WAIT_MS);
  assert.ok(Date.parse((await jan.get(`/api/v2/filters/${id}`)).body.expires_at) <= Date.now());
});

/** Creates a filter that warns of birds, and one that hides cats. Returns the first. */
async function filtersBirdsAndCats(person: Person): Promise<{ readonly id: string }> {
  const warn = await person.post('/api/v2/filters', {
    title: 'birds',
    context: everywhere,
    keywords_attributes: [{ keyword: 'bird', whole_word: false }],
  });
  await person.post('/api/v2/filters', {
    title: 'cats',
    context: everywhere,
    filter_action: 'hide',
    keywords_attributes: [{ keyword: 'cat', whole_word: false }],
  });
  return warn.body;
}

test('streams announce changed filters without a payload, and send statuses with filters applied', async () => {
  const [lea, mia] = [await server.person('lea'), await server.person('mia')];
  await lea.follows(mia);
  const [user, everybody] = [
    await EventStream.open(server, 'user', lea.token),
    await EventStream.open(server, 'public', lea.token),
  ];
  const arrives = (stream: EventStream, id: string) =>
    until(`${id} in a stream`, () => stream.updates().includes(id) || undefined, WAIT_MS);
  const probed = async () =>
    (await mia.says('probe')) !== '' && user.updates().length > 0 && everybody.updates().length > 0;
  await until('the streams are open', async () => (await probed()) || undefined, WAIT_MS);
  const warn = await filtersBirdsAndCats(lea);
  await until(
    'the changes',
    () => user.events.filter(({ event }) => event === 'filters_changed').length === 2 || undefined,
    WAIT_MS,
  );
  assert.deepEqual(
    everybody.events.filter(({ event }) => event === 'filters_changed'),
    [],
  );
  const [cats, birds, other] = [await mia.says('cats'), await mia.says('birds'), await server.person('oz')];
  const reblog = (await mia.post(`/api/v1/statuses/${await other.says('other cats')}/reblog`)).body.id;
  await mia.says('@lea cats for you');
  const mention = await mia.says('@lea nothing for you');
  const last = await mia.says('nothing');
  await arrives(user, last);
  await arrives(everybody, last);
  const seen = (stream: EventStream, id: string) =>
    stream.events.flatMap(({ event, data }) =>
      event === 'update' && JSON.parse(data).id === id ? [JSON.parse(data) as Shown] : [],
    )[0];
  assert.deepEqual([seen(user, cats), seen(user, reblog)], [undefined, undefined]);
  assert.deepEqual(
    seen(user, birds)?.filtered.map((one) => one.filter.id),
    [warn.id],
  );
  assert.deepEqual(seen(user, last)?.filtered, []);
  assert.equal(seen(everybody, last)?.filtered, undefined);
  const told = () =>
    user.events.flatMap(({ event, data }) => (event === 'notification' ? [JSON.parse(data).status?.id as string] : []));
  await until('the mention that is not filtered', () => told().includes(mention) || undefined, WAIT_MS);
  assert.deepEqual(told(), [mention]);
  const edit = (id: string, status: string) => put(mia, `/api/v1/statuses/${id}`, { status });
  assert.equal((await edit(last, 'a bird after all')).status, 200);
  await edit(birds, 'cats after all');
  await edit(last, 'birds once more');
  const edits = () =>
    user.events.flatMap(({ event, data }) => (event === 'status.update' ? [JSON.parse(data) as Shown] : []));
  await until('both edits', () => edits().length === 2 || undefined, WAIT_MS);
  assert.deepEqual(
    edits().map((one) => [one.id, one.filtered.length]),
    [
      [last, 1],
      [last, 1],
    ],
  );
  assert.equal(seen(everybody, cats)?.filtered.length, 1);
  await user.close();
  await everybody.close();
});
