import { compareIds, eraOfId, laterId } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';
import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { accounts, notifications } from '../../store/tables.js';
import type { PageBounds } from './bounds.js';
import type { Cursor, Entry } from './cursor.js';
import { accountCursor } from './eras.js';
import { soon } from './soon.js';

/**
 * Reads an account's notifications above the ones that it has cleared. A store may retain tombstones of cleared rows
 * for days, and refuses to read across too many of them.
 */
export function notificationCursor(
  { tables, clock }: { readonly tables: ReadTables; readonly clock: Clock },
  account: string,
  bounds: Omit<PageBounds, 'limit'>,
): Cursor<Entry<StoreNotificationRecord>> {
  let cursor: Cursor<Entry<StoreNotificationRecord>> | undefined;
  return {
    next: (count) => {
      if (cursor !== undefined) return cursor.next(count);
      const record = tables.peekId?.(accounts, account) ?? tables.get(accounts, { account });
      return soon(record, (owner) => {
        const clearedUpTo = owner?.notificationsClearedUpTo;
        const after = bounds.after === undefined ? clearedUpTo : laterId(bounds.after, clearedUpTo);
        cursor = accountCursor(tables, clock, notifications, 'notification', account, { ...bounds, after });
        return cursor.next(count);
      });
    },
  };
}

/** Returns one notification of an account; undefined if it is unknown, dismissed or cleared. */
export async function storedNotification(
  { tables }: { readonly tables: ReadTables },
  account: string,
  id: string,
): Promise<StoreNotificationRecord | undefined> {
  const owner = tables.peekId?.(accounts, account) ?? (await tables.get(accounts, { account }));
  const clearedUpTo = owner?.notificationsClearedUpTo;
  if (clearedUpTo !== undefined && compareIds(id, clearedUpTo) <= 0) return undefined;
  return tables.get(notifications, { account, era: eraOfId(id), notification: id });
}
