import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MODERATION_NOTE_CHARS_MAX, MODERATION_NOTES_MAX } from '../../../../actors/account/moderation-notes.js';
import { type Person, TestServer } from '../../../kit/services/server.js';

let server: TestServer;
let [mod, other, admin]: Person[] = [];
const staff = () => ({ mod: mod as Person, other: other as Person, admin: admin as Person });

before(async () => {
  server = await TestServer.start();
  mod = await server.staff('mod', 'moderator');
  other = await server.staff('other', 'moderator');
  admin = await server.staff('chief', 'admin');
});
after(() => server?.stop());

const notesOf = (id: string) => `/api/v1/admin/accounts/${id}/notes`;

test('a note of a moderator is shown to the others, with its author, until it is removed', async () => {
  const { mod, other } = staff();
  const path = notesOf((await server.person('noted')).id);
  assert.deepEqual((await mod.get(path)).body, []);
  const { status, body: made } = await mod.post(path, { content: ' Schrieb „Spam“ ' });
  assert.deepEqual([status, made.content, made.account.acct], [200, 'Schrieb „Spam“', 'mod']);
  assert.ok(Math.abs(Date.parse(made.created_at) - Date.now()) < 60_000);
  const { body: second } = await other.post(path, { content: 'again' });
  assert.deepEqual((await other.get(path)).body, [made, second]);
  assert.deepEqual((await mod.remove(`${path}/${made.id}`)).body, {});
  assert.equal((await mod.remove(`${path}/${made.id}`)).status, 404);
  assert.deepEqual((await mod.get(path)).body, [second]);
});

test('a note is removed by its author or a higher role alone (/api/v1/admin/accounts/:id/notes/:note_id)', async () => {
  const { mod, other, admin } = staff();
  const path = notesOf((await server.person('watched')).id);
  const write = async (by: Person) => `${path}/${(await by.post(path, { content: 'look' })).body.id}`;
  const note = await write(mod);
  assert.equal((await other.remove(note)).status, 403);
  assert.equal((await admin.remove(note)).status, 200);
  assert.equal((await mod.remove(await write(admin))).status, 403);
});

test('notes are hidden from people without the role or the scope, and no route names an unknown account', async () => {
  const { mod } = staff();
  const person = await server.person('curious');
  const path = notesOf(person.id);
  const { body: note } = await mod.post(path, { content: 'secret' });
  const reader = await server.person('reader', ['admin:read:accounts'], 'moderator');
  for (const [who, expected] of [
    [person, [403, 403, 403]],
    [reader, [200, 403, 403]],
  ] as const) {
    const answers = [
      await who.get(path),
      await who.post(path, { content: 'x' }),
      await who.remove(`${path}/${note.id}`),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      expected,
    );
  }
  assert.equal((await server.get(path)).status, 401);
  for (const unknown of ['1', 'x']) {
    assert.equal((await mod.get(notesOf(unknown))).status, 404);
    assert.equal((await mod.post(notesOf(unknown), { content: 'x' })).status, 404);
    assert.equal((await mod.remove(`${notesOf(unknown)}/${note.id}`)).status, 404);
  }
});

test('an empty note, a too long one, and one too many are refused', async () => {
  const { mod } = staff();
  const path = notesOf((await server.person('crowded')).id);
  for (const content of [undefined, '', '  ', 'x'.repeat(MODERATION_NOTE_CHARS_MAX + 1)])
    assert.equal((await mod.post(path, { content })).status, 422);
  assert.deepEqual((await mod.get(path)).body, []);
  for (let n = 0; n < MODERATION_NOTES_MAX; n++) assert.equal((await mod.post(path, { content: `${n}` })).status, 200);
  assert.equal((await mod.post(path, { content: 'x' })).status, 422);
  assert.equal((await mod.get(path)).body.length, MODERATION_NOTES_MAX);
});
