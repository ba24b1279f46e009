import type { StoreMark, StorePoll, StoreStatusRecord } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import { type CustomEmoji, emojiIn } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's Poll. */
export interface Poll {
  readonly id: string;
  readonly expires_at: string;
  readonly expired: boolean;
  readonly multiple: boolean;
  readonly votes_count: number;
  readonly voters_count: number;
  readonly options: readonly { readonly title: string; readonly votes_count: number | null }[];
  readonly emojis: readonly CustomEmoji[];
  /** Present only for a signed-in viewer. */
  readonly voted?: boolean;
  readonly own_votes?: readonly number[];
}

/** Renders a poll, which has the id of its status. `mark` is the viewer's mark on that status. */
export function renderPoll(
  instance: Pick<InstanceSettings, 'emojis'>,
  { id, accountId }: StoreStatusRecord,
  poll: StorePoll,
  nowMs: number,
  viewer: string | undefined,
  mark: StoreMark | undefined,
): Poll {
  const expired = poll.ended || nowMs >= poll.expiresAtMs;
  const showsTotals = expired || !poll.hideTotals;
  const votes = poll.options.reduce((sum, option) => sum + option.votes, 0);
  // Votes of an earlier round, before the options changed, no longer count.
  const own = mark?.votes !== undefined && mark.votes.round === poll.round ? mark.votes.choices : [];
  return {
    id,
    expires_at: isoTime(poll.expiresAtMs),
    expired,
    multiple: poll.multiple,
    votes_count: votes,
    voters_count: poll.voters,
    options: poll.options.map(({ title, votes: count }) => ({ title, votes_count: showsTotals ? count : null })),
    emojis: emojiIn(instance, ...poll.options.map(({ title }) => title)),
    ...(viewer === undefined ? {} : { voted: viewer === accountId || own.length > 0, own_votes: own }),
  };
}
