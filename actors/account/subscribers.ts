import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { compareIds } from '../domain/ids.js';
import type { Slice } from '../runtime/slice.js';
import type { LazySet } from '../runtime/state/lazy-collections.js';

export interface Commands {
  subscribe: { in: P.AccountSubscribe; out: P.AccountEmpty };
  announce: { in: P.AccountAnnounce; out: P.AccountEmpty };
}
export interface Events {
  subscriberSet: P.AccountSubscriberSet;
  announced: P.AccountAnnounced;
}
export interface State {
  /** Followers that asked to be notified of each status. At most SUBSCRIBERS_MAX. */
  readonly subscribers: LazySet<string>;
}

/** Bounds one activation's memory, and the notifications of one status; the oldest is dropped. */
export const SUBSCRIBERS_MAX = 10_000;

/** Subscribers that one journal entry notifies. A crash repeats at most these. */
export const ANNOUNCED_AT_ONCE_MAX = 100;

/** The followers to notify of each new status. Each of them decides again whether they still want it. */
export const subscribers: Slice<State, Commands, Events> = {
  decide: {
    subscribe(state, { follower, on }) {
      if (state.subscribers.has(follower) === on) return { events: [], reply: {} };
      return { events: [{ type: 'subscriberSet', follower, on }], reply: {} };
    },
    announce({ subscribers: all }, { statusId, after }) {
      const followers = nextOf(all, after);
      if (followers.length === 0) return { events: [], reply: {} };
      const more = followers.length === ANNOUNCED_AT_ONCE_MAX;
      return { events: [{ type: 'announced', statusId, followers, more }], reply: {} };
    },
  },
  apply: {
    subscriberSet(state, { follower, on }) {
      state.subscribers.delete(follower);
      if (!on) return;
      state.subscribers.add(follower);
      const oldest = state.subscribers.values().next();
      if (state.subscribers.size > SUBSCRIBERS_MAX && !oldest.done) state.subscribers.delete(oldest.value);
    },
    announced() {},
  },
  commands: {
    subscribe: {
      in: codec('murmuration.account.Subscribe'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
    announce: {
      in: codec('murmuration.account.Announce'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    subscriberSet: { codec: codec('murmuration.account.SubscriberSet'), invalidates: false },
    announced: { codec: codec('murmuration.account.Announced'), invalidates: false },
  },
};

/**
 * Returns the subscribers with the lowest ids after `after`, in order. Needs one pass, since an account may have
 * thousands.
 */
function nextOf(all: ReadonlySet<string>, after: string): string[] {
  const next: string[] = [];
  for (const id of all) {
    if (after !== '' && compareIds(id, after) <= 0) continue;
    const last = next.at(-1);
    const isFull = next.length === ANNOUNCED_AT_ONCE_MAX;
    if (isFull && last !== undefined && compareIds(id, last) > 0) continue;
    const place = next.findIndex((other) => compareIds(other, id) > 0);
    next.splice(place < 0 ? next.length : place, 0, id);
    if (next.length > ANNOUNCED_AT_ONCE_MAX) next.pop();
  }
  return next;
}

/** True when subscribers are notified of the status. Source: Mastodon FeedInsertWorker#notify?. */
export function isAnnounced(self: string, status: Pick<P.AccountPosted, 'visibility' | 'inReplyToAccountId'>): boolean {
  const { visibility, inReplyToAccountId } = status;
  return visibility !== 'direct' && (inReplyToAccountId === undefined || inReplyToAccountId === self);
}
