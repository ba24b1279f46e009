import type { InstanceReport, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import { JsonPieces } from '../cards/json-pieces.js';
import type { InstanceSettings, Services } from '../services.js';
import { loadStatuses } from '../visible.js';
import { type Account, renderAccount, renderWhole } from './account.js';
import { renderRule } from './instance.js';
import { type Role, renderRole } from './role.js';
import { loadAccounts } from './status.js';
import { isoTime } from './time.js';

/** The REST API's Admin::Account. */
export interface AdminAccount {
  readonly id: string;
  readonly username: string;
  readonly domain: string | null;
  readonly created_at: string;
  readonly email: string;
  readonly ip: string | null;
  readonly ips: readonly { readonly ip: string; readonly used_at: string }[];
  readonly locale: string;
  readonly invite_request: string | null;
  readonly role: Role;
  readonly confirmed: boolean;
  readonly approved: boolean;
  readonly disabled: boolean;
  readonly silenced: boolean;
  readonly sensitized: boolean;
  readonly suspended: boolean;
  readonly account: Account;
  readonly created_by_application_id: string | null;
  readonly invited_by_account_id: string | null;
}

/** An account as moderators see it: all of it, suspended or not. */
export function renderAdminAccount(instance: InstanceSettings, record: StoreAccountRecord): AdminAccount {
  const createdAt = isoTime(record.createdAtMs);
  const address = record.signUpAddress;
  return {
    id: record.id,
    username: record.username,
    domain: record.domain === '' ? null : record.domain,
    created_at: createdAt,
    email: record.email,
    ip: address ?? null,
    ips: address === undefined ? [] : [{ ip: address, used_at: createdAt }],
    locale: record.locale,
    invite_request: record.reason ?? null,
    role: renderRole(record.role),
    confirmed: record.confirmed,
    approved: record.approved,
    disabled: record.disabled,
    silenced: record.silenced === true,
    sensitized: record.sensitized === true,
    suspended: (record.suspendedAtMs ?? 0) > 0,
    account: renderWhole(instance, record),
    created_by_application_id: record.clientId ?? null,
    invited_by_account_id: null,
  };
}

/** What both forms of a report begin with. */
function ownOf(report: InstanceReport) {
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

/** The REST API's Report, as its author sees it. */
export function renderReport(instance: InstanceSettings, report: InstanceReport, target: StoreAccountRecord) {
  return {
    ...ownOf(report),
    status_ids: report.statusIds,
    rule_ids: report.ruleIds,
    collection_ids: [],
    target_account: renderAccount(instance, target),
  };
}

/** The REST API's Admin::Report as pieces of JSON, in the reports' order; those whose people are gone are left out. */
export async function adminReportPieces(
  services: Services,
  viewer: string,
  reports: readonly InstanceReport[],
): Promise<(readonly Uint8Array[])[]> {
  const ids = reports.flatMap((one) => [one.account, one.target, one.assigned ?? [], one.resolvedBy ?? []].flat());
  const [people, rules] = await Promise.all([loadAccounts(services, ids), services.entries.of('rules')]);
  const admin = (id: string | undefined) => {
    const record = id === undefined ? undefined : people.get(id);
    return record === undefined ? undefined : services.pages.others.adminAccount(record);
  };
  const found: (readonly Uint8Array[])[] = [];
  for (const report of reports) {
    const [account, target] = [admin(report.account), admin(report.target)];
    if (account === undefined || target === undefined) continue;
    found.push([
      services.pages.others.report(report),
      ...[ACCOUNT, account, TARGET, target],
      ...[ASSIGNED, admin(report.assigned) ?? NULL, TAKEN_BY, admin(report.resolvedBy) ?? NULL],
      ...[STATUSES, ...(await reportedStatuses(services, viewer, report)).pieces],
      ...[RULES, rulesOf(report, rules)],
    ]);
  }
  return found;
}

const ACCOUNT = Buffer.from(',"account":');
const TARGET = Buffer.from(',"target_account":');
const ASSIGNED = Buffer.from(',"assigned_account":');
const TAKEN_BY = Buffer.from(',"action_taken_by_account":');
const STATUSES = Buffer.from(',"statuses":');
const RULES = Buffer.from(',"rules":');
const NULL = Buffer.from('null');
const NO_RULES = Buffer.from('[]}');
const NOTHING = new JsonPieces([Buffer.from('[]')]);

/** What of an Admin::Report is the report's own. */
export function renderAdminReport(report: InstanceReport) {
  return { ...ownOf(report), updated_at: isoTime(report.updatedAtMs) };
}

function rulesOf({ ruleIds }: InstanceReport, rules: Awaited<ReturnType<Services['entries']['of']>>): Uint8Array {
  if (ruleIds.length === 0) return NO_RULES;
  return Buffer.from(`${JSON.stringify(rules.filter(({ id }) => ruleIds.includes(id)).map(renderRule))}}`);
}

/** What was reported, for the eyes of those who judge it: whoever else may see it. */
async function reportedStatuses(services: Services, viewer: string, report: InstanceReport): Promise<JsonPieces> {
  if (report.statusIds.length === 0) return NOTHING;
  const found = await loadStatuses(services, report.statusIds);
  const isThere = (record: StoreStatusRecord | undefined) =>
    record !== undefined && !record.deleted && record.accountId === report.target;
  const seen = found.flatMap((record) => (record && isThere(record) ? [{ record, original: undefined }] : []));
  return services.pages.list(services, viewer, seen);
}
