import assert from 'node:assert/strict';
import { setApart } from '../cores.js';
import { closedLoop, openLoop } from '../open-loop.js';
import { OtherWork } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import { get, Town } from '../town.js';
import { LocalRequests } from './local-requests.js';
import { RemoteHosts } from './remote-hosts.js';

const HOSTS = 500;
const FOLLOWERS = 20;
const CLOSED_IN_FLIGHT = 64;
const CLOSED_SECONDS = 3;
const TIMES = 4;
const OPEN_SECONDS = 5;
/** The first second is excluded: excess requests were accepted then before the overload could be detected. */
const SETTLING_SECONDS = 1;
const ROUNDS = 3;
const WARM_UP = 3_000;
/** Requests of local people, half of them homes and half posts. */
const LOCAL_PER_SECOND = 100;
const [GOODPUT_MIN, P99_TIMES_MAX] = [0.9, 1.5];
const [TAKEN, REFUSED] = [202, 503];
/** Right after an overload some requests are still refused. */
const ANSWERS = { expected: TAKEN, refused: REFUSED };

interface Round {
  readonly capacity: number;
  /** Creates taken under overload, as a share of the capacity. */
  readonly goodput: number;
  /** Milliseconds of local requests, ascending: with an idle inbox, at its capacity, and under overload. */
  readonly idle: readonly number[];
  readonly full: readonly number[];
  readonly loaded: readonly number[];
  readonly refusedMs: readonly number[];
  readonly otherCores: number;
}

/**
 * Offers four times as many signed Creates as the inbox takes, from 500 hosts, while local people read and post.
 * Capacity is the mean of before and after, with the same local requests. The generator (this process) signs before
 * each phase, and the local requests come from a third process. The server has a core of its own where that is possible.
 */
export async function benchInboxOverload(): Promise<Row[]> {
  const town = await Town.open(0, FOLLOWERS, { settings: { FEDERATION_ALLOW_CIDRS: 'loopback' } });
  let hosts: RemoteHosts | undefined;
  let probe: LocalRequests | undefined;
  try {
    const isApart = setApart(town.target.pids);
    hosts = await RemoteHosts.open(HOSTS, town);
    for (const reader of town.followers) await town.call(get('/api/v1/timelines/home', reader, Array.isArray));
    const port = Number(new URL(town.target.urls[0] ?? '').port);
    const tokens = town.followers.map(({ token }) => token);
    probe = new LocalRequests({ port, tokens, perSecond: LOCAL_PER_SECOND });
    const rate = await closedLoop(port, CLOSED_IN_FLIGHT, WARM_UP, nextOf(await hosts.creates(WARM_UP)), ANSWERS);
    await probe.run(OPEN_SECONDS);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await roundOf(town, port, hosts, probe, rate));
    return rowsOf(rounds, isApart);
  } finally {
    probe?.end();
    await town.dispose();
    await hosts?.close();
  }
}

async function roundOf(
  town: Town,
  port: number,
  hosts: RemoteHosts,
  probe: LocalRequests,
  rate: number,
): Promise<Round> {
  const others = new OtherWork(town.target.pids);
  const full: number[] = [];
  const capacityNow = async (): Promise<number> => {
    const count = Math.ceil(rate * CLOSED_SECONDS);
    const next = nextOf(await hosts.creates(count));
    const local = settledTimes(probe, CLOSED_SECONDS);
    const perSecond = await closedLoop(port, CLOSED_IN_FLIGHT, count, next, ANSWERS);
    full.push(...(await local));
    await town.target.settled();
    return perSecond;
  };
  const idle = await settledTimes(probe, OPEN_SECONDS);
  const before = await capacityNow();
  const next = nextOf(await hosts.creates(Math.ceil(TIMES * before * OPEN_SECONDS) + 1));
  const fromMs = performance.now() + SETTLING_SECONDS * 1_000;
  const [all, loaded] = await Promise.all([
    openLoop(port, TIMES * before, OPEN_SECONDS, next),
    settledTimes(probe, OPEN_SECONDS),
  ]);
  await town.target.settled();
  const capacity = (before + (await capacityNow())) / 2;
  const outcomes = all.filter(({ sentMs }) => sentMs > fromMs);
  const taken = outcomes.filter(({ status }) => status === TAKEN);
  const refused = outcomes.filter(({ status }) => status === REFUSED);
  assert.equal(taken.length + refused.length, outcomes.length, 'nothing but 202 and 503');
  assert.ok(refused.every(({ retryAfter }) => retryAfter));
  const goodput = taken.length / (OPEN_SECONDS - SETTLING_SECONDS) / capacity;
  const refusedMs = refused.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return { capacity, goodput, idle, full, loaded, refusedMs, otherCores: others.cores() };
}

function rowsOf(rounds: readonly Round[], isApart: boolean): Row[] {
  const byGoodput = [...rounds].sort((a, b) => a.goodput - b.goodput);
  const middle = byGoodput[Math.floor(ROUNDS / 2)] as Round;
  const times = rounds.map(({ idle, loaded }) => percentile(loaded, 0.99) / percentile(idle, 0.99));
  times.sort((a, b) => a - b);
  const ratio = times[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  const local = (name: string, of: (round: Round) => readonly number[]): Row => {
    const all = rounds.flatMap(of).sort((a, b) => a - b);
    return { name, p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99) };
  };
  const [least, most] = [byGoodput[0]?.goodput ?? 0, byGoodput.at(-1)?.goodput ?? 0];
  return [
    {
      name: `signed Creates of ${HOSTS} hosts at ${TIMES} times ${middle.capacity.toFixed(0)}/s${isApart ? ', server on one core' : ''}; ms until refused`,
      figure: `${middle.goodput.toFixed(2)} of the capacity (${least.toFixed(2)} to ${most.toFixed(2)})`,
      ...(middle.refusedMs.length === 0
        ? {}
        : { p50Ms: percentile(middle.refusedMs, 0.5), p99Ms: percentile(middle.refusedMs, 0.99) }),
      ...{ target: `≥ ${GOODPUT_MIN}`, reached: middle.goodput >= GOODPUT_MIN, otherCores: middle.otherCores },
    },
    local(`${LOCAL_PER_SECOND} local requests a second, idle inbox`, ({ idle }) => idle),
    local(`the same while ${CLOSED_IN_FLIGHT} Creates are in flight`, ({ full }) => full),
    {
      ...local('the same during the overload', ({ loaded }) => loaded),
      figure: `p99 ${ratio.toFixed(2)} times (${times[0]?.toFixed(2)} to ${times.at(-1)?.toFixed(2)})`,
      ...{ target: `≤ ${P99_TIMES_MAX} times`, reached: ratio <= P99_TIMES_MAX },
    },
  ];
}

/** Returns the texts one after another. */
function nextOf(texts: readonly string[]): () => string {
  let index = 0;
  return () => texts[index++] as string;
}

/** Returns the milliseconds of local requests of these seconds but those of the first one, ascending. */
async function settledTimes(probe: LocalRequests, seconds: number): Promise<number[]> {
  const { timesMs, failed } = await probe.run(seconds);
  assert.equal(failed, 0, 'each local request is answered with 200');
  return timesMs.slice(LOCAL_PER_SECOND * SETTLING_SECONDS).sort((a, b) => a - b);
}
