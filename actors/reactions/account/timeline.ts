import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Happened, Reaction } from '../../runtime/kind.js';
import type { HomeRings } from '../../timelines/home-rings.js';

/** Updates the account's own home ring before the reply, so that its next read shows its own actions. */
export function accountTimeline(
  rings: Pick<HomeRings, 'follow' | 'unfollow' | 'deliverTo'>,
): Reaction<AccountState, AccountEvents> {
  const hear = async (target: string, { self, state }: Happened<AccountState>) => {
    if (state.following.get(target)?.pending === false) await rings.follow(self, target);
  };
  return {
    surface: 'timeline',
    beforeReply: true,
    on: {
      followed: ({ target, optionsOnly }, happened) => (optionsOnly ? undefined : hear(target, happened)),
      followAnswered: ({ target }, happened) => hear(target, happened),
      unfollowed: ({ target }, { self }) => rings.unfollow(self, target),
      posted: ({ id }, { self }) => rings.deliverTo(self, id),
    },
  };
}
