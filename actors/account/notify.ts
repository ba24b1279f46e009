import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { compareIds, isId } from '../domain/ids.js';
import { isMuted } from '../domain/visibility.js';
import type { Part } from '../runtime/part.js';
import type { RelationState } from './relations.js';

export interface Commands {
  notify: { in: P.AccountNotify; out: P.AccountEmpty };
  dismissNotification: { in: P.AccountDismissNotification; out: P.AccountEmpty };
  clearNotifications: { in: P.AccountEmpty; out: P.AccountEmpty };
}
export interface Events {
  notified: P.AccountNotified;
  notificationDismissed: P.AccountNotificationDismissed;
  notificationsCleared: P.AccountNotificationsCleared;
}
export interface State extends RelationState {
  /** The latest notifications' ids by what they say, oldest first: the same is not said twice. */
  readonly recentNotices: Map<string, string>;
  readonly recentDismissals: Set<string>;
  lastNotificationId: string | undefined;
  clearedUpToId: string | undefined;
}

/** How many notifications back a repeat is recognised: favouring again and again makes one notification. */
export const NOTICES_REMEMBERED_MAX = 256;

const empty = codec('murmuration.account.Empty');

/** What others did that concerns the owner. */
export const notify: Part<State, Commands, Events> = {
  decide: {
    notify(state, { type: kind, from, statusId }, { self, nowMs, newId }) {
      const mute = state.muting.get(from);
      const isSilenced = mute?.notifications === true && isMuted(mute.untilMs, nowMs);
      const isUnwanted = from === self || state.blocking.has(from) || state.blockedBy.has(from) || isSilenced;
      if (isUnwanted || state.recentNotices.has(gist(kind, from, statusId))) return { events: [], reply: {} };
      return { events: [{ type: 'notified', id: newId(), kind, from, statusId, atMs: nowMs }], reply: {} };
    },
    dismissNotification(state, { id }) {
      const { lastNotificationId, clearedUpToId, recentDismissals } = state;
      const isGiven = isId(id) && lastNotificationId !== undefined && compareIds(id, lastNotificationId) <= 0;
      const isGone = recentDismissals.has(id) || (clearedUpToId !== undefined && compareIds(id, clearedUpToId) <= 0);
      return { events: isGiven && !isGone ? [{ type: 'notificationDismissed', id }] : [], reply: {} };
    },
    clearNotifications({ lastNotificationId, clearedUpToId }) {
      if (lastNotificationId === undefined || lastNotificationId === clearedUpToId) return { events: [], reply: {} };
      const event = { upToId: lastNotificationId, afterId: clearedUpToId };
      return { events: [{ type: 'notificationsCleared', ...event }], reply: {} };
    },
  },
  apply: {
    notified(state, { id, kind, from, statusId }) {
      state.lastNotificationId = id;
      state.recentNotices.set(gist(kind, from, statusId), id);
      dropOldest(state.recentNotices);
    },
    notificationDismissed(state, { id }) {
      for (const [key, noticeId] of state.recentNotices) if (noticeId === id) state.recentNotices.delete(key);
      state.recentDismissals.add(id);
      dropOldest(state.recentDismissals);
    },
    notificationsCleared(state, { upToId }) {
      state.recentNotices.clear();
      state.clearedUpToId = upToId;
    },
  },
  commands: {
    notify: { in: codec('murmuration.account.Notify'), out: empty },
    dismissNotification: { in: codec('murmuration.account.DismissNotification'), out: empty },
    clearNotifications: { in: empty, out: empty },
  },
  events: {
    notified: codec('murmuration.account.Notified'),
    notificationDismissed: codec('murmuration.account.NotificationDismissed'),
    notificationsCleared: codec('murmuration.account.NotificationsCleared'),
  },
};

function gist(kind: string, from: string, statusId: string | undefined): string {
  return `${kind} ${from} ${statusId ?? ''}`;
}

function dropOldest(remembered: Map<string, string> | Set<string>): void {
  const oldest = remembered.keys().next();
  if (remembered.size > NOTICES_REMEMBERED_MAX && !oldest.done) remembered.delete(oldest.value);
}
