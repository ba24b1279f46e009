import { Type } from '@sinclair/typebox';
import { REVISIONS_MAX, revisionOf } from '../../../actors/conversation/edit.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { LANGUAGE_CHARS_MAX, statusLanguage } from '../../../actors/domain/text/language.js';
import type { StoreAccountRecord, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accounts, statusRevisions } from '../../../store/tables.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { renderStatusEdit, renderStatusSource, StatusEdit, StatusSource } from '../../pages/status/status-history.js';
import { soon } from '../../paging/soon.js';
import { editedMedia, letGo, mediaEdit } from '../../posting/edited-media.js';
import { movedRefusal } from '../../posting/moved.js';
import { written } from '../../posting/written.js';
import type { EmojiLookup } from '../../settings/custom-emoji.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';
import { newPoll, PollDraft, QuotePolicy, TextDraft } from './post.js';

const edit = route({
  method: 'PUT',
  path: '/api/v1/statuses/:id',
  auth: 'user',
  scope: 'write:statuses',
  params: idParams,
  body: Type.Object({
    status: Type.Optional(TextDraft),
    spoiler_text: Type.Optional(TextDraft),
    sensitive: Type.Optional(Type.Boolean()),
    language: Type.Optional(Type.String({ maxLength: LANGUAGE_CHARS_MAX })),
    poll: Type.Optional(PollDraft),
    quote_approval_policy: Type.Optional(QuotePolicy),
    ...mediaEdit,
  }),
  answer: Status,
  handle: async ({ services, viewer = '', params, body }) => {
    const [seen, author] = await Promise.all([
      visibleStatus(services, viewer, params.id),
      services.tables.get(accounts, { account: viewer }),
    ]);
    if (isProblem(seen)) return seen;
    const { record, original } = seen;
    if (record.accountId !== viewer || original !== undefined || author === undefined) return notFound();
    const refusal = await movedRefusal(services, viewer);
    if (refusal !== undefined) return refusal;
    const edited = await editedMedia(services, viewer, record, body);
    if (isProblem(edited)) return edited;
    const { media, taken } = edited;
    const mayBeEmpty = media !== undefined || record.quote !== undefined;
    const said = await written(services, record.accountId, body.status ?? record.text, body.spoiler_text, mayBeEmpty);
    const reply = await services.askConversation(record.conversationId, 'edit', {
      ...said,
      statusId: record.id,
      by: viewer,
      sensitive: (body.sensitive ?? false) || said.spoilerText !== '',
      language: statusLanguage(body.language ?? '') ?? record.language,
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
  answer: Type.Array(StatusEdit),
  handle: ({ services, viewer, params }) =>
    soon(visibleStatus(services, viewer, params.id), (seen) => {
      if (isProblem(seen)) return seen;
      const record = seen.original ?? seen.record;
      return soon(loadAccounts(services, [record.accountId]), (authors) => {
        const author = authors.get(record.accountId);
        if (author === undefined) return notFound();
        const kept = keptHistories.get(record);
        const isKept = kept?.author === author && kept.emojis === services.instance.emojis?.all;
        return isKept ? json(kept.json) : historyOf(services, viewer, seen, author);
      });
    }),
});

interface CachedHistory {
  readonly author: StoreAccountRecord;
  readonly emojis: EmojiLookup['all'] | undefined;
  readonly json: JsonPieces;
}

/** Cached histories of statuses without quotes, valid while the status and the author's record are the same objects. */
const keptHistories = new WeakMap<StoreStatusRecord, CachedHistory>();
/** Largest cached history: twenty edits of usual length; a status may have a thousand. */
const KEPT_HISTORY_BYTES_MAX = 32_768;

async function historyOf(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string | undefined,
  seen: VisibleStatus,
  author: StoreAccountRecord,
): Promise<Answer<JsonPieces>> {
  const record = seen.original ?? seen.record;
  const emojis = services.instance.emojis?.all;
  const rows =
    record.edits === undefined
      ? []
      : await services.tables.range(statusRevisions, { status: record.id }, { limit: REVISIONS_MAX + 1 });
  const revisions = rows.length === 0 ? [revisionOf(record)] : rows.map((row) => row.value);
  const shown = seen.quote && (await services.pages.entity(services, viewer, seen));
  const quote = (shown?.reblog ?? shown)?.quote ?? undefined;
  const edits = revisions.map((revision) => renderStatusEdit(services.instance, record.id, revision, author, quote));
  const made = new JsonPieces([Buffer.from(JSON.stringify(edits))]);
  // The history is cached only if it matches the status' edit count: the row of an edit may precede the row of the
  // status.
  const isAsNow = revisions.length === (record.edits ?? 0) + 1;
  if (isAsNow && seen.quote === undefined && made.length <= KEPT_HISTORY_BYTES_MAX)
    keptHistories.set(record, { author, emojis, json: made });
  return json(made);
}

const source = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/source',
  auth: 'user',
  scope: 'read:statuses',
  params: idParams,
  answer: StatusSource,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    return isProblem(seen) ? seen : json(renderStatusSource(seen.original ?? seen.record));
  },
});

/** Edits and the history of a status. */
export const statusEditRoutes: readonly AnyRoute[] = [edit, history, source];
