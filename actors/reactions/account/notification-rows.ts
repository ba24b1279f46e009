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
import type { AccountEvents, AccountState } from '../../account/commands.js';
import { compareIds, eraOfId, makeId, storedId } from '../../domain/ids.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { writeAll } from '../write-all.js';

type NoticeRow = Row<typeof notifications.partition, typeof notifications.clustering, StoreNotificationRecord>;

type Now = Happened<AccountState>;

/** How long after something happened its notification is looked for when it is undone: effects take moments. */
const RETRACTABLE_MS = 600_000;

const keyOf = (account: string, id: string) => ({ account, era: eraOfId(id), notification: id });

/** The account's notifications and direct statuses as rows. */
export function notificationRows(
  tables: Pick<ReadTables, 'range'>,
  accountRow: (state: Readonly<AccountState>) => RowWrite,
): Reaction<AccountState, AccountEvents>['on'] {
  /** Of what waits from these accounts. */
  const settle = async (
    settled: readonly AccountSettledRequest[],
    { self, state }: Happened<AccountState>,
    effects: Effects,
    change: (row: NoticeRow) => RowWrite,
  ) => {
    const from = new Set(settled.map((one) => one.from));
    const since = settled.map((one) => one.sinceId).sort(compareIds)[0];
    const upTo = state.lastNotificationId;
    if (since === undefined || upTo === undefined) return;
    const after = higher(storedId((BigInt(since) - 1n).toString()), state.clearedUpToId);
    await eachPage(tables, self, after, upTo, async (rows) => {
      const due = rows.filter(({ value }) => value.filtered === true && from.has(value.from));
      await writeAll(effects, due.map(change));
    });
  };
  /** All readers start above the cleared ones. The removal of one row invalidates the pages that are cached. */
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
      const since = higher(makeId(sinceMs, 0, 0), state.clearedUpToId);
      const upTo = makeId(sinceMs + RETRACTABLE_MS, 0, 0);
      return eachPage(tables, self, since, upTo, async (rows) => {
        const told = rows.filter(
          ({ value }) => value.type === kind && value.from === from && value.statusId === statusId,
        );
        await writeAll(
          effects,
          told.map(({ key }): RowWrite => remove(notifications, key)),
        );
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
    notificationsCleared: writeBound,
    notificationsTrimmed: writeBound,
    notificationRequestsAccepted: ({ settled }, happened, effects) =>
      settle(settled, happened, effects, ({ key, value }) =>
        put(notifications, key, { ...value, filtered: undefined }),
      ),
    notificationRequestsDismissed: ({ settled }, happened, effects) =>
      settle(settled, happened, effects, ({ key }) => remove(notifications, key)),
  };
}

/** Behind the reply: removes the rows of cleared notifications, each partition's at once. */
export function clearedNotifications(tables: Pick<Tables, 'removeRange'>): Reaction<AccountState, AccountEvents> {
  const removeUpTo = async ({ upToId, afterId }: AccountNotificationsCleared, { self: account }: Now) => {
    const before = { notification: storedId((BigInt(upToId) + 1n).toString()) };
    for (let era = eraOfId(higher(account, afterId)); era <= eraOfId(upToId); era++)
      await tables.removeRange(notifications, { account, era }, { before });
  };
  return {
    surface: 'cleared notifications',
    beforeReply: false,
    on: { notificationsCleared: removeUpTo, notificationsTrimmed: removeUpTo },
  };
}

const higher = (id: string, other: string | undefined): string =>
  other === undefined || compareIds(other, id) < 0 ? id : other;

/** All rows after one id, up to another. */
async function eachPage(
  tables: Pick<ReadTables, 'range'>,
  account: string,
  afterId: string,
  upToId: string,
  visit: (rows: readonly NoticeRow[]) => Promise<void>,
): Promise<void> {
  // Nothing of an account is older than it.
  for (let era = eraOfId(higher(account, afterId)); era <= eraOfId(upToId); era++) {
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
