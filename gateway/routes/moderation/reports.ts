import { Type } from '@sinclair/typebox';
import { problem } from '../../../actors/domain/problem.js';
import { reportsPage, type ShownReport } from '../../html/pages/reports-page.js';
import { type AnyRoute, redirect } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { notFound } from '../../viewing/visible.js';
import { personalForm, personalPage } from '../html/personal.js';

const PATH = '/moderation/reports';
const API = '/api/v1/admin/reports';
const permission = 'manage_reports';
/** Verbs of the API by the action of a button. */
const VERBS = { assign: 'assign_to_self', unassign: 'unassign', resolve: 'resolve', reopen: 'reopen' } as const;

const list = personalPage(
  { path: PATH, permission, query: Type.Object({ resolved: Type.Optional(Type.Boolean()) }) },
  async ({ site, reader, request, api }) => {
    const resolved = request.query.resolved === true;
    const found = await api<ShownReport[]>({ method: 'GET', path: API, query: `resolved=${resolved}` });
    if (found.status !== 200) return problem('forbidden', 'This action is not allowed');
    return reportsPage(site, reader, found.body, resolved);
  },
);

const act = personalForm(
  {
    path: `${PATH}/:id`,
    permission,
    params: idParams,
    body: { action: Type.Union(Object.keys(VERBS).map((name) => Type.Literal(name as keyof typeof VERBS))) },
  },
  async ({ request, api }) => {
    const verb = VERBS[request.body.action];
    const done = await api({ method: 'POST', path: `${API}/${request.params.id}/${verb}` });
    return done.status === 200 ? redirect(PATH, 303) : notFound();
  },
);

/** Pages of reports for moderators. */
export const reportPageRoutes: readonly AnyRoute[] = [list, act];
