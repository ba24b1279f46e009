import { Type } from '@sinclair/typebox';
import { REVISIONS_MAX, revisionOf } from '../../actors/conversation/edit.js';
import { isProblem } from '../../actors/domain/problem.js';
import { accounts, statusRevisions } from '../../store/tables.js';
import { loadAccounts, renderStatuses } from '../entities/status.js';
import { renderStatusEdit, renderStatusSource } from '../entities/status-history.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { editedMedia, letGo, mediaEdit } from '../posting/edited-media.js';
import { written } from '../posting/written.js';
import { notFound, visibleStatus } from '../visible.js';
import { idParams } from './lists.js';
import { LANGUAGE_CHARS_MAX, languageProblem, newPoll, PollDraft, QuotePolicy, TEXT_INPUT_CHARS_MAX } from './post.js';

const edit = route({
  method: 'PUT',
  path: '/api/v1/statuses/:id',
  auth: 'user',
  scope: 'write:statuses',
  params: idParams,
  body: Type.Object({
    status: Type.Optional(Type.String({ maxLength: TEXT_INPUT_CHARS_MAX })),
    spoiler_text: Type.Optional(Type.String({ maxLength: TEXT_INPUT_CHARS_MAX })),
    sensitive: Type.Optional(Type.Boolean()),
    language: Type.Optional(Type.String({ maxLength: LANGUAGE_CHARS_MAX })),
    poll: Type.Optional(PollDraft),
    quote_approval_policy: Type.Optional(QuotePolicy),
    ...mediaEdit,
  }),
  handle: async ({ services, viewer = '', params, body }) => {
    const [seen, author] = await Promise.all([
      visibleStatus(services, viewer, params.id),
      services.tables.get(accounts, { account: viewer }),
    ]);
    if (isProblem(seen)) return seen;
    const { record, original } = seen;
    if (record.accountId !== viewer || original !== undefined || author === undefined) return notFound();
    const refused = languageProblem(body.language);
    if (refused !== undefined) return refused;
    const edited = await editedMedia(services, viewer, record, body);
    if (isProblem(edited)) return edited;
    const { media, taken } = edited;
    const mayBeEmpty = media !== undefined || record.quote !== undefined;
    const said = await written(services, body.status ?? record.text, body.spoiler_text, mayBeEmpty);
    const reply = await services.askConversation(record.conversationId, 'edit', {
      ...said,
      statusId: record.id,
      by: viewer,
      sensitive: (body.sensitive ?? false) || said.spoilerText !== '',
      language: body.language || record.language,
      poll: newPoll(body.poll),
      media,
    });
    if (isProblem(reply)) return letGo(services, viewer, taken, reply);
    if (body.quote_approval_policy) {
      const policy = { statusId: record.id, by: viewer, policy: body.quote_approval_policy };
      const set = await services.askConversation(record.conversationId, 'setQuotePolicy', policy);
      if (isProblem(set)) return set;
    }
    const status = await services.pages.one(services, viewer, await reread(services, viewer, record.id));
    return status === undefined ? notFound() : json(status);
  },
});

async function reread(services: Parameters<typeof visibleStatus>[0], viewer: string, id: string) {
  const seen = await visibleStatus(services, viewer, id);
  return isProblem(seen) ? undefined : seen;
}

const history = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/history',
  auth: 'optional',
  scope: 'read:statuses',
  params: idParams,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const record = seen.original ?? seen.record;
    const author = (await loadAccounts(services, [record.accountId])).get(record.accountId);
    if (author === undefined) return notFound();
    const rows =
      record.edits === undefined
        ? []
        : await services.tables.range(statusRevisions, { status: record.id }, { limit: REVISIONS_MAX + 1 });
    const revisions = rows.length === 0 ? [revisionOf(record)] : rows.map((row) => row.value);
    const [shown] = seen.quote === undefined ? [] : await renderStatuses(services, viewer, [seen]);
    const quote = (shown?.reblog ?? shown)?.quote ?? undefined;
    return json(revisions.map((revision) => renderStatusEdit(services.instance, revision, author, quote)));
  },
});

const source = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/source',
  auth: 'user',
  scope: 'read:statuses',
  params: idParams,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    return isProblem(seen) ? seen : json(renderStatusSource(seen.original ?? seen.record));
  },
});

/** Editing, and what a status said before. */
export const statusEditRoutes: readonly AnyRoute[] = [edit, history, source];
