import { isLocal } from '../../../actors/domain/addresses.js';
import type { InstanceReport, StoreAccountRecord } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { type Account, renderAccount, renderWhole } from './account.js';
import { type Role, renderRole } from './role.js';

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

/** Renders an account for moderators, complete even if it is suspended. */
export function renderAdminAccount(instance: InstanceSettings, record: StoreAccountRecord): AdminAccount {
  const createdAt = isoTime(record.createdAtMs);
  const address = record.signUpAddress;
  return {
    id: record.id,
    username: record.username,
    domain: isLocal(record) ? null : record.domain,
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

/** Returns the fields that both forms of a report share. */
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

/** Renders the REST API's Report for its author. */
export function renderReport(instance: InstanceSettings, report: InstanceReport, target: StoreAccountRecord) {
  return {
    ...ownOf(report),
    status_ids: report.statusIds,
    rule_ids: report.ruleIds,
    collection_ids: report.collectionIds,
    target_account: renderAccount(instance, target),
  };
}

/** Renders the fields of an Admin::Report that depend on the report alone. */
export function renderAdminReport(report: InstanceReport) {
  return { ...ownOf(report), updated_at: isoTime(report.updatedAtMs) };
}
