import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Part } from '../runtime/part.js';

export interface Commands {
  subscribe: { in: P.AccountSubscribe; out: P.AccountEmpty };
  announce: { in: P.AccountAnnounce; out: P.AccountEmpty };
}
export interface Events {
  subscriberSet: P.AccountSubscriberSet;
  announced: P.AccountAnnounced;
}
export interface State {
  /** Followers who asked to be told of each status, as far as they said. At most SUBSCRIBERS_MAX. */
  readonly subscribers: Set<string>;
}

/** Bounds one activation's memory, and how many are told of one status; the oldest gives way. */
export const SUBSCRIBERS_MAX = 10_000;

/** Who is to be told of each new status. Each of them decides again whether they still want it. */
export const subscribers: Part<State, Commands, Events> = {
  decide: {
    subscribe(state, { follower, on }) {
      if (state.subscribers.has(follower) === on) return { events: [], reply: {} };
      return { events: [{ type: 'subscriberSet', follower, on }], reply: {} };
    },
    announce: (_state, { statusId }) => ({ events: [{ type: 'announced', statusId }], reply: {} }),
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
    subscribe: { in: codec('murmuration.account.Subscribe'), out: codec('murmuration.account.Empty') },
    announce: { in: codec('murmuration.account.Announce'), out: codec('murmuration.account.Empty') },
  },
  events: {
    subscriberSet: codec('murmuration.account.SubscriberSet'),
    announced: codec('murmuration.account.Announced'),
  },
};

/** Whether subscribers are told of it. Source: Mastodon FeedInsertWorker#notify?. */
export function isAnnounced(self: string, status: Pick<P.AccountPosted, 'visibility' | 'inReplyToAccountId'>): boolean {
  const { visibility, inReplyToAccountId } = status;
  return visibility !== 'direct' && (inReplyToAccountId === undefined || inReplyToAccountId === self);
}
