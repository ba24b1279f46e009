import type { Services } from '../services.js';
import type { StoredNotification } from '../streaming/sources.js';
import { loadStatuses, relationsTo, visibleStatuses } from '../visible.js';
import { type Account, isPublished, renderAccount } from './account.js';
import { loadAccounts, renderStatuses, type Status } from './status.js';
import { isoTime } from './time.js';

/** The REST API's Notification. */
export interface Notification {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly group_key: string;
  readonly account: Account;
  readonly status?: Status;
}

/** Renders with one read per table; undefined where the account or the status is gone, hidden, blocked or muted. */
export async function renderNotifications(
  services: Services,
  viewer: string,
  stored: readonly StoredNotification[],
): Promise<(Notification | undefined)[]> {
  const ids = [...new Set(stored.flatMap(({ record }) => (record.statusId ? [record.statusId] : [])))];
  const records = await loadStatuses(services, ids);
  const from = stored.map(({ record }) => record.from);
  const authors = records.flatMap((record) =>
    record ? [record.accountId, record.reblogOfAccountId ?? []].flat() : [],
  );
  const [relations, accounts] = await Promise.all([
    relationsTo(services, viewer, [...from, ...authors]),
    loadAccounts(services, from),
  ]);
  const seen = await visibleStatuses(services, viewer, records, { relations, hideBlocked: true });
  const rendered = await renderStatuses(services, viewer, seen);
  const statuses = new Map(ids.map((id, index) => [id, rendered[index]]));
  return stored.map(({ id, record }) => {
    const account = accounts.get(record.from);
    const relation = relations(record.from);
    if (account === undefined || !isPublished(account) || relation?.blocking || relation?.blockedBy) return undefined;
    if (relation?.mutingNotifications === true) return undefined;
    const status = record.statusId === undefined ? undefined : statuses.get(record.statusId);
    if (record.statusId !== undefined && status === undefined) return undefined;
    return {
      id,
      type: record.type,
      created_at: isoTime(record.atMs),
      group_key: `ungrouped-${id}`,
      account: renderAccount(services.instance, account),
      ...(status === undefined ? {} : { status }),
    };
  });
}
