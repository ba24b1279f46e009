import type { Client } from './client.js';
import type { Crowd, Follow } from './crowd.js';
import { inParallel } from './in-parallel.js';
import { insist } from './insist.js';
import { BadPlan, FOLLOWS_MAX } from './plan.js';

/** Set-up requests at a time. */
const AT_A_TIME = 8;
/** Statuses posted before the run, so that there is something to read and favourite. */
const FIRST_STATUSES = 20;

/** Follows the crowd's authors and posts some first statuses, whose ids it answers. @throws BadPlan, NoAnswer */
export async function prepare(client: Client, crowd: Crowd): Promise<string[]> {
  const follows: Follow[] = [...crowd.follows()];
  if (follows.length > FOLLOWS_MAX) {
    throw new BadPlan(`${follows.length} follows to make before the run; at most ${FOLLOWS_MAX}`);
  }
  await inParallel(follows, AT_A_TIME, async ({ follower, author }) => {
    const [from, to] = [crowd.users[follower], crowd.users[author]];
    const path = `/api/v1/accounts/${to?.id}/follow`;
    const { text } = await insist(client, { method: 'POST', path, token: from?.token ?? '' });
    const { following } = JSON.parse(text) as { following?: boolean };
    if (following !== true) {
      throw new BadPlan(`${from?.username} cannot follow ${to?.username} at once; accounts must not be locked`);
    }
  });
  const count = Math.min(FIRST_STATUSES, crowd.users.length * 2);
  return inParallel(Array.from({ length: count }), AT_A_TIME, async (_, index) => {
    const token = crowd.users[index % crowd.users.length]?.token ?? '';
    const body = { status: `A first post before a load test, number ${index}.`, visibility: 'public' };
    const { text } = await insist(client, { method: 'POST', path: '/api/v1/statuses', token, body });
    return String((JSON.parse(text) as { id: unknown }).id);
  });
}
