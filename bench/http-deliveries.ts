import assert from 'node:assert/strict';
import { until } from '../test/kit/until.js';
import type { Made } from './accounts.js';
import { type AnswerTo, Crowd } from './crowd.js';
import { Xorshift } from './graph.js';
import { drive } from './http-load.js';
import { cpuSeconds, OtherWork } from './process-figures.js';
import { percentile, type Row } from './row.js';
import { write } from './town.js';

const ACCOUNTS = 100_000;
const AVERAGE_FAN_OUT = 403;
const AUTHORS = 10_000;
const WARM_UP = 4_000;
const POSTS = 8_000;
const ROUNDS = 3;
const IN_FLIGHT = 64;
const DELIVERY_MS_MAX = 60_000;

type Posted = AnswerTo['post']['posted'][number][];

interface Round {
  readonly seconds: number;
  readonly deliveries: number;
  readonly cpu: number;
  readonly times: readonly number[];
}

/** The same graph with full rings as `deliveries`, posts entering as clients send them: over HTTP, each with its token. */
export async function benchHttpDeliveries(): Promise<Row[]> {
  const crowd = await Crowd.open(ACCOUNTS, AVERAGE_FAN_OUT);
  try {
    const random = new Xorshift(2);
    const authors = Array.from({ length: AUTHORS }, () => random.below(ACCOUNTS));
    const posted: Posted = [];
    await round(crowd, authors, WARM_UP, posted);
    const others = new OtherWork(crowd.target.pids);
    const rounds: Round[] = [];
    for (let number = 0; number < ROUNDS; number++) rounds.push(await round(crowd, authors, POSTS, posted));
    const otherCores = others.cores();
    rounds.sort((a, b) => a.cpu - b.cpu);
    const middle = rounds[Math.floor(ROUNDS / 2)] as Round;
    const times = [...middle.times].sort((a, b) => a - b);
    const rate = (count: number) => Math.round(count / middle.seconds).toLocaleString('en');
    await crowd.assertHomes(posted);
    return [
      {
        name: `deliveries over HTTP: 100,000 accounts, ${IN_FLIGHT} in flight, ${rate(POSTS)} posts/s`,
        figure: `${rate(middle.deliveries)}/s`,
        p50Ms: percentile(times, 0.5),
        p99Ms: percentile(times, 0.99),
        cpuSecondsPer1000: middle.cpu,
        cpuSecondsPer1000Between: [rounds[0]?.cpu ?? 0, rounds.at(-1)?.cpu ?? 0],
        otherCores,
      },
    ];
  } finally {
    await crowd.close();
  }
}

/** From the first request to the last delivery; CPU-seconds to when nothing is owed any more. */
async function round(crowd: Crowd, authors: readonly number[], count: number, posted: Posted): Promise<Round> {
  const [pid = 0] = crowd.target.pids;
  await crowd.target.settled();
  const { deliveries: before } = await crowd.ask('figures', {});
  const [cpuBefore, startedMs, from] = [cpuSeconds(pid), performance.now(), posted.length];
  const call = (index: number) => {
    const author = authors[index % authors.length] as number;
    const text = `post ${index}: the quick brown fox jumps over the lazy dog, and it does so once more for good measure`;
    return write(crowd.accounts[author] as Made, '/api/v1/statuses', { status: text }, ({ id, content }) => {
      posted.push([author, id]);
      return content === `<p>${text}</p>`;
    });
  };
  const times = await drive(crowd.target, { name: 'post', inFlight: IN_FLIGHT, call }, from, from + count);
  const mine = posted.slice(from);
  const expected = mine.reduce((sum, [author]) => sum + (crowd.fanOut[author] ?? -1) + 1, 0);
  const arrived = async () => (await crowd.ask('figures', {})).deliveries - before >= expected || undefined;
  await until('all deliveries', arrived, DELIVERY_MS_MAX);
  const seconds = (performance.now() - startedMs) / 1_000;
  await crowd.target.settled();
  const cpu = ((cpuSeconds(pid) - cpuBefore) / count) * 1_000;
  const { deliveries } = await crowd.ask('figures', {});
  assert.equal(mine.length, count);
  assert.equal(deliveries - before, expected, 'each post came to each follower');
  return { seconds, deliveries: expected, cpu, times };
}
