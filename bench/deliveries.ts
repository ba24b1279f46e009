import assert from 'node:assert/strict';
import { type AnswerTo, Crowd } from './crowd.js';
import { Xorshift } from './graph.js';
import { cpuSeconds, OtherWork, residentMib } from './process-figures.js';
import { percentile, type Row } from './row.js';

const ACCOUNTS = 100_000;
const AVERAGE_FAN_OUT = 403;
/** Of all, those who post: a sample, so that their followers are as many as everybody's. */
const AUTHORS = 10_000;
/** The row shows the median of so many rounds. */
const ROUNDS = 3;
const POSTS = 10_000;
const WARM_UP = 8_000;
const IN_FLIGHT = 256;
const DELIVERIES_MIN = 1_400_000;
const RSS_MIB_MAX = 1_536;
/** Posts for each point of the line of fan-out costs; authors each. */
const POINT_POSTS = 2_000;
const POINT_AUTHORS = 32;
const POINTS = [100, 1_000, 10_000];

type Posted = AnswerTo['post'];

/** Deliveries with the rings of 100,000 accounts full, posts entering through the account actors. */
export async function benchDeliveries(): Promise<Row[]> {
  const crowd = await Crowd.open(ACCOUNTS, AVERAGE_FAN_OUT);
  try {
    const posted: Posted['posted'][number][] = [];
    const random = new Xorshift(1);
    const authors = Array.from({ length: AUTHORS }, () => random.below(ACCOUNTS));
    const loads = [
      ['100,000 accounts, 10,000 of them posting', authors],
      ['as before, 1,000 of them posting', authors.slice(0, 1_000)],
    ] as const;
    const rows: Row[] = [];
    // V8 compiles for some thousands of posts.
    await round(crowd, authors.slice(0, WARM_UP), WARM_UP, posted);
    for (const [name, who] of loads) {
      const rounds: Awaited<ReturnType<typeof round>>[] = [];
      for (let number = 0; number < ROUNDS; number++) rounds.push(await round(crowd, who, POSTS, posted));
      rounds.sort((a, b) => a.cpu - b.cpu);
      const { answer, cpu, otherCores } = rounds[Math.floor(ROUNDS / 2)] as (typeof rounds)[number];
      const perSecond = answer.deliveries / answer.seconds;
      const times = [...answer.timesMs].sort((a, b) => a - b);
      rows.push({
        name: `deliveries: ${name}, ${IN_FLIGHT} in flight, ${(POSTS / answer.seconds).toFixed(0)} posts/s`,
        figure: `${Math.round(perSecond).toLocaleString('en')}/s`,
        p50Ms: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
        cpuSecondsPer1000: (cpu / POSTS) * 1_000,
        cpuSecondsPer1000Between: [
          ((rounds[0]?.cpu ?? 0) / POSTS) * 1_000,
          ((rounds.at(-1)?.cpu ?? 0) / POSTS) * 1_000,
        ],
        target: `≥ ${DELIVERIES_MIN.toLocaleString('en')}/s`,
        reached: perSecond >= DELIVERIES_MIN,
        otherCores,
      });
    }
    rows.push(...(await line(crowd, posted)));
    const mib = residentMib(crowd.target.pids[0] as number);
    rows.push({
      name: `resident with ${ACCOUNTS} full rings`,
      figure: `${mib.toFixed(0)} MiB`,
      target: `≤ ${RSS_MIB_MAX} MiB`,
      reached: mib <= RSS_MIB_MAX,
    });
    await crowd.assertHomes(posted);
    return rows;
  } finally {
    await crowd.close();
  }
}

/** What a post costs by its number of followers, and what one follower more costs. */
async function line(crowd: Crowd, posted: Posted['posted'][number][]): Promise<Row[]> {
  const byFanOut = Array.from(crowd.fanOut, (fanOut, author) => ({ fanOut, author }));
  const points: { fanOut: number; cpu: number }[] = [];
  const rows: Row[] = [];
  for (const wanted of [0, ...POINTS]) {
    const near = [...byFanOut].sort((a, b) => Math.abs(a.fanOut - wanted) - Math.abs(b.fanOut - wanted));
    const authors = wanted === 0 ? crowd.lonely : near.slice(0, POINT_AUTHORS).map(({ author }) => author);
    await round(crowd, authors, POINT_POSTS / 4, posted);
    const costs: number[] = [];
    let deliveries = 0;
    for (let repeat = 0; repeat < 3; repeat++) {
      const { answer, cpu } = await round(crowd, authors, POINT_POSTS, posted);
      costs.push((cpu / POINT_POSTS) * 1_000);
      deliveries = answer.deliveries;
    }
    costs.sort((a, b) => a - b);
    const fanOut = deliveries / POINT_POSTS;
    const cpu = costs[1] as number;
    points.push({ fanOut, cpu });
    rows.push({
      name: `post through its actor, ${fanOut.toFixed(0)} rings, ${POINT_AUTHORS} authors`,
      cpuSecondsPer1000: cpu,
      cpuSecondsPer1000Between: [costs[0] as number, costs[2] as number],
    });
  }
  const [first, last] = [points[0], points.at(-1)];
  if (first !== undefined && last !== undefined) {
    const ns = ((last.cpu - first.cpu) / 1_000 / (last.fanOut - first.fanOut)) * 1e9;
    rows.push({ name: 'one delivery', figure: `${ns.toFixed(0)} ns` });
  }
  return rows;
}

async function round(
  crowd: Crowd,
  authors: readonly number[],
  count: number,
  posted: Posted['posted'][number][],
): Promise<{ answer: Posted; cpu: number; otherCores: number }> {
  const pid = crowd.target.pids[0] as number;
  await crowd.target.settled();
  const others = new OtherWork(crowd.target.pids);
  const cpuBefore = cpuSeconds(pid);
  const answer = await crowd.ask('post', { authors, count, inFlight: IN_FLIGHT });
  const otherCores = others.cores();
  await crowd.target.settled();
  const cpu = cpuSeconds(pid) - cpuBefore;
  const expected = answer.posted.reduce((sum, [author]) => sum + ((crowd.fanOut[author] ?? -1) + 1), 0);
  assert.equal(answer.posted.length, count);
  assert.equal(answer.deliveries, expected, 'each post came to each follower');
  posted.push(...answer.posted);
  return { answer, cpu, otherCores };
}
