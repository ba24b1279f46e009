import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defaultLimits } from '../../../../actors/runtime/limits.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { OwnTime } from '../../../kit/time/own-time.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const ids = (list: { id: string }[]) => list.map((item) => item.id);
const relationship = async (from: Person, to: Person) =>
  (await from.get(`/api/v1/accounts/relationships?id[]=${to.id}`)).body[0];
const people = (...names: string[]) => Promise.all(names.map((name) => server.person(name)));
const hides = (person: Person, hide_collections: boolean) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', { hide_collections }, person.token);

test('only its author sees a note about an account', async () => {
  const [ann, ben] = (await people('ann', 'ben')) as [Person, Person];
  const noted = await ann.post(`/api/v1/accounts/${ben.id}/note`, { comment: 'met in Rome' });
  assert.deepEqual([noted.status, noted.body.note], [200, 'met in Rome']);
  assert.equal((await relationship(ann, ben)).note, 'met in Rome');
  assert.equal((await relationship(ben, ann)).note, '');
  assert.equal((await ann.post(`/api/v1/accounts/${ben.id}/note`, {})).body.note, '');
  assert.equal((await ann.post(`/api/v1/accounts/${ben.id}/note`, { comment: 'x'.repeat(2_001) })).status, 422);
  assert.equal((await ann.post('/api/v1/accounts/1/note', { comment: 'x' })).status, 404);
});

test('a removed follower no longer follows, on either side, and may send a new request', async () => {
  const [cleo, dan] = (await people('cleo', 'dan')) as [Person, Person];
  await dan.follows(cleo);
  const removed = await cleo.post(`/api/v1/accounts/${dan.id}/remove_from_followers`);
  assert.deepEqual([removed.status, removed.body.followed_by], [200, false]);
  assert.equal((await relationship(dan, cleo)).following, false);
  assert.deepEqual((await cleo.get(`/api/v1/accounts/${cleo.id}/followers`)).body, []);
  assert.equal((await cleo.get(`/api/v1/accounts/${cleo.id}`)).body.followers_count, 0);
  assert.equal((await dan.get(`/api/v1/accounts/${dan.id}`)).body.following_count, 0);
  assert.equal((await cleo.post(`/api/v1/accounts/${dan.id}/remove_from_followers`)).status, 200, 'twice is no error');
  await dan.follows(cleo);
  assert.equal((await relationship(cleo, dan)).followed_by, true);
});

test('endorsed accounts show on the profile, paged, while they are followed', async () => {
  const [eve, fay, gil] = (await people('eve', 'fay', 'gil')) as [Person, Person, Person];
  for (const other of [fay, gil]) await eve.follows(other);
  assert.equal((await eve.post(`/api/v1/accounts/${fay.id}/endorse`)).body.endorsed, true);
  assert.equal((await eve.post(`/api/v1/accounts/${gil.id}/pin`)).body.endorsed, true);
  const page = await server.get(`/api/v1/accounts/${eve.id}/endorsements?limit=1`);
  assert.deepEqual(ids(page.body), [gil.id]);
  assert.deepEqual(ids((await server.get(linkTo(page, 'next') ?? '')).body), [fay.id]);
  assert.deepEqual(ids((await eve.get('/api/v1/endorsements')).body), [gil.id, fay.id]);
  assert.equal((await eve.post(`/api/v1/accounts/${gil.id}/unpin`)).body.endorsed, false);
  await eve.post(`/api/v1/accounts/${fay.id}/unfollow`);
  assert.deepEqual((await eve.get('/api/v1/endorsements')).body, []);
  assert.equal((await eve.post(`/api/v1/accounts/${fay.id}/endorse`)).status, 422);
  assert.equal((await eve.post(`/api/v1/accounts/${fay.id}/unendorse`)).status, 200);
  assert.equal((await server.get('/api/v1/endorsements')).status, 401);
  await eve.follows(gil);
  await eve.post(`/api/v1/accounts/${gil.id}/endorse`);
  await eve.post(`/api/v1/accounts/${fay.id}/block`);
  assert.deepEqual((await fay.get(`/api/v1/accounts/${eve.id}/endorsements`)).body, []);
});

test('familiar followers are accounts that the viewer follows and that do not hide their lists', async () => {
  const [hal, ivy, jan, kim] = (await people('hal', 'ivy', 'jan', 'kim')) as [Person, Person, Person, Person];
  for (const other of [ivy, jan]) await hal.follows(other);
  for (const fan of [ivy, jan]) await fan.follows(kim);
  const familiar = async () =>
    (await hal.get(`/api/v1/accounts/familiar_followers?id[]=${kim.id}&id[]=${ivy.id}`)).body.map(
      (one: { id: string; accounts: { id: string }[] }) => [one.id, ids(one.accounts).sort()],
    );
  assert.deepEqual(await familiar(), [
    [kim.id, [ivy.id, jan.id].sort()],
    [ivy.id, []],
  ]);
  await hides(jan, true);
  assert.deepEqual((await familiar())[0], [kim.id, [ivy.id]]);
  await hides(kim, true);
  assert.deepEqual((await familiar())[0], [kim.id, []]);
});

test('hidden lists of followers and followed accounts are empty for others, and complete for their owner', async () => {
  const [lea, max] = (await people('lea', 'max')) as [Person, Person];
  await max.follows(lea);
  await lea.follows(max);
  await hides(lea, true);
  for (const list of ['followers', 'following']) {
    const path = `/api/v1/accounts/${lea.id}/${list}`;
    const hidden = await server.get(path);
    assert.deepEqual([hidden.status, hidden.body, hidden.headers.get('link')], [200, [], null]);
    assert.deepEqual((await max.get(path)).body, []);
    assert.deepEqual(ids((await lea.get(path)).body), [max.id]);
  }
  const { followers_count, following_count, hide_collections } = (await server.get(`/api/v1/accounts/${lea.id}`)).body;
  assert.deepEqual([followers_count, following_count, hide_collections], [1, 1, true]);
});

test('an account is followed by name, also twice; an unknown name is not found', async () => {
  const [ned, oli] = (await people('ned', 'oli')) as [Person, Person];
  for (const uri of ['oli@localhost', '@OLI']) {
    const followed = await ned.post('/api/v1/follows', { uri });
    assert.deepEqual([followed.status, followed.body.id], [200, oli.id], uri);
  }
  assert.equal((await relationship(ned, oli)).following, true);
  for (const uri of ['nobody', 'oli@elsewhere.example'])
    assert.equal((await ned.post('/api/v1/follows', { uri })).status, 404);
  assert.equal((await ned.post('/api/v1/follows', {})).status, 422);
  assert.equal((await ned.post('/api/v1/follows', { uri: 'ned' })).status, 403);
});

test('accounts that follow one another in a circle at once do not wait for each other', async () => {
  const circle = await people('cal', 'cem', 'cid', 'coe', 'cyd');
  const time = new OwnTime();
  await Promise.all(circle.map((one, place) => one.follows(circle[(place + 1) % circle.length] as Person)));
  const tookMs = time.stop();
  assert.ok(tookMs < defaultLimits.patienceMs, `${tookMs} ms`);
});

test('a follow may be limited to languages; other statuses do not appear in home', async () => {
  const [pia, quin] = (await people('pia', 'quin')) as [Person, Person];
  const path = `/api/v1/accounts/${quin.id}/follow`;
  const limited = await pia.post(path, { languages: ['fr-CA', 'en'] });
  assert.deepEqual(limited.body.languages, ['en', 'fr']);
  const french = await quin.says('bonjour', { language: 'fr-FR' });
  await quin.says('hallo', { language: 'de' });
  assert.deepEqual(ids((await pia.get('/api/v1/timelines/home')).body), [french]);
  assert.deepEqual((await pia.post(path, { notify: true })).body.languages, ['en', 'fr'], 'other options leave them');
  for (const none of ['no such', 'zz'])
    assert.equal((await pia.post(path, { languages: ['fr', none] })).status, 422, none);
  assert.equal((await pia.post(path, { languages: [''] })).body.languages, null);
  assert.equal((await pia.get('/api/v1/timelines/home')).body.length, 2);
});

test('no account has identity proofs', async () => {
  const rae = await server.person('rae');
  assert.deepEqual((await server.get(`/api/v1/accounts/${rae.id}/identity_proofs`)).body, []);
  assert.equal((await server.get('/api/v1/accounts/1/identity_proofs')).status, 404);
});

test('a block ends all relations between two accounts', async () => {
  const [sam, tia] = (await people('sam', 'tia')) as [Person, Person];
  await sam.follows(tia);
  await tia.follows(sam);
  await sam.post(`/api/v1/accounts/${tia.id}/endorse`);
  const list = (await sam.post('/api/v1/lists', { title: 'one' })).body.id;
  await sam.post(`/api/v1/lists/${list}/accounts`, { account_ids: [tia.id] });
  const status = await tia.says('@sam hello');
  const blocked = (await sam.post(`/api/v1/accounts/${tia.id}/block`)).body;
  assert.deepEqual(
    [blocked.blocking, blocked.following, blocked.followed_by, blocked.endorsed, blocked.requested_by],
    [true, false, false, false, false],
  );
  const back = await relationship(tia, sam);
  assert.deepEqual([back.blocked_by, back.following, back.followed_by], [true, false, false]);
  assert.deepEqual((await sam.get(`/api/v1/lists/${list}/accounts`)).body, []);
  assert.deepEqual((await sam.get('/api/v1/endorsements')).body, []);
  for (const path of ['/api/v1/timelines/home', '/api/v1/timelines/public', '/api/v1/notifications'])
    assert.ok(!JSON.stringify((await sam.get(path)).body).includes(status), path);
  for (const person of [sam, tia]) {
    assert.deepEqual((await person.get(`/api/v1/accounts/${person.id}/followers`)).body, []);
    assert.equal((await person.get(`/api/v1/accounts/${person.id}`)).body.followers_count, 0);
  }
  assert.equal((await tia.post(`/api/v1/accounts/${sam.id}/follow`)).status, 403);
});
