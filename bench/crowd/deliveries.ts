import { Xorshift } from '../graph.js';
import { residentFileMib, residentMib } from '../process-figures.js';
import type { Row } from '../row.js';
import { Crowd } from './crowd.js';
import { deliveriesPerSecond, measureRound, type Posted, type Round, rounds, roundsRow } from './crowd-rounds.js';

const ACCOUNTS = 100_000;
const AVERAGE_FAN_OUT = 403;
/** Number of posting accounts: a random sample, so that they have as many followers as all accounts on average. */
const AUTHORS = 10_000;
/** The row shows the median of the rounds. */
const ROUNDS = 3;
const POSTS = 10_000;
const WARM_UP = 8_000;
const IN_FLIGHT = 256;
const DELIVERIES_MIN = 1_400_000;
const RSS_MIB_MAX = 1_536;
/** Posts for each point of the fan-out line, and authors per point. */
const POINT_POSTS = 2_000;
const POINT_AUTHORS = 32;
const POINTS = [100, 1_000, 10_000];

/** Measures deliveries with full rings of 100,000 accounts; posts enter through the account actors. */
export async function benchDeliveries(): Promise<Row[]> {
  const crowd = await Crowd.open(ACCOUNTS, AVERAGE_FAN_OUT);
  try {
    const posted: Posted = [];
    const random = new Xorshift(1);
    const authors = Array.from({ length: AUTHORS }, () => random.below(ACCOUNTS));
    const loads = [
      ['100,000 accounts, 10,000 of them posting', authors],
      ['as before, 1,000 of them posting', authors.slice(0, 1_000)],
    ] as const;
    const rows: Row[] = [];
    // V8 compiles during some thousands of posts.
    await round(crowd, authors.slice(0, WARM_UP), WARM_UP, posted);
    for (const [name, who] of loads) {
      const measured = await rounds(ROUNDS, () => round(crowd, who, POSTS, posted));
      rows.push({
        ...roundsRow(`deliveries: ${name}, ${IN_FLIGHT} in flight`, POSTS, measured),
        target: `≥ ${DELIVERIES_MIN.toLocaleString('en')}/s`,
        reached: deliveriesPerSecond(measured) >= DELIVERIES_MIN,
      });
    }
    rows.push(...(await line(crowd, posted)));
    const pid = crowd.target.pids[0] as number;
    const [mib, files] = [residentMib(pid), residentFileMib(pid)];
    rows.push({
      name: `resident with ${ACCOUNTS} full rings`,
      figure: `${mib.toFixed(0)} MiB, ${files.toFixed(0)} of them the store's file`,
      target: `≤ ${RSS_MIB_MAX} MiB`,
      reached: mib <= RSS_MIB_MAX,
    });
    await crowd.assertHomes(posted);
    return rows;
  } finally {
    await crowd.close();
  }
}

/** Measures the cost of a post by its number of followers, and the cost of one more follower. */
async function line(crowd: Crowd, posted: Posted): Promise<Row[]> {
  const byFanOut = Array.from(crowd.fanOut, (fanOut, author) => ({ fanOut, author }));
  const points: { fanOut: number; cpu: number }[] = [];
  const rows: Row[] = [];
  for (const wanted of [0, ...POINTS]) {
    const near = [...byFanOut].sort((a, b) => Math.abs(a.fanOut - wanted) - Math.abs(b.fanOut - wanted));
    const authors = wanted === 0 ? crowd.lonely : near.slice(0, POINT_AUTHORS).map(({ author }) => author);
    await round(crowd, authors, POINT_POSTS / 4, posted);
    const [least, middle, most] = (await rounds(ROUNDS, () => round(crowd, authors, POINT_POSTS, posted))) as [
      Round,
      Round,
      Round,
    ];
    const fanOut = middle.deliveries / POINT_POSTS;
    points.push({ fanOut, cpu: middle.cpu });
    rows.push({
      name: `post through its actor, ${fanOut.toFixed(0)} rings, ${POINT_AUTHORS} authors`,
      cpuSecondsPer1000: middle.cpu,
      cpuSecondsPer1000Between: [least.cpu, most.cpu],
    });
  }
  const [first, last] = [points[0], points.at(-1)];
  if (first !== undefined && last !== undefined) {
    const ns = ((last.cpu - first.cpu) / 1_000 / (last.fanOut - first.fanOut)) * 1e9;
    rows.push({ name: 'one delivery', figure: `${ns.toFixed(0)} ns` });
  }
  return rows;
}

const round = (crowd: Crowd, authors: readonly number[], count: number, posted: Posted): Promise<Round> =>
  measureRound(crowd, posted, count, async () => {
    const answer = await crowd.ask('post', { authors, count, inFlight: IN_FLIGHT });
    posted.push(...answer.posted);
    return { seconds: answer.seconds, deliveries: answer.deliveries, times: answer.timesMs };
  });
