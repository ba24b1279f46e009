import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const WAIT_MS = 60_000;
let server: TestServer;
let made = 0;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const somebody = () => server.person(`person_${++made}`);
const profile = (who: Person, body: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', body, who.token);
const suggested = async (who: Person): Promise<string[]> =>
  (await who.get('/api/v2/suggestions')).body
    .filter(({ source }: { source: string }) => source === 'past_interactions')
    .map(({ account }: { account: { id: string } }) => account.id);

/** Creates a viewer who has replied to one account, favourited a status of another and reblogged one of a third. */
async function acquainted() {
  const [viewer, replied, liked, reblogged] = [await somebody(), await somebody(), await somebody(), await somebody()];
  await viewer.says('a reply', { in_reply_to_id: await replied.says('one') });
  await viewer.post(`/api/v1/statuses/${await liked.says('two')}/favourite`);
  await viewer.post(`/api/v1/statuses/${await reblogged.says('three')}/reblog`);
  return { viewer, replied, liked, reblogged };
}

test('accounts that the viewer replied to, favourited or reblogged are suggested, with weights 1, 10 and 20', async () => {
  const { viewer, replied, liked, reblogged } = await acquainted();
  assert.deepEqual(await suggested(viewer), [reblogged.id, liked.id, replied.id]);
  for (let n = 0; n < 2; n++) await viewer.post(`/api/v1/statuses/${await liked.says(`more ${n}`)}/favourite`);
  assert.deepEqual(await suggested(viewer), [liked.id, reblogged.id, replied.id]);
  const first = await viewer.get('/api/v1/suggestions?limit=1');
  assert.deepEqual(
    first.body.map(({ id }: { id: string }) => id),
    [liked.id],
  );
  const [full] = (await viewer.get('/api/v2/suggestions?limit=1')).body;
  assert.deepEqual(
    [full.source, full.sources, full.account.id],
    ['past_interactions', ['most_interactions'], liked.id],
  );
});

test('a followed, muted, blocked or dismissed account is not suggested until there is a new interaction', async () => {
  const { viewer, replied, liked, reblogged } = await acquainted();
  await viewer.post(`/api/v1/accounts/${reblogged.id}/follow`);
  assert.deepEqual(await suggested(viewer), [liked.id, replied.id]);
  await viewer.post(`/api/v1/accounts/${reblogged.id}/unfollow`);
  await viewer.post(`/api/v1/accounts/${liked.id}/mute`);
  await viewer.post(`/api/v1/accounts/${liked.id}/unmute`);
  assert.deepEqual(await suggested(viewer), [replied.id]);
  assert.equal((await viewer.remove(`/api/v1/suggestions/${replied.id}`)).status, 200);
  assert.deepEqual(await suggested(viewer), []);
  assert.ok(!(await viewer.get('/api/v1/suggestions')).body.some(({ id }: { id: string }) => id === replied.id));
  await viewer.post(`/api/v1/statuses/${await replied.says('new')}/favourite`);
  assert.deepEqual(await suggested(viewer), [replied.id]);
});

test('a block ends the suggestion on both sides, a mute on one', async () => {
  const { viewer, liked, reblogged } = await acquainted();
  await liked.post(`/api/v1/statuses/${await viewer.says('hello')}/favourite`);
  await reblogged.post(`/api/v1/statuses/${await viewer.says('hello again')}/favourite`);
  await liked.post(`/api/v1/accounts/${viewer.id}/block`);
  await liked.post(`/api/v1/accounts/${viewer.id}/unblock`);
  await reblogged.post(`/api/v1/accounts/${viewer.id}/mute`);
  assert.deepEqual(await suggested(liked), []);
  assert.deepEqual(await suggested(reblogged), []);
  assert.ok(!(await suggested(viewer)).includes(liked.id));
  assert.ok((await suggested(viewer)).includes(reblogged.id));
});

test('locked accounts are not suggested; other active accounts follow', async () => {
  const { viewer, liked } = await acquainted();
  const active = await somebody();
  await active.says('active');
  await profile(liked, { locked: true });
  assert.ok(!(await suggested(viewer)).includes(liked.id));
  const all = () => viewer.get('/api/v2/suggestions?limit=80');
  const found = await until(
    'the active one',
    async () => (await all()).body.find(({ account }: { account: { id: string } }) => account.id === active.id),
    WAIT_MS,
  );
  assert.deepEqual([found.source, found.sources], ['global', ['most_followed']]);
  assert.ok(!(await all()).body.some(({ account }: { account: { id: string } }) => account.id === viewer.id));
});

test('accounts without interactions are suggested by latest activity', async () => {
  const [viewer, famous, fresh, fan] = [await somebody(), await somebody(), await somebody(), await somebody()];
  await fan.follows(famous);
  await famous.says('some time ago');
  await fresh.says('just now');
  const others = async () =>
    (await viewer.get('/api/v1/suggestions?limit=80')).body.map(({ id }: { id: string }) => id) as string[];
  const found = await until(
    'both',
    async () => {
      const ids = await others();
      return ids.includes(famous.id) && ids.includes(fresh.id) ? ids : undefined;
    },
    WAIT_MS,
  );
  assert.ok(found.indexOf(fresh.id) < found.indexOf(famous.id));
});

test('accounts that moderators suspend or silence are suggested to nobody', async () => {
  const { viewer, replied, liked, reblogged } = await acquainted();
  const chief = await server.staff(`chief_${++made}`, 'admin');
  const act = (who: Person, type: string) => chief.post(`/api/v1/admin/accounts/${who.id}/action`, { type });
  await act(liked, 'suspend');
  await act(replied, 'silence');
  assert.deepEqual(await suggested(viewer), [reblogged.id]);
  await chief.post(`/api/v1/admin/accounts/${liked.id}/unsuspend`);
  assert.deepEqual(await suggested(viewer), [reblogged.id, liked.id]);
});

test('suggestions need a user', async () => {
  for (const path of ['/api/v1/suggestions', '/api/v2/suggestions']) assert.equal((await server.get(path)).status, 401);
  const { viewer } = await acquainted();
  assert.equal((await viewer.remove('/api/v1/suggestions/x')).status, 404);
  assert.equal((await viewer.get('/api/v1/suggestions?limit=x')).status, 200);
});

test('the directory lists discoverable accounts, by latest activity or newest first', async () => {
  const [first, second, hidden, foe] = [await somebody(), await somebody(), await somebody(), await somebody()];
  for (const who of [first, second, foe]) await profile(who, { discoverable: true });
  const listed = async (query = '', who: { get: Person['get'] } = server) =>
    (await who.get(`/api/v1/directory${query}`)).body.map(({ id }: { id: string }) => id) as string[];
  await until('the three', async () => ((await listed()).length === 3 ? true : undefined), WAIT_MS);
  await second.says('hello');
  await first.says('hello');
  const isNow = async () => ((await listed()).slice(0, 2).join() === [first.id, second.id].join() ? true : undefined);
  await until('the latest active first', isNow, WAIT_MS);
  assert.deepEqual(await listed('?order=new&local=true'), [foe.id, second.id, first.id]);
  assert.deepEqual(await listed('?order=new&limit=1&offset=1'), [second.id]);
  await foe.post(`/api/v1/accounts/${hidden.id}/block`);
  assert.ok(!(await listed('', hidden)).includes(foe.id));
  await profile(first, { discoverable: false });
  assert.ok(!(await listed()).includes(first.id));
  assert.equal((await server.get('/api/v1/directory?order=best')).status, 422);
});
