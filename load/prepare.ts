import type { Client } from './clients/client.js';
import { inParallel } from './clients/in-parallel.js';
import { objectIn, statusIn } from './clients/json.js';
import { patienceFor, retried } from './clients/retry.js';
import type { Crowd, Follow } from './crowd.js';
import { BadPlan, FOLLOWS_MAX } from './plan.js';

/** Concurrent set-up requests. */
const AT_A_TIME = 8;
/** Statuses posted before the run, so that there is something to read and favourite. */
const FIRST_STATUSES = 20;

/** A status that was posted before the run. */
export interface FirstStatus {
  readonly id: string;
  /** In the server's time; NaN if unknown. */
  readonly createdAtMs: number;
}

/** Creates the crowd's follows and posts some first statuses. @throws BadPlan, NoAnswer */
export async function prepare(client: Client, crowd: Crowd, signal: AbortSignal): Promise<FirstStatus[]> {
  const follows: Follow[] = [...crowd.follows()];
  if (follows.length > FOLLOWS_MAX) {
    throw new BadPlan(`${follows.length} follows to make before the run; at most ${FOLLOWS_MAX}`);
  }
  const patience = patienceFor(signal);
  await inParallel(follows, AT_A_TIME, async ({ follower, author }) => {
    const [from, to] = [crowd.users[follower], crowd.users[author]];
    const path = `/api/v1/accounts/${to?.id}/follow`;
    const { text } = await retried(client, { method: 'POST', path, token: from?.token ?? '' }, patience());
    if (objectIn(text).following !== true) {
      throw new BadPlan(`${from?.username} cannot follow ${to?.username} at once; accounts must not be locked`);
    }
  });
  const count = Math.min(FIRST_STATUSES, crowd.users.length * 2);
  return inParallel(Array.from({ length: count }), AT_A_TIME, async (_, index) => {
    const token = crowd.users[index % crowd.users.length]?.token ?? '';
    const body = { status: `A first post before a load test, number ${index}.`, visibility: 'public' };
    const { text } = await retried(client, { method: 'POST', path: '/api/v1/statuses', token, body }, patience());
    const { id, created_at: createdAt } = statusIn(text);
    return { id, createdAtMs: Date.parse(createdAt) };
  });
}
