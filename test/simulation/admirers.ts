import { emptyProfile } from '../../actors/account/profile.js';
import { makeId } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { SimulatedNode } from './node.js';
import type { Requests } from './requests.js';
import type { SeededRandom, World } from './world.js';

/** Between two requests of one person. */
const THINK_MS: readonly [number, number] = [200, 2_000];

/** An account of another server. */
export const STAR = makeId(1_767_000_000_900, 77, 0);
const STAR_URI = 'https://far.example/users/star';

/** Makes the account of the other server known. */
export async function describeStar(node: SimulatedNode): Promise<void> {
  const actor = {
    ...{ uri: STAR_URI, url: '', inbox: `${STAR_URI}/inbox`, sharedInbox: '', outbox: '', followersUri: '' },
    ...{ featuredUri: '', keys: [], type: 'Person', alsoKnownAs: [], movedTo: '', fetchedAtMs: 1, gone: false },
    ...{ avatarUrl: '', headerUrl: '', emojis: [], publishedMs: 0 },
  };
  const input = { username: 'star', domain: 'far.example', profile: emptyProfile, actor };
  const reply = await node.runtime.ask('account', STAR, 'describe', input).catch(() => undefined);
  if (reply === undefined) await describeStar(node);
  else if (isProblem(reply)) throw new Error(`describe was refused: ${reply.detail}`);
}

/** One person who follows an account of another server, and changes the mind. */
export class Admirer {
  constructor(
    readonly account: string,
    private readonly requests: Requests,
    private readonly world: World,
    private readonly random: SeededRandom,
  ) {}

  async live(untilMs: number): Promise<void> {
    while (this.world.now < untilMs) {
      const command = this.random.chance(0.5) ? 'follow' : 'unfollow';
      await this.requests.ask('account', this.account, command, { target: STAR, targetLocked: false });
      await this.world.sleep(this.random.between(...THINK_MS));
    }
  }
}
