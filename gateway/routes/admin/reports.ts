import { Type } from '@sinclair/typebox';
import { isLocal } from '../../../actors/domain/addresses.js';
import { eraOfId, storedId } from '../../../actors/domain/ids.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { publicLane } from '../../../actors/domain/public.js';
import {
  REPORT_CATEGORIES,
  REPORT_COMMENT_CHARS_MAX,
  REPORT_NOTE_CHARS_MAX,
  REPORTED_RULES_MAX,
  REPORTED_STATUSES_MAX,
} from '../../../actors/report/report.js';
import type { InstanceReport } from '../../../proto/gen/types.js';
import { reports } from '../../../store/moderation-tables.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { reportsCursor } from '../../moderation/moderators.js';
import { idParams, pageAnswer } from '../../pages/answers.js';
import { AdminReportNote, renderReportNotes } from '../../pages/report/notes.js';
import { AdminReport, Report, renderReport } from '../../pages/report/report.js';
import { adminReportPieces } from '../../pages/report/report-pages.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText, pageBounds, pageProperties } from '../../paging/bounds.js';
import { readPage } from '../../paging/page.js';
import { soon } from '../../paging/soon.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { notFound, publishedAccount, visibleById } from '../../viewing/visible.js';
import { collectionsById } from '../../viewing/visible-collections.js';

const READ = 'admin:read:reports';
const WRITE = 'admin:write:reports';
const PERMISSION = 'manage_reports';
const REPORTS_DEFAULT = 100;
const REPORTS_MAX = 200;
const COLLECTIONS_MAX = 40;

const category = () => Type.Union(REPORT_CATEGORIES.map((name) => Type.Literal(name)));
const ids = (maxItems: number) => Type.Array(idText(), { default: [], maxItems });

const file = route({
  method: 'POST',
  path: '/api/v1/reports',
  idempotent: 'answer',
  auth: 'user',
  scope: 'write:reports',
  body: Type.Object({
    account_id: idText(),
    status_ids: ids(REPORTED_STATUSES_MAX),
    rule_ids: ids(REPORTED_RULES_MAX),
    collection_ids: ids(COLLECTIONS_MAX),
    comment: Type.String({ default: '', maxLength: REPORT_COMMENT_CHARS_MAX }),
    forward: Type.Boolean({ default: false }),
    category: Type.Optional(category()),
  }),
  answer: Report,
  handle: async ({ services, viewer = '', body, newId }) => {
    const target = await publishedAccount(services, body.account_id);
    if (isProblem(target)) return target;
    if (target.id === viewer) return problem('invalid', 'Validation failed: You cannot report yourself');
    const wanted = [...new Set(body.status_ids.map(storedId))];
    const seen = await visibleById(services, viewer, wanted);
    if (seen.some((status) => status?.record.accountId !== target.id)) return notFound();
    const collectionIds = [...new Set(body.collection_ids.map(storedId))];
    const collections = await collectionsById(services, viewer, collectionIds);
    if (collections.some((one) => one?.owner.id !== target.id)) return notFound();
    const rules = await services.entries.of('rules');
    const ruleIds = [...new Set(body.rule_ids.map(storedId))];
    if (!ruleIds.every((id) => rules.some((rule) => rule.id === id)))
      return problem('invalid', 'Validation failed: Rules does not reference valid rules');
    const made = await services.askReport(newId ?? (await services.newAccountId()), 'file', {
      account: viewer,
      target: target.id,
      category: body.category ?? (ruleIds.length > 0 ? 'violation' : 'other'),
      comment: body.comment,
      statusIds: wanted,
      ruleIds,
      collectionIds,
      // A report about a local account has no other server to be forwarded to.
      forward: body.forward && !isLocal(target),
    });
    return isProblem(made) ? made : json(renderReport(services.instance, made, target));
  },
});

/** Returns the current report, or undefined if there is none. */
export async function storedReport(
  { tables }: Pick<Services, 'tables'>,
  id: string,
): Promise<InstanceReport | undefined> {
  const report = storedId(id);
  return tables.get(reports, { era: eraOfId(report), lane: publicLane(report), report });
}

const list = route({
  method: 'GET',
  path: '/api/v1/admin/reports',
  auth: 'user',
  scope: READ,
  permission: PERMISSION,
  query: Type.Object({
    ...pageProperties(REPORTS_DEFAULT, REPORTS_MAX),
    resolved: Type.Optional(Type.Boolean()),
    account_id: Type.Optional(idText()),
    target_account_id: Type.Optional(idText()),
  }),
  answer: Type.Array(AdminReport),
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    const { resolved, account_id, target_account_id } = query;
    const [account, target] = [account_id && storedId(account_id), target_account_id && storedId(target_account_id)];
    const keep = (report: InstanceReport) =>
      report.resolvedAtMs > 0 === (resolved ?? false) &&
      (account === undefined || report.account === account) &&
      (target === undefined || report.target === target);
    const found = readPage(reportsCursor(services, bounds), bounds, (rows) =>
      rows.map(({ value }) => (keep(value) ? value : undefined)),
    );
    return soon(found, (page) =>
      soon(adminReportPieces(services, viewer, page.items), (items) => {
        const body = new JsonPieces(arrayOf(items));
        return pageAnswer(request, bounds, page, body, { resolved, account_id, target_account_id });
      }),
    );
  },
});

const one = route({
  method: 'GET',
  path: '/api/v1/admin/reports/:id',
  auth: 'user',
  scope: READ,
  permission: PERMISSION,
  params: idParams,
  answer: AdminReport,
  handle: async ({ services, viewer = '', params }) => {
    const report = await storedReport(services, params.id);
    return report === undefined ? notFound() : answer(services, viewer, report);
  },
});

async function answer(
  services: ReadServices & Pick<Services, 'pages' | 'entries'>,
  viewer: string,
  report: InstanceReport,
) {
  const [rendered] = await adminReportPieces(services, viewer, [report]);
  return rendered === undefined ? notFound() : json(new JsonPieces(rendered));
}

interface Change {
  readonly category?: string;
  readonly ruleIds?: readonly string[];
  /** A note. */
  readonly text?: string;
}

async function handle(
  services: ReadServices & Pick<Services, 'pages' | 'entries' | 'askReport'>,
  viewer: string,
  id: string,
  action: string,
  change: Change = {},
) {
  const { category: wanted, ruleIds, text } = change;
  // A command to an actor that never existed would activate it and use memory.
  if ((await storedReport(services, id)) === undefined) return notFound();
  const report = await services.askReport(storedId(id), 'handle', {
    action,
    by: viewer,
    ...(wanted === undefined ? {} : { category: wanted }),
    ruleIds: ruleIds ?? [],
    setRules: ruleIds !== undefined,
    ...(text === undefined ? {} : { text }),
  });
  return isProblem(report) ? report : answer(services, viewer, report);
}

const change = route({
  method: 'PUT',
  path: '/api/v1/admin/reports/:id',
  auth: 'user',
  scope: WRITE,
  permission: PERMISSION,
  params: idParams,
  body: Type.Object({
    category: Type.Optional(category()),
    rule_ids: Type.Optional(Type.Array(idText(), { maxItems: REPORTED_RULES_MAX })),
  }),
  answer: AdminReport,
  handle: async ({ services, viewer = '', params, body }) => {
    const ruleIds = body.rule_ids?.map(storedId);
    return handle(services, viewer, params.id, 'update', {
      ...(body.category === undefined ? {} : { category: body.category }),
      ...(ruleIds === undefined ? {} : { ruleIds }),
    });
  },
});

function verb(name: string, action: string): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/admin/reports/:id/${name}`,
    auth: 'user',
    scope: WRITE,
    permission: PERMISSION,
    params: idParams,
    answer: AdminReport,
    handle: ({ services, viewer = '', params }) => handle(services, viewer, params.id, action),
  });
}

const notes = route({
  method: 'GET',
  path: '/api/v1/admin/reports/:id/notes',
  auth: 'user',
  scope: READ,
  permission: PERMISSION,
  params: idParams,
  answer: Type.Array(AdminReportNote),
  handle: async ({ services, params }) => {
    const report = await storedReport(services, params.id);
    return report === undefined ? notFound() : json(await renderReportNotes(services, report.notes));
  },
});

const addNote = route({
  method: 'POST',
  path: '/api/v1/admin/reports/:id/notes',
  auth: 'user',
  scope: WRITE,
  permission: PERMISSION,
  params: idParams,
  body: Type.Object({ content: Type.String({ minLength: 1, maxLength: REPORT_NOTE_CHARS_MAX }) }),
  answer: AdminReport,
  handle: ({ services, viewer = '', params, body }) =>
    handle(services, viewer, params.id, 'note', { text: body.content }),
});

/** Reports by users, and their handling by moderators. */
export const reportRoutes: readonly AnyRoute[] = [
  file,
  list,
  one,
  change,
  notes,
  addNote,
  verb('assign_to_self', 'assign'),
  verb('unassign', 'unassign'),
  verb('resolve', 'resolve'),
  verb('reopen', 'reopen'),
];
