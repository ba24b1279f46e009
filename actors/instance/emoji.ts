import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';
import type { State as EntriesState } from './entries.js';

export interface Commands {
  /** Accounts send it once for each of their changes. */
  countEmoji: { in: P.InstanceCountEmoji; out: P.InstanceEmpty };
}
export interface Events {
  emojiCounted: P.InstanceEmojiCounted;
}
export interface State extends EntriesState {
  /** Counts by announcement, then by name. */
  readonly emoji: LazyMap<string, LazyMap<string, number>>;
}

/**
 * Names on one announcement. Source: Mastodon ReactionValidator::LIMIT, plus some, since several may arrive at the same
 * time.
 */
export const EMOJI_NAMES_MAX = 16;

/** Numbers of accounts by announcement and emoji. */
export const emoji: Slice<State, Commands, Events> = {
  decide: {
    countEmoji(state, { announcement, name, delta }) {
      if (state.entries.get('announcements')?.has(announcement) !== true) return { events: [], reply: {} };
      const counts = state.emoji.get(announcement);
      const before = counts?.get(name) ?? 0;
      const count = Math.max(0, before + delta);
      const isRoom = before > 0 || (counts?.size ?? 0) < EMOJI_NAMES_MAX;
      if (count === before || !isRoom) return { events: [], reply: {} };
      return { events: [{ type: 'emojiCounted', announcement, name, count }], reply: {} };
    },
  },
  apply: {
    emojiCounted(state, { announcement, name, count }) {
      const counts = state.emoji.get(announcement) ?? new LazyMap<string, number>();
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
      state.emoji.set(announcement, counts);
    },
  },
  commands: {
    countEmoji: {
      in: codec('murmuration.instance.CountEmoji'),
      out: codec('murmuration.instance.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: { emojiCounted: { codec: codec('murmuration.instance.EmojiCounted'), invalidates: false } },
};
