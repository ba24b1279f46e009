import type {
  AccountNotificationsCleared,
  AccountSettledRequest,
  StoreNotificationRecord,
} from '../../../proto/gen/types.js';
import {
  put,
  RANGE_LIMIT_MAX,
  type ReadTables,
  type Row,
  type RowWrite,
  remove,
  type Tables,
} from '../../../store/port.js';
import { directStatuses, notifications } from '../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { compareIds, eraOfId, laterId, makeId, storedId } from '../../domain/ids.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { writeAll } from '../write-all.js';

type NoticeRow = Row<typeof notifications.partition, typeof notifications.clustering, StoreNotificationRecord>;

type Now = Happened<AccountState>;

/** Time span after an event in which its notification is searched when it is undone: effects take moments. */
const RETRACTABLE_MS = 600_000;

const keyOf = (account: string, id: string) => ({ account, era: eraOfId(id), notification: id });

/** Rows of the account's notifications and direct statuses. */
export function notificationRows(
  tables: Pick<Tables, 'range' | 'removeRange'>,
  accountRow: (state: Readonly<AccountState>) => RowWrite,
): Reaction<AccountState, AccountEvents>['on'] {
  /** Changes the rows of filtered notifications from these accounts. */
  const settle = async (
    settled: readonly AccountSettledRequest[],
    { self, state }: Happened<AccountState>,
    change: (rows: readonly NoticeRow[]) => Promise<void>,
  ) => {
    const from = new Set(settled.map((one) => one.from));
    const since = settled.map((one) => one.sinceId).sort(compareIds)[0];
    const upTo = state.lastNotificationId;
    if (since === undefined || upTo === undefined) return;
    const after = laterId(storedId((BigInt(since) - 1n).toString()), state.clearedUpToId);
    await eachPage(tables, self, after, upTo, async (rows) => {
      await change(rows.filter(({ value }) => value.filtered === true && from.has(value.from)));
    });
  };
  const removeRows = async (rows: readonly NoticeRow[], self: string, effects: Effects) => {
    const ids = rows.map(({ key }) => key.notification);
    await writeAll(
      effects,
      rows.map(({ key }) => remove(notifications, key)),
    );
    const last = ids.at(-1);
    if (last !== undefined) await sweep(tables, self, ids, last);
  };
  /** Sets the bound above which all readers start. Removing one row invalidates the cached pages. */
  const writeBound = (
    { upToId }: AccountNotificationsCleared,
    { self, state }: Happened<AccountState>,
    effects: Effects,
  ) => effects.write([accountRow(state), remove(notifications, keyOf(self, upToId))]);
  return {
    notified({ id, kind, ...rest }, { self }, effects) {
      const { from, statusId, atMs, filtered, report, warning, severance, collectionId } = rest;
      const record = { type: kind, from, statusId, atMs, filtered, report, warning, severance, collectionId };
      return effects.write([put(notifications, keyOf(self, id), record)]);
    },
    noticeRetracted: ({ kind, from, statusId, sinceMs }, { self, state }, effects) => {
      const since = laterId(makeId(sinceMs, 0, 0), state.clearedUpToId);
      const upTo = makeId(sinceMs + RETRACTABLE_MS, 0, 0);
      return eachPage(tables, self, since, upTo, async (rows) => {
        const told = rows.filter(
          ({ value }) => value.type === kind && value.from === from && value.statusId === statusId,
        );
        await removeRows(told, self, effects);
      });
    },
    directHeard({ statusId, conversationId, from }, { self }, effects) {
      const key = { account: self, era: eraOfId(statusId), status: statusId };
      return effects.write([put(directStatuses, key, { conversationId, from })]);
    },
    notificationDismissed: ({ id }, { self }, effects) => effects.write([remove(notifications, keyOf(self, id))]),
    notificationsDismissed: ({ ids }, { self }, effects) =>
      writeAll(
        effects,
        ids.map((id) => remove(notifications, keyOf(self, id))),
      ),
    notificationsSwept: ({ ids, upToId }, { self }) => sweep(tables, self, ids, upToId),
    notificationsCleared: writeBound,
    notificationsTrimmed: writeBound,
    notificationRequestsAccepted: ({ settled }, happened, effects) =>
      settle(settled, happened, (rows) =>
        writeAll(
          effects,
          rows.map(({ key, value }) => put(notifications, key, { ...value, filtered: undefined })),
        ),
      ),
    notificationRequestsDismissed: ({ settled }, happened, effects) =>
      settle(settled, happened, (rows) => removeRows(rows, happened.self, effects)),
  };
}

/**
 * Removes the range between the existing rows around each removed row again, so that a read of the store passes one
 * tombstone. All rows up to `upToId` must have been written, or removed, before.
 */
async function sweep(
  tables: Pick<Tables, 'range' | 'removeRange'>,
  account: string,
  ids: readonly string[],
  upToId: string,
): Promise<void> {
  let swept = { era: -1, before: '' };
  for (const id of [...ids].sort(compareIds)) {
    const era = eraOfId(id);
    if (era === swept.era && compareIds(id, swept.before) < 0) continue;
    const partition = { account, era };
    const around = { notification: id };
    const [[above], [below]] = await Promise.all([
      tables.range(notifications, partition, { after: around, limit: 1 }),
      tables.range(notifications, partition, { before: around, reverse: true, limit: 1 }),
    ]);
    const end = idAfter(upToId);
    const before = above === undefined ? end : lower(above.key.notification, end);
    const after = below && { notification: below.key.notification };
    await tables.removeRange(notifications, partition, { after, before: { notification: before } });
    swept = { era, before };
  }
}

/** Removes the rows of cleared notifications after the reply, each partition at once. */
export function clearedNotifications(tables: Pick<Tables, 'removeRange'>): Reaction<AccountState, AccountEvents> {
  const removeUpTo = async ({ upToId, afterId }: AccountNotificationsCleared, { self: account }: Now) => {
    const before = { notification: idAfter(upToId) };
    for (let era = eraOfId(laterId(account, afterId)); era <= eraOfId(upToId); era++)
      await tables.removeRange(notifications, { account, era }, { before });
  };
  return {
    surface: 'cleared notifications',
    beforeReply: false,
    on: { notificationsCleared: removeUpTo, notificationsTrimmed: removeUpTo },
  };
}

const idAfter = (id: string): string => storedId((BigInt(id) + 1n).toString());

const lower = (id: string, other: string): string => (compareIds(id, other) < 0 ? id : other);

/** Visits all rows after one id, up to another. */
async function eachPage(
  tables: Pick<ReadTables, 'range'>,
  account: string,
  afterId: string,
  upToId: string,
  visit: (rows: readonly NoticeRow[]) => Promise<void>,
): Promise<void> {
  // An account's rows are never older than the account.
  for (let era = eraOfId(laterId(account, afterId)); era <= eraOfId(upToId); era++) {
    let after = afterId;
    for (;;) {
      const page = { after: { notification: after }, limit: RANGE_LIMIT_MAX };
      const rows = await tables.range(notifications, { account, era }, page);
      const due = rows.filter(({ key }) => compareIds(key.notification, upToId) <= 0);
      await visit(due);
      if (due.length < RANGE_LIMIT_MAX) break;
      after = due.at(-1)?.key.notification ?? upToId;
    }
  }
}
