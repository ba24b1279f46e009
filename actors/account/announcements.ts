import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';
import { type LazyMap, LazySet } from '../runtime/state/lazy-collections.js';

export interface Commands {
  dismissAnnouncement: { in: P.AccountDismissAnnouncement; out: P.AccountEmpty };
  react: { in: P.AccountReact; out: P.AccountEmpty };
  announcementMarks: { in: P.AccountEmpty; out: P.AccountAnnouncementMarks };
}
export interface Events {
  announcementDismissed: P.AccountAnnouncementDismissed;
  reacted: P.AccountReacted;
}
export interface State {
  /**
   * State by announcement id, in the order in which the owner first read or reacted to them. At most ANNOUNCEMENTS_MAX.
   */
  readonly announcements: LazyMap<string, { read: boolean; readonly names: LazySet<string> }>;
}

/**
 * Announcements stored for an account. The oldest is dropped, and would be shown as unread if it were still published.
 */
export const ANNOUNCEMENTS_MAX = 100;
/** Reactions of one account to one announcement. */
export const REACTIONS_MAX = 8;

const empty = codec('murmuration.account.Empty');

/**
 * The announcements that the owner has read, and the owner's reactions. The gateway checks that the announcement
 * exists.
 */
export const announcements: Slice<State, Commands, Events> = {
  decide: {
    dismissAnnouncement(state, { id }) {
      const isRead = state.announcements.get(id)?.read === true;
      return { events: isRead ? [] : [{ type: 'announcementDismissed', id }], reply: {} };
    },
    react(state, { id, name, on }) {
      const names = state.announcements.get(id)?.names;
      if ((names?.has(name) === true) === on) return { events: [], reply: {} };
      if (on && (names?.size ?? 0) >= REACTIONS_MAX) return { events: [], reply: {} };
      return { events: [{ type: 'reacted', id, name, on }], reply: {} };
    },
    announcementMarks(state) {
      const marks = [...state.announcements].map(([id, { read, names }]) => ({ id, read, names: [...names] }));
      return { events: [], reply: { marks } };
    },
  },
  apply: {
    announcementDismissed(state, { id }) {
      markOf(state, id).read = true;
    },
    reacted(state, { id, name, on }) {
      const { names } = markOf(state, id);
      if (on) names.add(name);
      else names.delete(name);
    },
  },
  commands: {
    dismissAnnouncement: {
      in: codec('murmuration.account.DismissAnnouncement'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
    react: { in: codec('murmuration.account.React'), out: empty, repeats: 'idempotent', local: true },
    announcementMarks: {
      in: empty,
      out: codec('murmuration.account.AnnouncementMarks'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    announcementDismissed: { codec: codec('murmuration.account.AnnouncementDismissed'), invalidates: false },
    reacted: { codec: codec('murmuration.account.Reacted'), invalidates: false },
  },
};

function markOf({ announcements: all }: State, id: string) {
  const known = all.get(id);
  if (known !== undefined) return known;
  const [oldest] = all.size < ANNOUNCEMENTS_MAX ? [] : all.keys();
  if (oldest !== undefined) all.delete(oldest);
  const made = { read: false, names: new LazySet<string>() };
  all.set(id, made);
  return made;
}
