import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';
import type { State as EntriesState } from './entries.js';

export interface Commands {
  /** Told by accounts, each once for each change of theirs. */
  countEmoji: { in: P.InstanceCountEmoji; out: P.InstanceEmpty };
}
export interface Events {
  emojiCounted: P.InstanceEmojiCounted;
}
export interface State extends EntriesState {
  /** By announcement, then by name. */
  readonly emoji: Map<string, Map<string, number>>;
}

/** Names on one announcement. Source: Mastodon ReactionValidator::LIMIT; some more, since two may come at once. */
export const EMOJI_NAMES_MAX = 16;

/** How many people put which emoji on which announcement. */
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
      const counts = state.emoji.get(announcement) ?? new Map<string, number>();
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
    },
  },
  events: { emojiCounted: { codec: codec('murmuration.instance.EmojiCounted'), invalidates: false } },
};
