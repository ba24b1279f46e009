import type { AccountNotificationRequest } from '../../proto/gen/types.js';
import { KeptJson } from '../cards/kept-json.js';
import { blocksDomainOf } from '../screening/screen.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import { relationsOf, visibleById } from '../visible.js';
import { isPublished } from './account.js';
import { loadAccounts } from './status.js';
import { isoTime } from './time.js';

/** What of the REST API's NotificationRequest is its own; the number is text. */
const own = new KeptJson<AccountNotificationRequest>(({ id, createdAtMs, updatedAtMs, count }) => ({
  id,
  created_at: isoTime(createdAtMs),
  updated_at: isoTime(updatedAtMs),
  notifications_count: String(count),
}));

const ACCOUNT = Buffer.from(',"account":');
const LAST_STATUS = Buffer.from(',"last_status":');
const NULL = Buffer.from('null');
const END = Buffer.from('}');

/** As JSON; without those of accounts that are gone, blocked in either direction, or muted with their notifications. */
export function requestPieces(
  services: Services,
  viewer: string,
  requests: readonly AccountNotificationRequest[],
): Soon<(readonly Uint8Array[])[]> {
  const { pages } = services;
  const from = requests.map((request) => request.from);
  const ids = requests.flatMap(({ lastStatusId }) => (lastStatusId === undefined ? [] : [lastStatusId]));
  return soon(loadAccounts(services, from), (records) =>
    soon(relationsOf(services, viewer), (relations) =>
      soon(visibleById(services, viewer, ids, { relations, hideBlocked: true }), (seen) =>
        soon(pages.pieces(services, viewer, seen), (rendered) => {
          const statuses = new Map(ids.map((id, index) => [id, rendered[index]]));
          return requests.flatMap((request) => {
            const account = records.get(request.from);
            const relation = relations(request.from);
            if (account === undefined || !isPublished(account) || relation?.blocking || relation?.blockedBy) return [];
            if (relation?.mutingNotifications === true) return [];
            if (relation?.following !== true && blocksDomainOf(relations.screen, account)) return [];
            const status = statuses.get(request.lastStatusId ?? '') ?? [NULL];
            const open = own.of(request).subarray(0, -1);
            return [[open, ACCOUNT, pages.account(account), LAST_STATUS, ...status, END]];
          });
        }),
      ),
    ),
  );
}
