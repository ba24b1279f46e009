import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';

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

const ids = (list: { id: string }[]) => list.map((item) => item.id);

test('home contains the viewer’s own and followed accounts’ statuses, with Mastodon’s rules for replies and reblogs', async () => {
  await bob.follows(alice);
  const own = await bob.says('mine');
  const open = await alice.says('open');
  const closed = await alice.says('closed', { visibility: 'private' });
  const direct = await alice.says('@bob direct', { visibility: 'direct' });
  await alice.says('@carol direct', { visibility: 'direct' });
  const stranger = await carol.says('a stranger’s');
  await alice.says('to a stranger', { in_reply_to_id: stranger });
  const toMe = await alice.says('to you', { in_reply_to_id: own });
  const thread = await alice.says('thread', { in_reply_to_id: open });
  const reblog = (await alice.post(`/api/v1/statuses/${stranger}/reblog`)).body.id;
  const home = await bob.get('/api/v1/timelines/home');
  assert.deepEqual(ids(home.body).sort(), [own, open, closed, direct, toMe, thread, reblog].sort());
  assert.deepEqual(ids(home.body), ids(home.body).sort().reverse());
  await bob.post(`/api/v1/accounts/${alice.id}/follow`, { reblogs: false });
  assert.ok(!ids((await bob.get('/api/v1/timelines/home')).body).includes(reblog));
  await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
  assert.deepEqual(ids((await bob.get('/api/v1/timelines/home')).body), [own]);
});

test('home shows the oldest of a status and its reblogs, in either reading direction', async () => {
  const [finn, gwen, hank] = await Promise.all(['finn', 'gwen', 'hank'].map((name) => server.person(name)));
  assert.ok(finn && gwen && hank);
  for (const friend of [gwen, hank]) await finn.follows(friend);
  const [hers, far] = [await gwen.says('look'), await carol.says('from afar')];
  const reblogs = async (who: Person, id: string) =>
    (await who.post(`/api/v1/statuses/${id}/reblog`)).body.id as string;
  await reblogs(hank, hers);
  const first = await reblogs(gwen, far);
  await reblogs(hank, far);
  for (const query of ['', '?min_id=0', '?limit=11'])
    assert.deepEqual(ids((await finn.get(`/api/v1/timelines/home${query}`)).body), [first, hers], query);
  // With smaller pages, a status that one page leaves out is on the next.
  assert.deepEqual(ids((await finn.get('/api/v1/timelines/home?limit=1')).body), [first]);
  assert.deepEqual(ids((await finn.get(`/api/v1/timelines/home?limit=1&max_id=${first}`)).body), [hers]);
});

test('pages continue down by max_id and up by min_id without gaps or repeats', async () => {
  const dora = await server.person('dora');
  const said: string[] = [];
  for (let n = 0; n < 7; n++) said.unshift(await dora.says(`number ${n}`));
  const down: string[] = [];
  let path: string | undefined = '/api/v1/timelines/home?limit=3';
  let last = '';
  while (path !== undefined) {
    const page = await dora.get(path);
    down.push(...ids(page.body));
    path = linkTo(page, 'next');
    if (page.body.length > 0) last = page.body.at(-1).id;
  }
  assert.deepEqual(down, said);
  assert.deepEqual(ids((await dora.get(`/api/v1/timelines/home?min_id=${last}&limit=2`)).body), said.slice(4, 6));
  assert.deepEqual(ids((await dora.get(`/api/v1/timelines/home?since_id=${last}&limit=2`)).body), said.slice(0, 2));
  const newest = await dora.get('/api/v1/timelines/home?limit=3');
  assert.deepEqual((await dora.get(linkTo(newest, 'prev') ?? '')).body, []);
});

test('the public timeline contains public statuses that reply to nobody else, for everybody', async () => {
  const erin = await server.person('erin');
  const open = await erin.says('to all');
  const thread = await erin.says('and on', { in_reply_to_id: open });
  await erin.says('quietly', { visibility: 'unlisted' });
  await erin.says('closed', { visibility: 'private' });
  await bob.says('reply', { in_reply_to_id: open });
  await bob.post(`/api/v1/statuses/${open}/reblog`);
  const before = String(BigInt(open) - 1n);
  for (const who of [server, bob]) {
    const { body } = await who.get(`/api/v1/timelines/public?min_id=${before}&local=true`);
    assert.deepEqual(ids(body), [thread, open]);
  }
  assert.deepEqual((await server.get('/api/v1/timelines/public?remote=true')).body, []);
  assert.deepEqual((await server.get('/api/v1/timelines/public?only_media=true')).body, []);
});

test('home needs a user; malformed bounds count as absent', async () => {
  assert.equal((await server.get('/api/v1/timelines/home')).status, 401);
  for (const path of ['/api/v1/timelines/home', '/api/v1/timelines/public']) {
    const all = (await bob.get(path)).body;
    for (const query of ['max_id=undefined', 'min_id=null', 'since_id=', 'limit=-1', 'limit=x', 'limit=0'])
      assert.deepEqual((await bob.get(`${path}?${query}`)).body, all, query);
    assert.deepEqual((await bob.get(`${path}?min_id=${'9'.repeat(21)}`)).body, []);
  }
});
