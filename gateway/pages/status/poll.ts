import { Type } from '@sinclair/typebox';
import type { StoreMark, StorePoll, StoreStatusRecord } from '../../../proto/gen/types.js';
import { entity, nullable, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import { CustomEmoji, emojiIn, remoteEmoji } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's Poll::Option. */
const PollOption = entity('PollOption', { title: Type.String(), votes_count: nullable(Type.Integer()) });

/** The REST API's Poll. */
export const Poll = entity('Poll', {
  id: Type.String(),
  expires_at: time(),
  expired: Type.Boolean(),
  multiple: Type.Boolean(),
  votes_count: Type.Integer(),
  voters_count: Type.Integer(),
  options: Type.Array(PollOption),
  emojis: Type.Array(CustomEmoji),
  /** Present only for a signed-in viewer. */
  voted: Type.Optional(Type.Boolean()),
  own_votes: Type.Optional(Type.Array(Type.Integer())),
});
export type Poll = Shape<typeof Poll>;

/** Renders a poll, which has the id of its status. `mark` is the viewer's mark on that status. */
export function renderPoll(
  instance: Pick<InstanceSettings, 'baseUrl' | 'emojis'>,
  { id, accountId, remote }: StoreStatusRecord,
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
    emojis:
      remote === undefined
        ? emojiIn(instance, ...poll.options.map(({ title }) => title))
        : remoteEmoji(
            instance,
            { of: 'statuses', id },
            remote.emojis.filter(({ shortcode }) => isUsed(shortcode, poll)),
          ),
    ...(viewer === undefined ? {} : { voted: viewer === accountId || own.length > 0, own_votes: own }),
  };
}

const isUsed = (shortcode: string, { options }: StorePoll): boolean =>
  options.some(({ title }) => title.includes(`:${shortcode}:`));
