import { codec } from '../proto/codec.js';
import { table } from './table.js';

/** Actions of moderators; `era` is that of the entry id. */
export const auditLog = table('audit_log', {
  partition: { era: 'int' },
  clustering: { entry: 'id' },
  value: codec('murmuration.instance.AuditEntry'),
});

/** Moderators' notes about accounts. */
export const moderationNotes = table('moderation_notes', {
  partition: { account: 'id' },
  clustering: {},
  value: codec('murmuration.account.ModerationNotes'),
});

/** Reports by users; `era` is that of the report id, `lane` its publicLane. */
export const reports = table('reports', {
  partition: { era: 'int', lane: 'int' },
  clustering: { report: 'id' },
  value: codec('murmuration.instance.Report'),
});

/** Accounts of this server; `era` is that of the account id, `lane` its publicLane. */
export const accountListings = table('account_listings', {
  partition: { era: 'int', lane: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountListing'),
});

/** Silenced and suspended accounts, all of them in memory on each node; `century` is always 0. */
export const accountLimits = table('account_limits', {
  partition: { century: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountLimit'),
  watched: true,
});

/** Accounts with a role; `century` is always 0. */
export const staff = table('staff', {
  partition: { century: 'int' },
  clustering: { account: 'id' },
  value: codec('murmuration.store.AccountListing'),
});

export const moderationTables = [auditLog, moderationNotes, reports, accountListings, accountLimits, staff] as const;
