import { Type } from '@sinclair/typebox';
import type { InstanceReport, StoreAccountRecord } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { Account, renderAccount } from '../account/account.js';
import { AdminAccount } from '../account/admin.js';
import { Rule } from '../instance/rule.js';
import { Status } from '../status/status.js';

const Own = Type.Object({
  id: Type.String(),
  action_taken: Type.Boolean(),
  action_taken_at: nullable(time()),
  category: oneOf('spam', 'legal', 'violation', 'other'),
  comment: Type.String(),
  forwarded: Type.Boolean(),
  created_at: time(),
});

/** The REST API's Report. */
export const Report = entity('Report', {
  ...Own.properties,
  status_ids: Type.Array(Type.String()),
  rule_ids: Type.Array(Type.String()),
  /** Absent in notifications. */
  collection_ids: Type.Optional(Type.Array(Type.String())),
  target_account: Account,
});
export type Report = Shape<typeof Report>;

/** The REST API's Admin::Report. */
export const AdminReport = entity('AdminReport', {
  ...Own.properties,
  updated_at: time(),
  account: AdminAccount,
  target_account: AdminAccount,
  assigned_account: nullable(AdminAccount),
  action_taken_by_account: nullable(AdminAccount),
  statuses: Type.Array(Status),
  rules: Type.Array(Rule),
});
export type AdminReport = Shape<typeof AdminReport>;

/** Returns the fields that both forms of a report share. */
function ownOf(report: InstanceReport): Shape<typeof Own> {
  return {
    id: report.id,
    action_taken: report.resolvedAtMs > 0,
    action_taken_at: report.resolvedAtMs > 0 ? isoTime(report.resolvedAtMs) : null,
    category: report.category,
    comment: report.comment,
    forwarded: report.forwarded,
    created_at: isoTime(report.createdAtMs),
  };
}

/** Renders the REST API's Report for its author. */
export function renderReport(instance: InstanceSettings, report: InstanceReport, target: StoreAccountRecord): Report {
  return {
    ...ownOf(report),
    status_ids: report.statusIds,
    rule_ids: report.ruleIds,
    collection_ids: report.collectionIds,
    target_account: renderAccount(instance, target),
  };
}

/** Renders the fields of an Admin::Report that depend on the report alone. */
export function renderAdminReport(report: InstanceReport): Partial<AdminReport> {
  return { ...ownOf(report), updated_at: isoTime(report.updatedAtMs) };
}
