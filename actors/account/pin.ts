import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  pin: { in: P.AccountPin; out: P.AccountEmpty };
  unpin: { in: P.AccountUnpin; out: P.AccountEmpty };
}
export interface Events {
  pinned: P.AccountPinned;
  unpinned: P.AccountUnpinned;
}
export interface State {
  /** Pinned statuses, latest pinned last. Deleted statuses are removed (post.ts). */
  readonly pins: string[];
}

/** Pinned statuses should all be visible at once. Source: Mastodon StatusPinValidator::PIN_LIMIT. */
export const PINS_MAX = 5;

const empty = codec('murmuration.account.Empty');

/** The owner's pinned statuses. The gateway checks authorship and visibility. */
export const pin: Slice<State, Commands, Events> = {
  decide: {
    pin({ pins }, { statusId }, { nowMs }) {
      if (pins.includes(statusId)) return { events: [], reply: {} };
      if (pins.length >= PINS_MAX)
        return problem('invalid', 'Validation failed: You have already pinned the maximum number of posts');
      return { events: [{ type: 'pinned', statusId, atMs: nowMs }], reply: {} };
    },
    unpin({ pins }, { statusId }) {
      return { events: pins.includes(statusId) ? [{ type: 'unpinned', statusId }] : [], reply: {} };
    },
  },
  apply: {
    pinned: ({ pins }, { statusId }) => void pins.push(statusId),
    unpinned: ({ pins }, { statusId }) => forgetPin(pins, statusId),
  },
  commands: {
    pin: { in: codec('murmuration.account.Pin'), out: empty, repeats: 'idempotent', local: false, remote: 'answers' },
    unpin: {
      in: codec('murmuration.account.Unpin'),
      out: empty,
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
  },
  events: {
    pinned: { codec: codec('murmuration.account.Pinned'), invalidates: false },
    unpinned: { codec: codec('murmuration.account.Unpinned'), invalidates: false },
  },
};

export function forgetPin(pins: string[], statusId: string): void {
  const index = pins.indexOf(statusId);
  if (index >= 0) pins.splice(index, 1);
}
