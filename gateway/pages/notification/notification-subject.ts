import { Type } from '@sinclair/typebox';
import type {
  AccountNotifiedReport,
  AccountNotifiedSeverance,
  AccountNotifiedWarning,
  StoreNotificationRecord,
} from '../../../proto/gen/types.js';
import { entity, oneOf, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import type { People } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { Account, renderAccount } from '../account/account.js';
import { Report } from '../report/report.js';
import { Collection } from '../status/collection.js';

/** The REST API's AccountWarning. */
const AccountWarning = entity('AccountWarning', {
  id: Type.String(),
  action: oneOf('none', 'disable', 'mark_statuses_as_sensitive', 'delete_statuses', 'sensitive', 'silence', 'suspend'),
  text: Type.String(),
  status_ids: Type.Array(Type.String()),
  target_account: Account,
  appeal: Type.Null(),
  created_at: time(),
});
type Warning = Shape<typeof AccountWarning>;

/** The REST API's RelationshipSeveranceEvent. */
const RelationshipSeveranceEvent = entity('RelationshipSeveranceEvent', {
  id: Type.String(),
  type: oneOf('domain_block', 'user_domain_block', 'account_suspension'),
  purged: Type.Boolean(),
  target_name: Type.String(),
  followers_count: Type.Integer(),
  following_count: Type.Integer(),
  created_at: time(),
});
type Severance = Shape<typeof RelationshipSeveranceEvent>;

/** Subject of a notification that is not a status, in the terms of the REST API. */
export const NotificationSubject = Type.Object({
  report: Type.Optional(Report),
  moderation_warning: Type.Optional(AccountWarning),
  event: Type.Optional(RelationshipSeveranceEvent),
  collection: Type.Optional(Collection),
});
export type NotificationSubject = Shape<typeof NotificationSubject>;

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

function reportOn(target: Account, report: AccountNotifiedReport): Report {
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

function warningOf(target: Account, warning: AccountNotifiedWarning): Warning {
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

function severanceEvent(severance: AccountNotifiedSeverance): Severance {
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
