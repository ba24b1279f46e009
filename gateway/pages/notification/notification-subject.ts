import type {
  AccountNotifiedReport,
  AccountNotifiedSeverance,
  AccountNotifiedWarning,
  StoreNotificationRecord,
} from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import type { People } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { type Account, renderAccount } from '../account/account.js';
import type { Collection } from '../status/collection.js';

/** Subject of a notification that is not a status, in the terms of the REST API. */
export interface NotificationSubject {
  readonly report?: NotifiedReport;
  readonly moderation_warning?: NotifiedWarning;
  readonly event?: NotifiedSeverance;
  readonly collection?: Collection;
}

/** The REST API's Report, as of its creation. */
interface NotifiedReport {
  readonly id: string;
  readonly action_taken: boolean;
  readonly action_taken_at: null;
  readonly category: string;
  readonly comment: string;
  readonly forwarded: boolean;
  readonly created_at: string;
  readonly status_ids: readonly string[];
  readonly rule_ids: readonly string[];
  readonly target_account: Account;
}

/** The REST API's AccountWarning. */
interface NotifiedWarning {
  readonly id: string;
  readonly action: string;
  readonly text: string;
  readonly status_ids: readonly string[];
  readonly target_account: Account;
  readonly appeal: null;
  readonly created_at: string;
}

/** The REST API's RelationshipSeveranceEvent. */
interface NotifiedSeverance {
  readonly id: string;
  readonly type: string;
  readonly purged: boolean;
  readonly target_name: string;
  readonly followers_count: number;
  readonly following_count: number;
  readonly created_at: string;
}

/** Returns the subject; undefined for notifications about statuses and follows. */
export function subjectOf(
  services: Pick<ReadServices, 'instance'>,
  viewer: string,
  { report, warning, severance }: StoreNotificationRecord,
  accounts: People,
): NotificationSubject | undefined {
  if (severance !== undefined) return { event: severanceEvent(severance) };
  if (report === undefined && warning === undefined) return undefined;
  const target = accounts.get(report?.target ?? viewer);
  if (target === undefined) return undefined;
  if (report !== undefined) return { report: reportOn(renderAccount(services.instance, target), report) };
  if (warning === undefined) return undefined;
  return { moderation_warning: warningOf(renderAccount(services.instance, target), warning) };
}

function reportOn(target: Account, report: AccountNotifiedReport): NotifiedReport {
  return {
    id: report.id,
    action_taken: false,
    action_taken_at: null,
    category: report.category,
    comment: report.comment,
    forwarded: report.forwarded,
    created_at: isoTime(report.createdAtMs),
    status_ids: report.statusIds,
    rule_ids: report.ruleIds,
    target_account: target,
  };
}

function warningOf(target: Account, warning: AccountNotifiedWarning): NotifiedWarning {
  return {
    id: warning.id,
    action: warning.action,
    text: warning.text,
    status_ids: warning.statusIds,
    target_account: target,
    appeal: null,
    created_at: isoTime(warning.createdAtMs),
  };
}

function severanceEvent(severance: AccountNotifiedSeverance): NotifiedSeverance {
  return {
    id: severance.id,
    type: severance.type,
    purged: false,
    target_name: severance.targetName,
    followers_count: severance.followers,
    following_count: severance.following,
    created_at: isoTime(severance.createdAtMs),
  };
}
