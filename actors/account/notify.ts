import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { compareIds, idMs, isId } from '../domain/ids.js';
import type { Ctx, Recorded, Slice } from '../runtime/slice.js';
import { isWelcome, type PolicyState, reception, withoutOne, withRequest } from './notification-policy.js';

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
  /** The store makes one mark of removed rows of many. */
  notificationsSwept: P.AccountNotificationsSwept;
  notificationsCleared: P.AccountNotificationsCleared;
  /** The oldest give way: as if they had been cleared. */
  notificationsTrimmed: P.AccountNotificationsCleared;
}
export interface State extends PolicyState {
  /** The latest notifications' ids by what they say, oldest first: the same is not said twice. */
  readonly recentNotices: Map<string, string>;
  /** Of those of the latest that wait for a decision, by id, whose they are. */
  readonly recentFiltered: Map<string, string>;
  readonly recentDismissals: Set<string>;
  /** Ids dismissed since the last sweep; SWEPT_MIN and those of one command at most. */
  unswept: string[];
  lastNotificationId: string | undefined;
  clearedUpToId: string | undefined;
  /** Notifications since the last milestone. */
  unmarkedNotices: number;
  /** The ids of every MILESTONE_NOTICESth notification, oldest first; at most MILESTONES_MAX and those of one entry. */
  milestones: readonly string[];
}

/** How many notifications back a repeat is recognised: favouring again and again makes one notification. */
export const NOTICES_REMEMBERED_MAX = 256;
/** Notifications between two milestones. */
export const MILESTONE_NOTICES = 50_000;
/**
 * Milestones before the oldest notifications give way: an account has 400,000 to 450,000. With some 150 bytes each, its
 * partitions in Cassandra stay below 100 MB.
 */
export const MILESTONES_MAX = 9;
/**
 * Dismissals before a sweep. A store keeps a mark of each removed row for days, and refuses to read over 100,000 of them;
 * a sweep leaves one mark between two rows that are there.
 */
export const SWEPT_MIN = 64;
/** Of one command: those of a group are dismissed together. */
export const DISMISSED_TOGETHER_MAX = 1_000;

/** What happens to the notified without anybody else, or nobody in particular did. */
const OF_ONESELF = new Set(['poll', 'moderation_warning', 'severed_relationships']);
/** What moderators are told, whomever it is about. */
const OF_DUTY = new Set(['admin.sign_up', 'admin.report']);

const empty = codec('murmuration.account.Empty');

/** What others did that concerns the owner. */
/** Many people cause these at once; their effects are rows and news for streams, and no mail. */
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
    notify: { in: codec('murmuration.account.Notify'), out: empty, repeats: 'idempotent' },
    retractNotice: { in: codec('murmuration.account.RetractNotice'), out: empty, repeats: 'idempotent' },
    dismissNotification: { in: codec('murmuration.account.DismissNotification'), out: empty, repeats: 'idempotent' },
    dismissNotifications: { in: codec('murmuration.account.DismissNotifications'), out: empty, repeats: 'idempotent' },
    clearNotifications: { in: empty, out: empty, repeats: 'idempotent' },
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

/** Sweeps what was dismissed, when it is enough: their rows were removed by earlier entries. */
function swept({ unswept, lastNotificationId }: Readonly<State>): Recorded<Pick<Events, 'notificationsSwept'>>[] {
  if (unswept.length < SWEPT_MIN || lastNotificationId === undefined) return [];
  return [{ type: 'notificationsSwept', ids: unswept, upToId: lastNotificationId }];
}

/** What a notice comes to: one event, or none when it is not wanted. For commands that are one themselves, too. */
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
 * The notification that goes when what it told is undone: known among the latest, or looked for among the older ones.
 * For commands that are an undoing themselves, too.
 */
export function retracted(
  state: Readonly<State>,
  notice: P.AccountRetractNotice,
): Recorded<Pick<Events, 'notificationDismissed' | 'noticeRetracted'>>[] {
  const { type: kind, from, statusId, sinceMs } = notice;
  const id = state.recentNotices.get(gist(notice));
  if (id !== undefined) return [{ type: 'notificationDismissed', id }];
  // What is younger than the oldest that is remembered would be remembered, were it there.
  const oldest = state.recentNotices.values().next().value ?? state.clearedUpToId;
  const isNowhere = state.lastNotificationId === undefined || (oldest !== undefined && idMs(oldest) <= sinceMs);
  if (isNowhere) return [];
  return [{ type: 'noticeRetracted', kind, from, statusId, sinceMs }];
}

/** Nobody is told what they did themselves, nor of those with whom they want nothing to do. */
function isWanted(state: Readonly<State>, notice: P.AccountNotify, self: string, nowMs: number): boolean {
  const { type, from, conversationId } = notice;
  if (conversationId !== undefined && state.mutedConversations.has(conversationId)) return false;
  if (OF_DUTY.has(type)) return true;
  if (from === self) return OF_ONESELF.has(type);
  if (!isWelcome(state, from, nowMs)) return false;
  const edge = state.following.get(from);
  if (notice.followersOnly === true && edge?.pending !== false) return false;
  // The author only knows who once asked to be told.
  return type !== 'status' || (edge?.notify === true && !edge.pending);
}

function isThere({ lastNotificationId, clearedUpToId, recentDismissals }: Readonly<State>, id: string): boolean {
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

/** The edit of this status that was told last: the next takes its place. Source: Mastodon LocalNotificationWorker. */
function editTold(state: Readonly<State>, notice: P.AccountNotify): { id: string; edit: number } | undefined {
  // Each change of a collection is told by itself.
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
