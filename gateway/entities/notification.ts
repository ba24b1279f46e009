import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Services } from '../services.js';
import type { StoredNotification } from '../streaming/sources.js';
import { relationsOf, type VisibleStatus, visibleById } from '../visible.js';
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

/** A notification that its owner may see, with what it tells of. */
export interface SeenNotification {
  readonly id: string;
  readonly record: StoredNotification['record'];
  readonly account: StoreAccountRecord;
  /** Present where it is about one. */
  readonly status: VisibleStatus | undefined;
}

/** With one read per table; undefined where the account or the status is gone, hidden, blocked or muted. */
export async function seenNotifications(
  services: Services,
  viewer: string,
  stored: readonly StoredNotification[],
): Promise<(SeenNotification | undefined)[]> {
  const relations = await relationsOf(services, viewer);
  const accounts = await loadAccounts(
    services,
    stored.map(({ record }) => record.from),
  );
  const ids = [...new Set(stored.flatMap(({ record }) => (record.statusId ? [record.statusId] : [])))];
  const seen = await visibleById(services, viewer, ids, { relations, hideBlocked: true });
  const statuses = new Map(ids.map((id, index) => [id, seen[index]]));
  return stored.map(({ id, record }) => {
    const account = accounts.get(record.from);
    const relation = relations(record.from);
    if (account === undefined || !isPublished(account) || relation?.blocking || relation?.blockedBy) return undefined;
    if (relation?.mutingNotifications === true) return undefined;
    const status = record.statusId === undefined ? undefined : statuses.get(record.statusId);
    if (record.statusId !== undefined && status === undefined) return undefined;
    return { id, record, account, status };
  });
}

/** What it says besides whom and what it tells of. */
export function notificationHead({ id, record }: SeenNotification) {
  return { id, type: record.type, created_at: isoTime(record.atMs), group_key: `ungrouped-${id}` };
}

/** As objects. */
export async function renderNotifications(
  services: Services,
  viewer: string,
  stored: readonly StoredNotification[],
): Promise<(Notification | undefined)[]> {
  const seen = await seenNotifications(services, viewer, stored);
  const statuses = await renderStatuses(
    services,
    viewer,
    seen.map((one) => one?.status),
  );
  return seen.map((one, index) => {
    const status = statuses[index];
    if (one === undefined || (one.status !== undefined && status === undefined)) return undefined;
    const account = renderAccount(services.instance, one.account);
    return { ...notificationHead(one), account, ...(status === undefined ? {} : { status }) };
  });
}
