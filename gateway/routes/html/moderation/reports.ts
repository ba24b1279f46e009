import { Type } from '@sinclair/typebox';
import { problem } from '../../../../actors/domain/problem.js';
import { REPORTED_STATUSES_MAX } from '../../../../actors/report/report.js';
import { NO_ACTION } from '../../../html/moderation/actions.js';
import { type ReportFacts, reportPage } from '../../../html/moderation/report-page.js';
import { reportsPage } from '../../../html/moderation/reports-page.js';
import type { AnyRoute } from '../../../http/route.js';
import { idParams } from '../../../pages/answers.js';
import type { AdminReportNote } from '../../../pages/report/notes.js';
import type { AdminReport } from '../../../pages/report/report.js';
import { idText, pageProperties } from '../../../paging/bounds.js';
import { linksOf } from '../../../paging/links.js';
import { notFound } from '../../../viewing/visible.js';
import { personalForm, personalPage } from '../personal.js';
import { after, decisionFields, faultOf, type Moderator, noteForm, read, refusedAct, reportsAbout } from './acting.js';

const PATH = '/moderation/reports';
const API = '/api/v1/admin/reports';
const permission = 'manage_reports';
const PAGE = 40;
/** Other reports about the account that the page of a report lists, of each state. */
const OTHERS_MAX = 10;
/** Verbs of the API by the action of a button. */
const VERBS = { assign: 'assign_to_self', unassign: 'unassign', resolve: 'resolve', reopen: 'reopen' } as const;

const list = personalPage(
  {
    path: PATH,
    permission,
    query: Type.Object({ ...pageProperties(PAGE, PAGE), resolved: Type.Optional(Type.Boolean()) }),
  },
  async ({ site, reader, request, api }) => {
    const isResolved = request.query.resolved === true;
    const query = request.url.split('?', 2)[1] ?? '';
    const { status, body, link } = await api<AdminReport[]>({
      method: 'GET',
      path: API,
      query: `limit=${PAGE}&${query}`,
    });
    if (status !== 200) return problem('forbidden', 'This action is not allowed');
    return reportsPage(site, reader, { reports: body, isResolved, ...linksOf(link, request.url) });
  },
);

type Typed = Partial<Pick<ReportFacts, 'fault' | 'isDone'>> & Partial<ReportFacts['typed']>;

/** Shows a report, with its forms as they were typed. */
async function show(moderator: Moderator, id: string, { action, note = '', isDone = false, fault }: Typed = {}) {
  const { site, reader } = moderator;
  const report = await read<AdminReport>(moderator, `${API}/${id}`);
  if (report === undefined) return notFound();
  const [notes = [], reports] = await Promise.all([
    read<AdminReportNote[]>(moderator, `${API}/${id}/notes`),
    reportsAbout(moderator, report.target_account.id, OTHERS_MAX),
  ]);
  return reportPage(site, reader, {
    report,
    notes,
    others: reports.filter((other) => other.id !== report.id),
    isDone,
    typed: { action: action ?? { ...NO_ACTION, statusIds: report.statuses.map((status) => status.id) }, note },
    ...(fault && { fault }),
  });
}

const one = personalPage(
  { path: `${PATH}/:id`, permission, params: idParams, query: Type.Object({ done: Type.Optional(Type.Boolean()) }) },
  ({ request, ...personal }) => {
    const { refused, params, query } = request;
    const { type, text = '', note = '' } = refused?.typed ?? {};
    const action = type === undefined ? undefined : { ...NO_ACTION, type, text };
    return show({ request, ...personal }, params.id, { isDone: query.done === true, note, ...(action && { action }) });
  },
);

const handle = personalForm(
  {
    path: `${PATH}/:id`,
    page: one,
    permission,
    params: idParams,
    body: { action: Type.Union(Object.keys(VERBS).map((name) => Type.Literal(name as keyof typeof VERBS))) },
  },
  async (personal) => {
    const { id } = personal.request.params;
    const verb = VERBS[personal.request.body.action];
    const done = await personal.api({ method: 'POST', path: `${API}/${id}/${verb}` });
    return after(`${PATH}/${id}`, faultOf(done, personal.reader.texts), refusedAct);
  },
);

const addNote = noteForm({ path: PATH, api: API, page: one, permission }, show);

const decide = personalForm(
  {
    path: `${PATH}/:id/decision`,
    page: one,
    permission,
    params: idParams,
    body: {
      ...decisionFields,
      status_ids: Type.Array(idText(), { default: [], maxItems: REPORTED_STATUSES_MAX }),
    },
  },
  async (personal) => {
    const { id } = personal.request.params;
    const { type, text, send_email_notification: isMailed, status_ids: statusIds } = personal.request.body;
    const report = await read<AdminReport>(personal, `${API}/${id}`);
    if (report === undefined) return notFound();
    const done = await personal.api({
      method: 'POST',
      path: `/api/v1/admin/accounts/${report.target_account.id}/action`,
      body: { type, text, send_email_notification: isMailed, status_ids: statusIds, report_id: id },
    });
    const action = { type, text, isMailed, statusIds };
    return after(`${PATH}/${id}`, faultOf(done, personal.reader.texts), (fault) =>
      show(personal, id, { action, fault: { form: 'action', text: fault } }),
    );
  },
);

/** Pages of reports for moderators. */
export const reportPageRoutes: readonly AnyRoute[] = [list, one, handle, addNote, decide];
