import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import type { Permission } from '../../../actors/domain/permissions.js';
import { invalidField, isProblem, type Problem } from '../../../actors/domain/problem.js';
import { REPORTED_STATUSES_MAX } from '../../../actors/report/report.js';
import type { AccountModeratedStatus, StoreAccountRecord } from '../../../proto/gen/types.js';
import { accounts, statuses } from '../../../store/tables.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { subordinate } from '../../moderation/moderators.js';
import { AdminAccount, renderAdminAccount } from '../../pages/account/admin.js';
import { idParams } from '../../pages/answers.js';
import { idText } from '../../paging/bounds.js';
import { notFound } from '../../viewing/visible.js';
import { storedReport } from './reports.js';

const READ = 'admin:read:accounts';
const WRITE = 'admin:write:accounts';
const PERMISSION = 'manage_users';
const TEXT_CHARS_MAX = 5_000;

const one = route({
  method: 'GET',
  path: '/api/v1/admin/accounts/:id',
  auth: 'user',
  scope: READ,
  permission: PERMISSION,
  params: idParams,
  answer: AdminAccount,
  handle: async ({ services, params }) => {
    const record = await services.tables.get(accounts, { account: storedId(params.id) });
    return record === undefined ? notFound() : json(renderAdminAccount(services.instance, record));
  },
});

interface Decided {
  readonly text?: string;
  readonly mail?: boolean;
  readonly reportId?: string;
  readonly statuses?: readonly AccountModeratedStatus[];
}

/** Runs a moderation action and returns the resulting account. Returns the former record if the account was deleted. */
async function moderate(
  services: Pick<Services, 'askAccount' | 'tables'>,
  viewer: string,
  id: string,
  action: string,
  { text = '', mail = false, reportId, statuses = [] }: Decided = {},
): Promise<StoreAccountRecord | Problem> {
  const target = await subordinate(services, viewer, id);
  if (isProblem(target)) return target;
  const command = {
    ...{ action, by: viewer, text, mail },
    ...(reportId === undefined ? {} : { reportId }),
    ...(statuses.length === 0 ? {} : { statuses: { some: statuses } }),
  };
  const reply = await services.askAccount(target.id, 'moderate', command);
  if (isProblem(reply)) return reply;
  return (await services.tables.get(accounts, { account: target.id })) ?? target;
}

function verb(name: string, action: string, mail = false, permission: Permission = PERMISSION): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/admin/accounts/:id/${name}`,
    auth: 'user',
    scope: WRITE,
    permission,
    params: idParams,
    answer: AdminAccount,
    handle: async ({ services, viewer = '', params }) => {
      const record = await moderate(services, viewer, params.id, action, { mail });
      return isProblem(record) ? record : json(renderAdminAccount(services.instance, record));
    },
  });
}

const remove = route({
  method: 'DELETE',
  path: '/api/v1/admin/accounts/:id',
  auth: 'user',
  scope: WRITE,
  permission: 'delete_user_data',
  params: idParams,
  answer: AdminAccount,
  handle: async ({ services, viewer = '', params }) => {
    const record = await moderate(services, viewer, params.id, 'delete');
    return isProblem(record) ? record : json(renderAdminAccount(services.instance, record));
  },
});

const ACTIONS = [
  ...(['none', 'disable', 'sensitive', 'silence', 'suspend'] as const),
  // About statuses of the account. Source: Mastodon AccountWarning, whose API does not offer them.
  ...(['delete_statuses', 'mark_statuses_as_sensitive'] as const),
];

/** Returns those of the statuses that are the account's. */
async function statusesOf(
  services: Pick<Services, 'tables'>,
  account: string,
  ids: readonly string[],
): Promise<AccountModeratedStatus[]> {
  const found = await services.tables.getMany(
    statuses,
    ids.map((status) => ({ status })),
  );
  return found.flatMap((record) =>
    record?.accountId === account ? [{ statusId: record.id, conversationId: record.conversationId }] : [],
  );
}

const action = route({
  method: 'POST',
  path: '/api/v1/admin/accounts/:id/action',
  auth: 'user',
  scope: WRITE,
  permission: PERMISSION,
  params: idParams,
  body: Type.Object({
    type: Type.Union(ACTIONS.map((name) => Type.Literal(name))),
    report_id: Type.Optional(idText()),
    status_ids: Type.Array(idText(), { default: [], maxItems: REPORTED_STATUSES_MAX }),
    warning_preset_id: Type.Optional(idText()),
    text: Type.String({ default: '', maxLength: TEXT_CHARS_MAX }),
    send_email_notification: Type.Boolean({ default: true }),
  }),
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params, body }) => {
    const reportId = body.report_id === undefined ? undefined : storedId(body.report_id);
    const report = reportId === undefined ? undefined : await storedReport(services, reportId);
    // An action on behalf of a report requires that the report exists.
    if (reportId !== undefined && report === undefined) return notFound();
    const ids = [...new Set(body.status_ids.map(storedId))];
    const isAboutStatuses = body.type === 'delete_statuses' || body.type === 'mark_statuses_as_sensitive';
    if (isAboutStatuses && ids.length === 0) return invalidField('status_ids', 'Statuses', "can't be blank");
    // A decision about a report names its statuses, as far as they still exist.
    const reported = report?.target === storedId(params.id) ? report.statusIds : [];
    const found = await statusesOf(services, storedId(params.id), ids.length > 0 ? ids : reported);
    if (found.length < ids.length) return notFound();
    const decided = { text: body.text, mail: body.send_email_notification, statuses: found };
    const record = await moderate(services, viewer, params.id, body.type, {
      ...decided,
      ...(reportId === undefined ? {} : { reportId }),
    });
    if (isProblem(record)) return record;
    if (reportId === undefined) return json({});
    const resolved = await services.askReport(reportId, 'handle', {
      action: 'resolve',
      by: viewer,
      ruleIds: [],
      setRules: false,
    });
    return isProblem(resolved) ? resolved : json({});
  },
});

/** Moderation of accounts. */
export const adminAccountRoutes: readonly AnyRoute[] = [
  one,
  verb('approve', 'approve', true),
  verb('reject', 'reject', true),
  verb('enable', 'enable', true),
  verb('unsilence', 'unsilence', true),
  verb('unsuspend', 'unsuspend', true),
  verb('unsensitive', 'unsensitive', true),
  // Source: Mastodon AccountPolicy, whose API does not offer them.
  verb('memorialize', 'memorialize', false, 'delete_user_data'),
  verb('unmemorialize', 'unmemorialize', false, 'delete_user_data'),
  action,
  remove,
];
