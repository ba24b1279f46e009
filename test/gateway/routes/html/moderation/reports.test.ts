import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { REPORT_NOTE_CHARS_MAX } from '../../../../../actors/report/report.js';
import { type Person, TestServer } from '../../../../kit/services/server.js';
import { makeUser, signedIn } from '../../../oauth/stage.js';

const PATH = '/moderation/reports';
const MARKUP = '<script>alert(1)</script>';
let server: TestServer;
let eve: Person;
let said: string;
let page: string;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'mod', 'moderator');
  await makeUser(server, 'chief', 'admin');
  eve = await server.person('eve');
  said = await eve.says('a reported post');
  page = `${PATH}/${await reported(eve, [said])}`;
});
after(() => server?.stop());

let reporters = 0;
async function reported(target: Person, statusIds: readonly string[]): Promise<string> {
  const bob = await server.person(`bob${++reporters}`);
  const body = { account_id: target.id, status_ids: statusIds, comment: `rude ${MARKUP}` };
  const filed = await bob.post('/api/v1/reports', body);
  assert.equal(filed.status, 200);
  return filed.body.id;
}

test('a moderator assigns, resolves and reopens a report (/moderation/reports/:id)', async () => {
  const mod = await signedIn(server, 'mod');
  assert.match((await mod.get(PATH)).text, /@eve.*rude &lt;script>.*@bob/s);
  const open = await mod.get(page);
  assert.match(open.text, /@eve.*rude &lt;script>.*@bob.*a reported post/s);
  assert.ok(!open.text.includes(MARKUP));
  assert.equal((await mod.submit(page, { action: 'assign' })).location, `${page}?done=true`);
  assert.match((await mod.get(page)).text, /Assigned to @mod/);
  assert.equal((await mod.submit(page, { action: 'resolve' })).status, 303);
  assert.doesNotMatch((await mod.get(PATH)).text, /@eve/);
  assert.match((await mod.get(`${PATH}?resolved=true`)).text, /@eve/);
  await mod.get(page);
  assert.equal((await mod.submit(page, { action: 'reopen' })).status, 303);
  assert.match((await mod.get(PATH)).text, /@eve/);
});

test('moderators leave notes for each other (/moderation/reports/:id/notes)', async () => {
  const mod = await signedIn(server, 'mod');
  await mod.get(page);
  assert.equal((await mod.submit(`${page}/notes`, { note: `she said sorry ${MARKUP}` })).status, 303);
  const shown = (await (await signedIn(server, 'chief')).get(page)).text;
  assert.match(shown, /she said sorry &lt;script>.*@mod/s);
  await mod.get(page);
  const tooLong = 'x'.repeat(REPORT_NOTE_CHARS_MAX + 1);
  for (const note of ['', tooLong]) {
    const refused = await mod.submit(`${page}/notes`, { note });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="note-wrong" role="alert"/);
    assert.ok(refused.text.includes(`>${note}</textarea>`));
  }
});

test('a decision warns the person with the posts, which stay, and resolves the report', async () => {
  const mod = await signedIn(server, 'mod');
  await mod.get(page);
  const decision = { type: 'none', text: 'Be kind', 'status_ids[]': said };
  assert.equal((await mod.submit(`${page}/decision`, decision)).status, 303);
  assert.match((await mod.get(page)).text, /Resolved/);
  const [{ moderation_warning: warning }] = (await eve.get('/api/v1/notifications?types[]=moderation_warning')).body;
  assert.deepEqual([warning.action, warning.text, warning.status_ids], ['none', 'Be kind', [said]]);
  assert.equal((await eve.get(`/api/v1/statuses/${said}`)).status, 200);
});

test('a moderator marks reported posts as sensitive, and deletes them (/moderation/reports/:id/decision)', async () => {
  const [kept, gone] = [await eve.says('mildly rude'), await eve.says('very rude')];
  const report = `${PATH}/${await reported(eve, [kept, gone])}`;
  const mod = await signedIn(server, 'mod');
  await mod.get(report);
  const mark = { type: 'mark_statuses_as_sensitive', 'status_ids[]': kept };
  assert.equal((await mod.submit(`${report}/decision`, mark)).status, 303);
  const marked = (await eve.get(`/api/v1/statuses/${kept}`)).body;
  assert.deepEqual([marked.sensitive, marked.content], [true, '<p>mildly rude</p>']);
  await mod.get(report);
  assert.equal((await mod.submit(`${report}/decision`, { type: 'delete_statuses', 'status_ids[]': gone })).status, 303);
  assert.equal((await eve.get(`/api/v1/statuses/${gone}`)).status, 404);
  assert.equal((await eve.get(`/api/v1/statuses/${kept}`)).status, 200);
  assert.equal((await mod.get(report)).status, 200);
  const [first] = (await eve.get('/api/v1/notifications?types[]=moderation_warning')).body;
  assert.deepEqual(first.moderation_warning.status_ids, [gone]);
});

test('an impossible decision is the same page with a message, and nothing that was typed is lost', async () => {
  const other = await server.person('other');
  const foreign = await other.says('not a post of eve');
  const mod = await signedIn(server, 'mod');
  const send = async (fields: Record<string, string>) => {
    await mod.get(page);
    return mod.submit(`${page}/decision`, fields);
  };
  for (const fields of [
    { type: 'explode', text: 'Typed words' },
    { type: 'delete_statuses', text: 'Typed words' },
    { type: 'none', text: `Typed words${'x'.repeat(6_000)}` },
  ]) {
    const refused = await send(fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="type-wrong" role="alert"/);
    assert.match(refused.text, /Typed words/);
  }
  assert.equal((await send({ type: 'delete_statuses', 'status_ids[]': foreign })).status, 404);
  assert.equal((await other.get(`/api/v1/statuses/${foreign}`)).status, 200);
});

test('nobody decides about somebody of the same or a higher role', async () => {
  const chief = await server.staff('boss', 'admin');
  const report = `${PATH}/${await reported(chief, [])}`;
  const mod = await signedIn(server, 'mod');
  await mod.get(report);
  const refused = await mod.submit(`${report}/decision`, { type: 'suspend' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Your role does not allow this/);
});

test('forged forms and unknown actions change nothing', async () => {
  const id = await reported(eve, []);
  const mod = await signedIn(server, 'mod');
  await mod.get(`${PATH}/${id}`);
  assert.equal((await mod.submit(`${PATH}/${id}`, { action: 'resolve', csrf: 'forged' })).status, 403);
  await mod.get(`${PATH}/${id}`);
  assert.equal((await mod.submit(`${PATH}/${id}`, { action: 'explode' })).status, 422);
  assert.match((await mod.get(`${PATH}/${id}`)).text, /value="resolve"/);
});
