import { Type } from '@sinclair/typebox';
import { MODERATION_NOTE_CHARS_MAX } from '../../../actors/account/moderation-notes.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { moderationNotes } from '../../../store/moderation-tables.js';
import { accounts } from '../../../store/tables.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { subordinate } from '../../moderation/moderators.js';
import { idParams } from '../../pages/answers.js';
import { AdminAccountNote, renderAccountNotes } from '../../pages/report/notes.js';
import { idText } from '../../paging/bounds.js';
import { notFound } from '../../viewing/visible.js';

const PATH = '/api/v1/admin/accounts/:id/notes';
const PERMISSION = 'manage_users';

/** Returns the notes about an account, oldest first; undefined if there is no such account. */
async function notesAbout({ tables }: Pick<Services, 'tables'>, account: string) {
  const [known, row] = await Promise.all([tables.get(accounts, { account }), tables.get(moderationNotes, { account })]);
  return known === undefined ? undefined : (row?.notes ?? []);
}

const list = route({
  method: 'GET',
  path: PATH,
  auth: 'user',
  scope: 'admin:read:accounts',
  permission: PERMISSION,
  params: idParams,
  answer: Type.Array(AdminAccountNote),
  handle: async ({ services, params }) => {
    const notes = await notesAbout(services, storedId(params.id));
    return notes === undefined ? notFound() : json(await renderAccountNotes(services, notes));
  },
});

const add = route({
  method: 'POST',
  path: PATH,
  auth: 'user',
  scope: 'admin:write:accounts',
  permission: PERMISSION,
  params: idParams,
  body: Type.Object({ content: Type.String({ minLength: 1, maxLength: MODERATION_NOTE_CHARS_MAX }) }),
  answer: AdminAccountNote,
  handle: async ({ services, viewer = '', params, body }) => {
    const account = storedId(params.id);
    // A command to an actor that never existed would activate it and use memory.
    if ((await services.tables.get(accounts, { account })) === undefined) return notFound();
    const note = await services.askAccount(account, 'addModerationNote', { by: viewer, text: body.content });
    if (isProblem(note)) return note;
    const [shown] = await renderAccountNotes(services, [note]);
    return shown === undefined ? notFound() : json(shown);
  },
});

/** Only its author removes a note, or somebody of a higher role. Source: Mastodon AccountModerationNotePolicy. */
const remove = route({
  method: 'DELETE',
  path: `${PATH}/:note_id`,
  auth: 'user',
  scope: 'admin:write:accounts',
  permission: PERMISSION,
  params: Type.Object({ id: idText(), note_id: idText() }),
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const [account, id] = [storedId(params.id), storedId(params.note_id)];
    const note = (await notesAbout(services, account))?.find((one) => one.id === id);
    if (note === undefined) return notFound();
    const refusal = note.by === viewer ? undefined : await subordinate(services, viewer, note.by);
    if (isProblem(refusal)) return refusal;
    const removed = await services.askAccount(account, 'removeModerationNote', { id, by: viewer });
    return isProblem(removed) ? removed : json({});
  },
});

/** Moderators' notes about accounts, for each other. Mastodon has them on its pages only. */
export const accountNoteRoutes: readonly AnyRoute[] = [list, add, remove];
