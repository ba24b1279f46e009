import type { AccountNotificationRequest } from '../../proto/gen/types.js';
import { blocksDomainOf } from '../screening/screen.js';
import type { Services } from '../services.js';
import { relationsOf, visibleById } from '../visible.js';
import { type Account, isPublished, renderAccount } from './account.js';
import { loadAccounts, renderStatuses, type Status } from './status.js';
import { isoTime } from './time.js';

/** The REST API's NotificationRequest. */
export interface NotificationRequest {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** A number as text. */
  readonly notifications_count: string;
  readonly account: Account;
  readonly last_status: Status | null;
}

/** Without those of accounts that are gone, blocked in either direction, or muted with their notifications. */
export async function renderRequests(
  services: Services,
  viewer: string,
  requests: readonly AccountNotificationRequest[],
): Promise<NotificationRequest[]> {
  const [records, relations] = await Promise.all([
    loadAccounts(
      services,
      requests.map(({ from }) => from),
    ),
    relationsOf(services, viewer),
  ]);
  const ids = requests.flatMap(({ lastStatusId }) => (lastStatusId === undefined ? [] : [lastStatusId]));
  const seen = await visibleById(services, viewer, ids, { relations, hideBlocked: true });
  const rendered = await renderStatuses(services, viewer, seen);
  const statuses = new Map(ids.map((id, index) => [id, rendered[index]]));
  return requests.flatMap((request) => {
    const account = records.get(request.from);
    const relation = relations(request.from);
    if (account === undefined || !isPublished(account) || relation?.blocking || relation?.blockedBy) return [];
    if (relation?.mutingNotifications === true) return [];
    if (relation?.following !== true && blocksDomainOf(relations.screen, account)) return [];
    return [
      {
        id: request.id,
        created_at: isoTime(request.createdAtMs),
        updated_at: isoTime(request.updatedAtMs),
        notifications_count: String(request.count),
        account: renderAccount(services.instance, account),
        last_status: statuses.get(request.lastStatusId ?? '') ?? null,
      },
    ];
  });
}
