import type { InstanceEntry, InstanceReport, StoreAccountRecord, StoreStatusRecord } from '../../proto/gen/types.js';
import type { JsonPieces } from '../cards/json-pieces.js';
import type { InstanceSettings, Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import { eachBounded, READS_AT_ONCE_MAX } from '../timelines/cursor.js';
import { loadStatuses } from '../visible.js';
import { type Account, renderAccount, renderWhole } from './account.js';
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
    collection_ids: report.collectionIds,
    target_account: renderAccount(instance, target),
  };
}

type ReportCard = NonNullable<ReturnType<Services['pages']['others']['report']>>;

/** The REST API's Admin::Report as pieces of JSON, in the reports' order; those whose people are gone are left out. */
export function adminReportPieces(
  services: Services,
  viewer: string,
  reports: readonly InstanceReport[],
): Soon<(readonly Uint8Array[])[]> {
  const ids: string[] = [];
  for (const { account, target, assigned, resolvedBy } of reports) {
    ids.push(account, target);
    if (assigned !== undefined) ids.push(assigned);
    if (resolvedBy !== undefined) ids.push(resolvedBy);
  }
  return soon(loadAccounts(services, ids), (people) => {
    const rules = reports.some(({ ruleIds }) => ruleIds.length > 0) ? services.entries.of('rules') : NO_RULES;
    return soon(rules, (known) => {
      const found: { readonly report: InstanceReport; readonly card: ReportCard }[] = [];
      for (const report of reports) {
        const card = services.pages.others.report(report, people, known);
        if (card !== undefined) found.push({ report, card });
      }
      if (reports.every(({ statusIds }) => statusIds.length === 0)) return found.map(({ card }) => [card.whole]);
      return eachBounded(found, READS_AT_ONCE_MAX, async ({ report, card }) => {
        if (report.statusIds.length === 0) return [card.whole];
        return [card.head, ...(await reportedStatuses(services, viewer, report)).pieces, card.rules];
      });
    });
  });
}

const NO_RULES: readonly InstanceEntry[] = [];

/** What of an Admin::Report is the report's own. */
export function renderAdminReport(report: InstanceReport) {
  return { ...ownOf(report), updated_at: isoTime(report.updatedAtMs) };
}

/** What was reported, for the eyes of those who judge it: whoever else may see it. */
async function reportedStatuses(services: Services, viewer: string, report: InstanceReport): Promise<JsonPieces> {
  const found = await loadStatuses(services, report.statusIds);
  const isThere = (record: StoreStatusRecord | undefined) =>
    record !== undefined && !record.deleted && record.accountId === report.target;
  const seen = found.flatMap((record) => (record && isThere(record) ? [{ record, original: undefined }] : []));
  return services.pages.list(services, viewer, seen);
}
