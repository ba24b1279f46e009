import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { compareIds, idMs, isId } from '../domain/ids.js';
import type { Ctx, Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap, LazySet } from '../runtime/state/lazy-collections.js';
import { isWelcome, type PolicyState, reception, withoutOne, withRequest } from './notification-policy.js';
import type { OriginState } from './standing.js';

export interface Commands {
  notify: { in: P.AccountNotify; out: P.AccountEmpty };
  retractNotice: { in: P.AccountRetractNotice; out: P.AccountEmpty };
  dismissNotification: { in: P.AccountDismissNotification; out: P.AccountEmpty };
  dismissNotifications: { in: P.AccountDismissNotifications; out: P.AccountEmpty };
  clearNotifications: { in: P.AccountEmpty; out: P.AccountEmpty };
}
export interface Events {
  notified: P.AccountNotified;
  noticeRetracted: P.AccountNoticeRetracted;
  notificationDismissed: P.AccountNotificationDismissed;
  notificationsDismissed: P.AccountNotificationsDismissed;
  /** The store replaces the tombstones of removed rows by one. */
  notificationsSwept: P.AccountNotificationsSwept;
  notificationsCleared: P.AccountNotificationsCleared;
  /** The oldest notifications are deleted, as if they had been cleared. */
  notificationsTrimmed: P.AccountNotificationsCleared;
}
export interface State extends PolicyState, OriginState {
  /** Ids of the latest notifications by content, oldest first, to recognise repeats. */
  readonly recentNotices: LazyMap<string, string>;
  /** Accounts by the id of a recent filtered notification that waits for a decision. */
  readonly recentFiltered: LazyMap<string, string>;
  readonly recentDismissals: LazySet<string>;
  /** Ids dismissed since the last sweep. At most SWEPT_MIN and those of one command. */
  unswept: string[];
  lastNotificationId: string | undefined;
  clearedUpToId: string | undefined;
  /** Notifications since the last milestone. */
  unmarkedNotices: number;
  /** Ids of every MILESTONE_NOTICESth notification, oldest first. At most MILESTONES_MAX and those of one entry. */
  milestones: readonly string[];
}

/** Notifications among which a repeat is recognised: favouriting repeatedly makes one notification. */
export const NOTICES_REMEMBERED_MAX = 256;
/** Notifications between two milestones. */
export const MILESTONE_NOTICES = 50_000;
/**
 * Milestones at which the oldest notifications are deleted: an account has 400,000 to 450,000. At some 150 bytes each,
 * its partitions in Cassandra stay below 100 MB.
 */
export const MILESTONES_MAX = 9;
/**
 * Dismissals before a sweep. A store keeps a tombstone of each removed row for days, and refuses to read over 100,000
 * of them; a sweep leaves one tombstone between two existing rows.
 */
export const SWEPT_MIN = 64;
/** Notifications dismissed by one command: those of a group are dismissed together. */
export const DISMISSED_TOGETHER_MAX = 1_000;

/** Notifications whose sender is the notified account itself, because no other account caused them. */
const OF_ONESELF = new Set(['poll', 'moderation_warning', 'severed_relationships']);
/** Notifications for moderators, whoever caused them. */
const OF_DUTY = new Set(['admin.sign_up', 'admin.report']);

const empty = codec('murmuration.account.Empty');

/** Notifications of other accounts' actions that concern the owner. */
/**
 * Notifications that arrive in large numbers. Their effects are rows, stream messages and one command to each push
 * subscription, never mail.
 */
const OVERLAPPING_NOTICES = new Set(['follow', 'favourite', 'reblog', 'mention']);

export const notify: Slice<State, Commands, Events> = {
  decide: {
    notify(state, notice, about) {
      const before = editTold(state, notice);
      if (before !== undefined && before.edit >= (notice.edit ?? 0)) return { events: [], reply: {} };
      const told = noticed(state, notice, about);
      if (told.length === 0) return { events: [], reply: {} };
      const replaced = before === undefined ? [] : [{ type: 'notificationDismissed' as const, id: before.id }];
      return { events: [...trimmed(state), ...swept(state), ...replaced, ...told], reply: {} };
    },
    retractNotice(state, notice) {
      const events = retracted(state, notice);
      return { events: events.length > 0 ? [...swept(state), ...events] : [], reply: {} };
    },
    dismissNotification(state, { id }) {
      if (!isThere(state, id)) return { events: [], reply: {} };
      return { events: [...swept(state), { type: 'notificationDismissed', id }], reply: {} };
    },
    dismissNotifications(state, { ids }) {
      const there = ids.slice(0, DISMISSED_TOGETHER_MAX).filter((id) => isThere(state, id));
      if (there.length === 0) return { events: [], reply: {} };
      return { events: [...swept(state), { type: 'notificationsDismissed', ids: there }], reply: {} };
    },
    clearNotifications({ lastNotificationId, clearedUpToId }) {
      if (lastNotificationId === undefined || lastNotificationId === clearedUpToId) return { events: [], reply: {} };
      const event = { upToId: lastNotificationId, afterId: clearedUpToId };
      return { events: [{ type: 'notificationsCleared', ...event }], reply: {} };
    },
  },
  apply: {
    notified(state, event) {
      countNotice(state, event.id);
      const { id, kind, from, statusId, report, warning, severance, collectionId, edit } = event;
      state.lastNotificationId = id;
      state.recentNotices.set(gist({ type: kind, from, statusId, report, warning, severance, collectionId, edit }), id);
      dropOldest(state.recentNotices);
      if (event.filtered !== true) return;
      withRequest(state, event);
      state.recentFiltered.set(id, from);
      dropOldest(state.recentFiltered);
    },
    noticeRetracted() {},
    notificationDismissed: (state, { id }) => forget(state, id),
    notificationsDismissed(state, { ids }) {
      for (const id of ids) forget(state, id);
    },
    notificationsSwept(state) {
      state.unswept = [];
    },
    notificationsCleared(state, { upToId }) {
      state.unswept = [];
      state.recentNotices.clear();
      state.recentFiltered.clear();
      state.clearedUpToId = upToId;
      state.waiting.clear();
      state.unmarkedNotices = 0;
      state.milestones = [];
    },
    notificationsTrimmed(state, { upToId }) {
      state.clearedUpToId = upToId;
      state.milestones = state.milestones.filter((id) => compareIds(id, upToId) > 0);
    },
  },
  commands: {
    notify: {
      in: codec('murmuration.account.Notify'),
      out: empty,
      repeats: 'idempotent',
      local: true,
      remote: 'ignores',
    },
    retractNotice: {
      in: codec('murmuration.account.RetractNotice'),
      out: empty,
      repeats: 'idempotent',
      local: true,
      remote: 'ignores',
    },
    dismissNotification: {
      in: codec('murmuration.account.DismissNotification'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
    dismissNotifications: {
      in: codec('murmuration.account.DismissNotifications'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
    clearNotifications: { in: empty, out: empty, repeats: 'idempotent', local: true, remote: 'ignores' },
  },
  events: {
    notified: {
      codec: codec('murmuration.account.Notified'),
      invalidates: false,
      overlaps: ({ kind }) => OVERLAPPING_NOTICES.has(kind),
    },
    noticeRetracted: { codec: codec('murmuration.account.NoticeRetracted'), invalidates: false },
    notificationDismissed: { codec: codec('murmuration.account.NotificationDismissed'), invalidates: false },
    notificationsDismissed: { codec: codec('murmuration.account.NotificationsDismissed'), invalidates: false },
    notificationsSwept: { codec: codec('murmuration.account.NotificationsSwept'), invalidates: false },
    notificationsCleared: { codec: codec('murmuration.account.NotificationsCleared'), invalidates: false },
    notificationsTrimmed: { codec: codec('murmuration.account.NotificationsCleared'), invalidates: false },
  },
};

function countNotice(state: State, id: string): void {
  state.unmarkedNotices += 1;
  if (state.unmarkedNotices < MILESTONE_NOTICES) return;
  state.unmarkedNotices = 0;
  state.milestones = [...state.milestones, id];
}

/** Clears up to the oldest milestone when there are too many. */
function trimmed({ milestones, clearedUpToId }: Readonly<State>): Recorded<Pick<Events, 'notificationsTrimmed'>>[] {
  const [upToId] = milestones;
  if (upToId === undefined || milestones.length < MILESTONES_MAX) return [];
  return [{ type: 'notificationsTrimmed', upToId, afterId: clearedUpToId }];
}

/** Returns the event that sweeps dismissed notifications, if they are enough. Earlier entries removed their rows. */
function swept({ unswept, lastNotificationId }: Readonly<State>): Recorded<Pick<Events, 'notificationsSwept'>>[] {
  if (unswept.length < SWEPT_MIN || lastNotificationId === undefined) return [];
  return [{ type: 'notificationsSwept', ids: unswept, upToId: lastNotificationId }];
}

/**
 * Returns the event of a notification, or none when it is not wanted. Commands that cause a notification use it, too.
 */
export function noticed(
  state: Readonly<State>,
  notice: P.AccountNotify,
  { self, nowMs, newId }: Ctx,
): ({ readonly type: 'notified' } & P.AccountNotified)[] {
  const { type: kind, from, statusId, report, warning, severance, collectionId, edit } = notice;
  if (!isWanted(state, notice, self, nowMs) || state.recentNotices.has(gist(notice))) return [];
  const way = reception(state, notice, nowMs);
  if (way === 'drop') return [];
  const filtered = way === 'filter' ? true : undefined;
  const more = { report, warning, severance, collectionId, edit };
  return [{ type: 'notified', id: newId(), kind, from, statusId, atMs: nowMs, filtered, ...more }];
}

/**
 * Returns the events that remove the notification of an undone action: it is dismissed if it is among the latest,
 * otherwise the reactions search for it. Commands that undo an action use it, too.
 */
export function retracted(
  state: Readonly<State>,
  notice: P.AccountRetractNotice,
): Recorded<Pick<Events, 'notificationDismissed' | 'noticeRetracted'>>[] {
  const { type: kind, from, statusId, sinceMs } = notice;
  const id = state.recentNotices.get(gist(notice));
  if (id !== undefined) return [{ type: 'notificationDismissed', id }];
  // A notification younger than the oldest recent one would be among the recent ones if it existed.
  const oldest = state.recentNotices.values().next().value ?? state.clearedUpToId;
  const isNowhere = state.lastNotificationId === undefined || (oldest !== undefined && idMs(oldest) <= sinceMs);
  if (isNowhere) return [];
  return [{ type: 'noticeRetracted', kind, from, statusId, sinceMs }];
}

/**
 * Returns true if the owner wants the notification. It excludes their own actions, muted conversations, and accounts
 * that they block or mute.
 */
function isWanted(state: Readonly<State>, notice: P.AccountNotify, self: string, nowMs: number): boolean {
  const { type, from, conversationId, above } = notice;
  // Nobody reads the notifications of an account of another server here.
  if (state.origin !== undefined) return false;
  if (conversationId !== undefined && state.mutedConversations.has(conversationId)) return false;
  if (above?.ids.some((id) => state.mutedConversations.has(id))) return false;
  if (OF_DUTY.has(type)) return true;
  if (from === self) return OF_ONESELF.has(type);
  if (!isWelcome(state, from, nowMs)) return false;
  const edge = state.following.get(from);
  if (notice.followersOnly === true && edge?.pending !== false) return false;
  // The author's subscriber list may be outdated, so the current follow decides.
  return type !== 'status' || (edge?.notify === true && !edge.pending);
}

type NoticeBounds = 'lastNotificationId' | 'clearedUpToId' | 'recentDismissals';

/** Returns true unless the notification is known to be dismissed or cleared. */
export function isThere(
  { lastNotificationId, clearedUpToId, recentDismissals }: Pick<State, NoticeBounds>,
  id: string,
): boolean {
  const isGiven = isId(id) && lastNotificationId !== undefined && compareIds(id, lastNotificationId) <= 0;
  const isGone = recentDismissals.has(id) || (clearedUpToId !== undefined && compareIds(id, clearedUpToId) <= 0);
  return isGiven && !isGone;
}

type Told = Pick<P.AccountNotify, 'type' | 'from' | 'statusId'> &
  Partial<Pick<P.AccountNotify, 'report' | 'warning' | 'severance' | 'collectionId' | 'edit'>>;

function gist({ type, from, statusId, report, warning, severance, collectionId, edit }: Told): string {
  const subject = statusId ?? report?.id ?? warning?.id ?? severance?.id ?? collectionId ?? '';
  return edit === undefined ? `${type} ${from} ${subject}` : `${type} ${from} ${subject} ${edit}`;
}

/**
 * Returns the last notified edit of this status, which the next one replaces. Source: Mastodon LocalNotificationWorker.
 */
function editTold(state: Readonly<State>, notice: P.AccountNotify): { id: string; edit: number } | undefined {
  // Each change of a collection has its own notification.
  if (notice.edit === undefined || notice.type === 'collection_update') return undefined;
  const key = `${gist({ ...notice, edit: undefined })} `;
  for (const [told, id] of state.recentNotices)
    if (told.startsWith(key)) return { id, edit: Number(told.slice(key.length)) };
  return undefined;
}

function forget(state: State, id: string): void {
  for (const [key, noticeId] of state.recentNotices) if (noticeId === id) state.recentNotices.delete(key);
  state.recentDismissals.add(id);
  state.unswept.push(id);
  dropOldest(state.recentDismissals);
  const from = state.recentFiltered.get(id);
  if (from === undefined) return;
  state.recentFiltered.delete(id);
  withoutOne(state, id, from);
}

function dropOldest(remembered: Map<string, string> | Set<string>): void {
  const oldest = remembered.keys().next();
  if (remembered.size > NOTICES_REMEMBERED_MAX && !oldest.done) remembered.delete(oldest.value);
}
