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

async function announce(text: string, endsAtMs = 0): Promise<string> {
  const announcement = { text, allDay: false, startsAtMs: 0, endsAtMs };
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
