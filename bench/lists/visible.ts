import { Pool as HttpPool, type Pool } from 'undici';
import type { Made } from '../accounts.js';
import { streamLatency } from '../crowd/streamed.js';
import { percentile, type Row } from '../row.js';
import { at, get, type Status, Town } from '../town.js';

const FOLLOWERS = 1_000;
const POSTS = 200;
/** Homes watched for each post, others each time; over all posts each is watched several times. */
const WATCHED = 20;
const PATIENCE_MS = 10_000;
const P50_MS_MAX = 10;
const P99_MS_MAX = 40;

/**
 * Measures the time from sending a post until all watched homes of its followers show it, one post at a time;
 * afterwards every follower's home is checked. Also measures the time from sending to the event in a stream.
 */
export async function benchVisible(): Promise<Row[]> {
  const town = await Town.open(1, FOLLOWERS);
  const pool = new HttpPool(town.target.urls[0] as string, { connections: WATCHED, pipelining: 1 });
  const [author] = town.authors as [Made];
  try {
    await town.followAll();
    for (let index = 0; index < 40; index++) await town.call(town.post(author, `before ${index}`));
    await town.each('home', FOLLOWERS, (index) =>
      get('/api/v1/timelines/home', at(town.followers, index), (page: Status[]) => page.length === 20),
    );
    await town.target.settled();
    const times: number[] = [];
    for (let index = 0; index < POSTS; index++) {
      const watched = Array.from({ length: WATCHED }, (_, nth) =>
        at(town.followers, (index + nth * (FOLLOWERS / WATCHED)) % FOLLOWERS),
      );
      const text = `seen ${index}`;
      const startedMs = performance.now();
      const posted = town.call(town.post(author, text));
      await Promise.all(watched.map((viewer) => shown(pool, viewer, `<p>${text}</p>`)));
      times.push(performance.now() - startedMs);
      await posted;
    }
    const expected = town.newest.slice(0, 20);
    await town.each('home', FOLLOWERS, (index) =>
      get('/api/v1/timelines/home', at(town.followers, index), (page: Status[]) =>
        page.every(({ id }, position) => id === expected[position]),
      ),
    );
    await town.assertHomes(town.followers.slice(0, 2));
    times.sort((a, b) => a - b);
    const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(times, 0.99)];
    const follower = at(town.followers, 0);
    const event = await streamLatency(town.target.urls[0] as string, follower.token, (text) =>
      town.call<Status>(town.post(author, text)),
    );
    return [
      {
        name: `post → visible in ${WATCHED} homes of ${FOLLOWERS} followers, one at a time`,
        p50Ms,
        p99Ms,
        target: `≤ ${P50_MS_MAX} / ${P99_MS_MAX} ms`,
        reached: p50Ms <= P50_MS_MAX && p99Ms <= P99_MS_MAX,
      },
      event,
    ];
  } finally {
    await pool.close();
    await town.dispose();
  }
}

/** Resolves when the viewer's home begins with the post: like a client, it repeats the request after each answer. */
async function shown(pool: Pool, { token, username }: Made, content: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  const headers = { authorization: `Bearer ${token}` };
  while (performance.now() < deadlineMs) {
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/api/v1/timelines/home?limit=1', headers });
    const page = (await body.json()) as Status[];
    if (statusCode === 200 && page[0]?.content === content) return;
  }
  throw new Error(`the home of ${username} does not show ${content}`);
}
