import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendForm } from '../../../kit/network/multipart.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const WAIT_MS = 5_000;
const ids = (list: { id: string }[]) => list.map((item) => item.id);
const moderate = (person: Person, action: string) =>
  server.node.services.askAccount(person.id, 'moderate', { action, by: '', text: '', mail: false });
const setCredentials = (person: Person, changes: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', changes, person.token);

test('a suspended account shows only its name, and everything is back when the suspension ends', async () => {
  const [ann, ben, cleo] = [await server.person('ann'), await server.person('ben'), await server.person('cleo')];
  const fields_attributes = [{ name: 'site', value: 'example.org' }];
  await setCredentials(ann, { display_name: 'Ann', note: 'about me', fields_attributes });
  for (const [from, to] of [
    [ben, ann],
    [ann, ben],
    [ben, cleo],
  ] as const)
    await from.follows(to);
  await ann.post(`/api/v1/accounts/${ben.id}/endorse`);
  await ann.post('/api/v1/featured_tags', { name: 'birds' });
  await ben.post(`/api/v1/accounts/${ann.id}/note`, { comment: 'a friend' });
  await ann.says('hello @ben');
  await until('the mention', async () => (await ben.get('/api/v1/notifications?types[]=mention')).body[0], WAIT_MS);
  const path = `/api/v1/accounts/${ann.id}`;
  const open = (await server.get(path)).body;
  await moderate(ann, 'suspend');
  const seen = (await server.get(path)).body;
  const { id, username, acct, suspended, display_name, note, avatar, header } = seen;
  assert.deepEqual([id, username, acct, suspended], [ann.id, 'ann', 'ann', true]);
  assert.deepEqual([display_name, note, seen.fields, seen.last_status_at], ['', '', [], null]);
  assert.deepEqual([seen.followers_count, seen.following_count, seen.statuses_count], [0, 0, 0]);
  assert.match(`${avatar} ${header}`, /missing\.png .*missing\.png/);
  assert.deepEqual((await server.get('/api/v1/accounts/lookup?acct=ann')).body, seen);
  assert.deepEqual((await server.get(`/api/v1/accounts?id[]=${ann.id}`)).body, [seen]);
  for (const list of ['statuses', 'followers', 'following', 'endorsements', 'featured_tags'])
    assert.deepEqual((await ben.get(`${path}/${list}`)).body, [], list);
  const index = await server.ask('GET', `${path}/media_index`, undefined, undefined, { accept: 'application/json' });
  assert.deepEqual(index.body, { images: [] }, 'neither name nor note');
  const [relation] = (await ben.get(`/api/v1/accounts/relationships?id[]=${ann.id}`)).body;
  assert.deepEqual([relation.following, relation.followed_by, relation.note], [true, true, 'a friend']);
  assert.deepEqual(ids((await server.get(`/api/v1/accounts/${ben.id}/following`)).body), [cleo.id]);
  assert.deepEqual((await ben.get('/api/v1/notifications?types[]=mention')).body, []);
  assert.deepEqual((await cleo.get('/api/v1/accounts/search?q=ann')).body, []);
  assert.equal((await cleo.post(`${path}/follow`)).status, 404);
  assert.equal((await cleo.post('/api/v1/follows', { uri: 'ann' })).status, 404);
  await moderate(ann, 'unsuspend');
  assert.deepEqual((await server.get(path)).body, open);
  assert.deepEqual(ids((await ben.get(`${path}/followers`)).body), [ben.id]);
  assert.equal((await ben.get('/api/v1/notifications?types[]=mention')).body.length, 1);
});

test('a suspended account’s token is refused and its statuses are hidden; afterwards both are back', async () => {
  const [dan, eve, fay] = [await server.person('dan'), await server.person('eve'), await server.person('fay')];
  await eve.follows(dan);
  const open = await dan.says('hello #walrus');
  const reply = await dan.says('an answer', { in_reply_to_id: await eve.says('a question') });
  const asked = (await eve.get(`/api/v1/statuses/${reply}`)).body.in_reply_to_id;
  await fay.post(`/api/v1/statuses/${open}/reblog`);
  await eve.post(`/api/v1/statuses/${open}/favourite`);
  await eve.post(`/api/v1/statuses/${open}/bookmark`);
  const places = async () => {
    const has = async (path: string) => JSON.stringify((await eve.get(path)).body).includes(`"id":"${open}"`);
    const lists = ['timelines/home', 'timelines/public', 'timelines/tag/walrus', 'favourites', 'bookmarks'];
    const listed = await Promise.all([...lists, `accounts/${fay.id}/statuses`].map((list) => has(`/api/v1/${list}`)));
    const status = (await eve.get(`/api/v1/statuses/${open}`)).status === 200;
    const thread = (await eve.get(`/api/v1/statuses/${asked}/context`)).body.descendants.length === 1;
    return [...listed, status, thread];
  };
  const everywhere = new Array(8).fill(true);
  assert.deepEqual(await places(), everywhere);
  await moderate(dan, 'suspend');
  assert.deepEqual(await places(), new Array(8).fill(false));
  const refused = await dan.get('/api/v1/timelines/home');
  assert.deepEqual([refused.status, typeof refused.body.error], [403, 'string']);
  assert.equal((await dan.post('/api/v1/statuses', { status: 'still here' })).status, 403);
  await moderate(dan, 'unsuspend');
  assert.deepEqual(await places(), everywhere);
  assert.equal((await dan.get('/api/v1/timelines/home')).status, 200);
});

test('an account that a moderator deletes loses all its content, and its name stays reserved', async () => {
  const mod = await server.staff('mod', 'admin');
  const [gil, hal] = [await server.person('gil'), await server.person('hal')];
  await gil.follows(hal);
  await hal.follows(gil);
  const own = await gil.says('mine');
  const hals = await hal.says('hals');
  await gil.post(`/api/v1/statuses/${hals}/favourite`);
  assert.equal((await mod.remove(`/api/v1/admin/accounts/${gil.id}`)).status, 403, 'only who is suspended');
  await mod.post(`/api/v1/admin/accounts/${gil.id}/action`, { type: 'suspend' });
  assert.equal((await mod.remove(`/api/v1/admin/accounts/${gil.id}`)).status, 200);
  const undone = async () => {
    const { followers_count, following_count } = (await server.get(`/api/v1/accounts/${hal.id}`)).body;
    const { favourites_count } = (await server.get(`/api/v1/statuses/${hals}`)).body;
    return followers_count + following_count + favourites_count === 0 || undefined;
  };
  await until('all of it is undone', undone, WAIT_MS);
  assert.equal((await hal.get(`/api/v1/statuses/${own}`)).status, 404);
  assert.equal((await gil.get('/api/v1/accounts/verify_credentials')).status, 401);
  const gone = (await server.get(`/api/v1/accounts/${gil.id}`)).body;
  assert.deepEqual([gone.username, gone.suspended, gone.display_name], ['gil', true, '']);
  assert.equal((await mod.post(`/api/v1/admin/accounts/${gil.id}/unsuspend`)).status, 403);
});

test('files of a suspended account are not served until the suspension ends, and others’ files are not affected', async () => {
  const [fay, gus] = [await server.person('fleur'), await server.person('gustav')];
  const png = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#f80' } })
    .png()
    .toBuffer();
  const filesOf = async (who: Person): Promise<string[]> => {
    const media = (await sendForm(who, 'POST', '/api/v2/media', { file: png, thumbnail: png })).body;
    const updated = await sendForm(who, 'PATCH', '/api/v1/accounts/update_credentials', { avatar: png, header: png });
    return [media.url, media.preview_url, updated.body.avatar, updated.body.header];
  };
  const [hers, his] = [await filesOf(fay), await filesOf(gus)];
  assert.equal(new Set(hers).size, 4);
  const statusAt = async (url: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await server.send(new URL(url).pathname, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const all = (urls: readonly string[]) => Promise.all(urls.map((url) => statusAt(url)));
  assert.deepEqual(
    await all([...hers, ...his]),
    Array.from({ length: 8 }, () => 200),
  );
  await moderate(fay, 'suspend');
  assert.deepEqual(await all(hers), [404, 404, 404, 404]);
  const [original = ''] = hers;
  const etag = `"${original.slice(original.lastIndexOf('/') + 1)}"`;
  assert.equal(await statusAt(original, { 'if-none-match': etag }), 404);
  assert.equal(await statusAt(original, { range: 'bytes=0-9' }), 404);
  assert.deepEqual(await all(his), [200, 200, 200, 200]);
  await moderate(fay, 'unsuspend');
  assert.deepEqual(await all(hers), [200, 200, 200, 200]);
});
