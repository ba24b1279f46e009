import assert from 'node:assert/strict';
import { cpuSeconds, OtherWork } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import type { AnswerTo, Crowd } from './crowd.js';

/** Posts, each with its author's number in the crowd. */
export type Posted = AnswerTo['post']['posted'][number][];

/** Cost of one round of posts: CPU-seconds per 1,000, until all effects are done. */
export interface Round {
  /** Seconds until the last delivery. */
  readonly seconds: number;
  readonly deliveries: number;
  readonly cpu: number;
  /** Milliseconds of each post. */
  readonly times: readonly number[];
  readonly otherCores: number;
}

/** Runs `load`, which adds its posts to `posted`, and checks that each of its `count` posts reached each follower. */
export async function measureRound(
  crowd: Crowd,
  posted: Posted,
  count: number,
  load: () => Promise<Pick<Round, 'seconds' | 'deliveries' | 'times'>>,
): Promise<Round> {
  const pid = crowd.target.pids[0] as number;
  await crowd.target.settled();
  const others = new OtherWork(crowd.target.pids);
  const [cpuBefore, from] = [cpuSeconds(pid), posted.length];
  const done = await load();
  const otherCores = others.cores();
  await crowd.target.settled();
  const cpu = ((cpuSeconds(pid) - cpuBefore) / count) * 1_000;
  assert.equal(posted.length - from, count);
  assert.equal(done.deliveries, expectedDeliveries(crowd, posted.slice(from)), 'each post reached each follower');
  return { ...done, cpu, otherCores };
}

/** Returns the number of deliveries: the authors' followers and the authors themselves. */
export const expectedDeliveries = (crowd: Crowd, posted: Posted): number =>
  posted.reduce((sum, [author]) => sum + (crowd.fanOut[author] ?? -1) + 1, 0);

/** Runs `count` rounds one after another; returns them sorted by cost. */
export async function rounds(count: number, round: () => Promise<Round>): Promise<Round[]> {
  const all: Round[] = [];
  while (all.length < count) all.push(await round());
  return all.sort((a, b) => a.cpu - b.cpu);
}

/** Returns the rate of the median round. */
export function deliveriesPerSecond(sorted: readonly Round[]): number {
  const { deliveries, seconds } = median(sorted);
  return deliveries / seconds;
}

/** Returns a row of the median round, with the minimum and maximum cost. */
export function roundsRow(name: string, posts: number, sorted: readonly Round[]): Row {
  const middle = median(sorted);
  const times = [...middle.times].sort((a, b) => a - b);
  return {
    name: `${name}, ${(posts / middle.seconds).toFixed(0)} posts/s`,
    figure: `${Math.round(deliveriesPerSecond(sorted)).toLocaleString('en')}/s`,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    cpuSecondsPer1000: middle.cpu,
    cpuSecondsPer1000Between: [sorted[0]?.cpu ?? 0, sorted.at(-1)?.cpu ?? 0],
    otherCores: middle.otherCores,
  };
}

const median = (sorted: readonly Round[]): Round => sorted[Math.floor(sorted.length / 2)] as Round;
