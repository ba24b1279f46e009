import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { putEntry, removeEntry } from '../../../../gateway/settings/changes.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let ada: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start();
  ada = await server.person('ada');
  ben = await server.person('ben');
});
after(() => server?.stop());

async function announce(text: string, endsAtMs = 0, startsAtMs = 0): Promise<string> {
  const announcement = { text, allDay: false, startsAtMs, endsAtMs };
  const made = await putEntry(server.node.services, '', { collection: 'announcements', announcement });
  assert.ok(!isProblem(made));
  return made.id;
}
const THUMB = encodeURIComponent('👍');

test('an announcement is shown until it ends, with its read mark for each viewer, and lists its hashtags', async () => {
  const id = await announce('Back at noon #Café');
  await announce('Over', 1);
  const [shown, ...others] = (await ada.get('/api/v1/announcements')).body;
  assert.deepEqual([shown.id, shown.read, others.length], [id, false, 0]);
  assert.match(shown.content, /^<p>Back at noon <a href="http:\/\/localhost\/tags\/cafe"/);
  assert.deepEqual(shown.tags, [{ name: 'cafe', url: 'http://localhost/tags/cafe' }]);
  assert.equal((await ada.post(`/api/v1/announcements/${id}/dismiss`)).status, 200);
  const read = async (who: Person) =>
    (await who.get('/api/v1/announcements')).body.map((one: { id: string; read: boolean }) => [one.id, one.read]);
  assert.deepEqual([await read(ada), await read(ben)], [[[id, true]], [[id, false]]]);
  assert.equal((await ada.post('/api/v1/announcements/1/dismiss')).status, 404);
});

test('reactions are counted over all users, and each user can remove their own', async () => {
  const id = await announce('Cake');
  const path = `/api/v1/announcements/${id}/reactions/${THUMB}`;
  for (const who of [ada, ben, ben]) assert.equal((await who.put(path)).status, 200);
  const reactions = async (who: Person) =>
    (await who.get('/api/v1/announcements')).body.find((one: { id: string }) => one.id === id).reactions;
  await until('two reactions', async () => (await reactions(ada))[0]?.count === 2 || undefined, 5_000);
  assert.equal((await ben.remove(path)).status, 200);
  await until('one of them taken back', async () => (await reactions(ben))[0]?.me === false || undefined, 5_000);
  assert.deepEqual(await reactions(ada), [{ name: '👍', count: 1, me: true, url: null, static_url: null }]);
  for (const wrong of ['x', 'hello', '%3Cscript%3E', '1'])
    assert.equal((await ada.put(`/api/v1/announcements/${id}/reactions/${wrong}`)).status, 422, wrong);
  assert.equal((await ada.put(`/api/v1/announcements/9/reactions/${THUMB}`)).status, 404);
});

test('open streams receive announcements, reactions to them, and their end', async () => {
  const stream = await EventStream.open(server, 'user', ben.token);
  try {
    const id = await announce('News');
    const told = (event: string) =>
      until(event, async () => stream.events.find((one) => one.event === event)?.data, 5_000);
    assert.equal(JSON.parse(await told('announcement')).id, id);
    await ada.put(`/api/v1/announcements/${id}/reactions/${THUMB}`);
    assert.deepEqual(JSON.parse(await told('announcement.reaction')), { name: '👍', count: 1, announcement_id: id });
    await removeEntry(server.node.services, '', 'announcements', id);
    assert.equal(await told('announcement.delete'), id);
  } finally {
    await stream.close();
  }
});

test('an announcement with a start shows from then on, and until then it looks like a missing one', async () => {
  const stream = await EventStream.open(server, 'user', ben.token);
  try {
    const { clock } = server.node.services;
    const startsAtMs = clock.nowMs() + 1_500;
    const id = await announce('Starts soon', 0, startsAtMs);
    const far = await announce('Starts next year', 0, startsAtMs + 31_536_000_000);
    const seen = async () => (await ada.get('/api/v1/announcements')).body.find((one: { id: string }) => one.id === id);
    const tried = await Promise.all([
      ada.post(`/api/v1/announcements/${far}/dismiss`),
      ada.put(`/api/v1/announcements/${far}/reactions/${THUMB}`),
      ada.remove(`/api/v1/announcements/${far}/reactions/${THUMB}`),
    ]);
    assert.deepEqual(
      tried.map(({ status }) => status),
      [404, 404, 404],
    );
    const shown = await until('it starts', async () => (await seen()) ?? undefined, 5_000);
    assert.ok(clock.nowMs() >= startsAtMs);
    const start = new Date(startsAtMs).toISOString();
    assert.deepEqual([shown.starts_at, shown.published_at, shown.all_day], [start, start, false]);
    const told = (event: string, text: string) =>
      stream.events.find((one) => one.event === event && one.data.includes(text));
    await until('the stream has it', async () => told('announcement', id), 5_000);
    // One that is put off is gone again; one that has not started is deleted in silence.
    const later = { text: 'Later', allDay: false, startsAtMs: startsAtMs + 86_400_000, endsAtMs: 0 };
    await putEntry(server.node.services, '', { collection: 'announcements', id, announcement: later });
    await until('it is gone', async () => told('announcement.delete', id), 5_000);
    assert.equal(await seen(), undefined);
    await removeEntry(server.node.services, '', 'announcements', far);
    await removeEntry(server.node.services, '', 'announcements', await announce('Last'));
    await until(
      'the last one is gone',
      async () => stream.events.filter(({ event }) => event === 'announcement.delete')[1],
      5_000,
    );
    assert.equal(
      stream.events.find(({ data }) => data.includes(far)),
      undefined,
    );
  } finally {
    await stream.close();
  }
});

test('streams that open before the start get an announcement that was made before them', async () => {
  const id = await announce('Soon', 0, server.node.services.clock.nowMs() + 1_500);
  const stream = await EventStream.open(server, 'user', ada.token);
  try {
    const told = async () => stream.events.find(({ event, data }) => event === 'announcement' && data.includes(id));
    await until('the stream has it', told, 5_000);
  } finally {
    await stream.close();
  }
});

test('an announcement that ends before it starts is refused', async () => {
  const announcement = { text: 'Backwards', allDay: false, startsAtMs: 2_000, endsAtMs: 2_000 };
  const refused = await putEntry(server.node.services, '', { collection: 'announcements', announcement });
  assert.ok(isProblem(refused));
  assert.match(refused.detail, /Ends at must be later than the start/);
});
