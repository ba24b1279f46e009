import assert from 'node:assert/strict';
import { closedLoop, type Outcome, openLoop, requestText } from './open-loop.js';
import { OtherWork } from './process-figures.js';
import { percentile, type Row } from './row.js';
import { at, Town } from './town.js';

const AUTHORS = 40;
const FOLLOWERS = 50;
const CLOSED_IN_FLIGHT = 64;
const CLOSED_SECONDS = 3;
const OPEN_SECONDS = 6;
/** The first second is left out: what is above the bound then was begun before anybody could know. */
const SETTLING_SECONDS = 1;
const ROUNDS = 5;
const KEPT_MIN = 0.9;

/**
 * Offered twice what 64 in flight get: good answers as a share of that peak, and how soon the rest is refused. The peak
 * is the mean of before and after: a shared machine is a third faster in one half minute than in the next.
 */
export async function benchOverload(): Promise<Row[]> {
  const town = await Town.open(AUTHORS, FOLLOWERS);
  const port = Number(new URL(town.target.urls[0] as string).port);
  let number = 0;
  // Posts only: where pages come from memory, one process cannot ask for twice as many as the server answers.
  const next = () => {
    number += 1;
    return requestText('POST', '/api/v1/statuses', at(town.authors, number).token, { status: `number ${number}` });
  };
  try {
    await town.followAll();
    const rounds: Round[] = [];
    await closedLoop(port, CLOSED_IN_FLIGHT, 2_000, next);
    for (let round = 0; round < ROUNDS; round++) rounds.push(await overload(town, port, next));
    rounds.sort((a, b) => a.share - b.share);
    return [rowOf('posts', rounds[Math.floor(ROUNDS / 2)] as Round)];
  } finally {
    await town.dispose();
  }
}

interface Round {
  readonly peak: number;
  /** Good answers, of the peak's. */
  readonly share: number;
  readonly refused: readonly Outcome[];
  readonly otherCores: number;
}

async function overload(town: Town, port: number, next: () => string): Promise<Round> {
  const others = new OtherWork(town.target.pids);
  const probe = await closedLoop(port, CLOSED_IN_FLIGHT, 1_000, next);
  const peakNow = () => closedLoop(port, CLOSED_IN_FLIGHT, Math.ceil(probe * CLOSED_SECONDS), next);
  const before = await peakNow();
  const fromMs = performance.now() + SETTLING_SECONDS * 1_000;
  const outcomes = (await openLoop(port, 2 * before, OPEN_SECONDS, next)).filter(({ sentMs }) => sentMs > fromMs);
  const good = outcomes.filter(({ status }) => status === 200);
  const refused = outcomes.filter(({ status }) => status === 503);
  assert.equal(good.length + refused.length, outcomes.length, 'nothing but 200 and 503');
  assert.ok(refused.every(({ retryAfter }) => retryAfter));
  await town.target.settled();
  const peak = (before + (await peakNow())) / 2;
  const share = good.length / (OPEN_SECONDS - SETTLING_SECONDS) / peak;
  await town.target.settled();
  return { peak, share, refused, otherCores: others.cores() };
}

function rowOf(name: string, { peak, share, refused, otherCores }: Round): Row {
  const times = refused.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return {
    name: `${name} at twice ${peak.toFixed(0)}/s; ms until refused`,
    figure: `${share.toFixed(2)} of the peak`,
    ...(times.length === 0 ? {} : { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }),
    target: `≥ ${KEPT_MIN}`,
    reached: share >= KEPT_MIN,
    otherCores,
  };
}
