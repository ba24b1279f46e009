import { Type } from '@sinclair/typebox';
import type { AccountNotificationRequest } from '../../../proto/gen/types.js';
import { entity, nullable, type Shape, time } from '../../http/entity.js';
import type { Services } from '../../http/services.js';
import { isoTime } from '../../paging/iso-time.js';
import { type Soon, soon } from '../../paging/soon.js';
import { PLACES } from '../../viewing/judge.js';
import { ACCOUNT_PLACES, showsAccount } from '../../viewing/judge-accounts.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { lensOf, visibleById } from '../../viewing/visible.js';
import { Account } from '../account/account.js';
import { CachedJson } from '../cached-json.js';
import { Status } from '../status/status.js';

const Own = Type.Object({
  id: Type.String(),
  created_at: time(),
  updated_at: time(),
  /** A number as text. */
  notifications_count: Type.String(),
});

/** The REST API's NotificationRequest. */
export const NotificationRequest = entity('NotificationRequest', {
  ...Own.properties,
  account: Account,
  last_status: nullable(Status),
});

/** Cached fields up to the account. */
const own = new CachedJson<AccountNotificationRequest>(
  ({ id, createdAtMs, updatedAtMs, count }): Shape<typeof Own> => ({
    id,
    created_at: isoTime(createdAtMs),
    updated_at: isoTime(updatedAtMs),
    notifications_count: String(count),
  }),
  'open',
  ',"account":',
);

const LAST_STATUS = Buffer.from(',"last_status":');
const NULL = Buffer.from('null');
const END = Buffer.from('}');

/**
 * Renders requests as JSON, without accounts that are deleted or suspended, or whose notifications the viewer does not
 * receive. Source: Mastodon NotificationRequest.without_suspended.
 */
export function requestPieces(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string,
  requests: readonly AccountNotificationRequest[],
): Soon<(readonly Uint8Array[])[]> {
  const { pages } = services;
  const from: string[] = [];
  const ids: string[] = [];
  for (const request of requests) {
    from.push(request.from);
    if (request.lastStatusId !== undefined) ids.push(request.lastStatusId);
  }
  return soon(loadAccounts(services, from), (records) =>
    soon(lensOf(services, viewer), (lens) =>
      soon(visibleById(services, viewer, ids, PLACES.quote, lens), (seen) =>
        soon(pages.pieces(services, viewer, seen), (rendered) => {
          let place = 0;
          const pieces: Uint8Array[][] = [];
          for (const request of requests) {
            const status = request.lastStatusId === undefined ? undefined : rendered[place++];
            const account = records.get(request.from);
            if (account === undefined || !showsAccount(account, lens, ACCOUNT_PLACES.sender)) continue;
            pieces.push([own.of(request), pages.account(account), LAST_STATUS, ...(status ?? [NULL]), END]);
          }
          return pieces;
        }),
      ),
    ),
  );
}
