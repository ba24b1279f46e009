import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/kit/time/until.js';
import type { Made } from '../accounts.js';
import { cpuSeconds, OtherWork } from '../process-figures.js';
import { percentile, type Row } from '../row.js';
import { at, type Status, Town } from '../town.js';
import { StreamSocket } from './stream-socket.js';

const STREAMS = 200;
const WAIT_MS = 30_000;
/** Streams of the row that posts one at a time. */
const FEW = 100;
const ONE_BY_ONE = 300;
const WARM_UP = 100;
const P50_MS_MAX = 8;
const P99_MS_MAX = 25;
const PER_SECOND = 50;
const OFFERED_SECONDS = 8;
const OFFERED_P99_MS_MAX = 100;
/** Rounds of posts with and without streams, in turn. */
const ROUNDS = 5;
const ROUND_POSTS = 100;
const CPU_MAX = 0.015;

/** Streams that count what they receive, and record when. */
class Readers {
  received = 0;
  /** Arrival of the last event of each post by its number, and the times of all. */
  readonly #lastMs: number[] = [];
  readonly #counts: number[] = [];
  readonly #times: { readonly number: number; readonly ms: number }[] = [];
  readonly #sockets: StreamSocket[] = [];

  async open(port: number, followers: readonly Made[]): Promise<void> {
    for (const { token } of followers) {
      const socket = new StreamSocket(port, 'user', token, (text) => this.#take(text));
      this.#sockets.push(socket);
      await socket.opened;
    }
  }

  /** Resolves when every stream has received the posts with numbers from `from` to `to`. */
  async all(from: number, to: number): Promise<void> {
    const complete = () => {
      for (let number = from; number < to; number++) if (this.#counts[number] !== this.#sockets.length) return false;
      return true;
    };
    await until('all events', complete, WAIT_MS);
  }

  lastMs(number: number): number {
    return this.#lastMs[number] ?? Number.NaN;
  }

  /** Returns the times of arrival of posts with numbers from `from` on. */
  arrivals(from: number): readonly { readonly number: number; readonly ms: number }[] {
    return this.#times.filter(({ number }) => number >= from);
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) {
      assert.ok(!socket.closed, 'the server closed a stream');
      socket.close();
    }
  }

  #take(text: Buffer): void {
    const ms = performance.now();
    const place = text.indexOf('number-');
    if (place < 0) return;
    const number = Number.parseInt(text.toString('latin1', place + 'number-'.length, place + 20), 10);
    this.received += 1;
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    this.#lastMs[number] = ms;
    this.#times.push({ number, ms });
  }
}

/**
 * Measures posts of one author whose followers have open streams (WebSocket): the time from sending a post to the last
 * stream, one post at a time and at a fixed rate, and the CPU time of a delivery.
 */
export async function benchStreams(): Promise<Row[]> {
  const town = await Town.open(1, STREAMS);
  try {
    await town.followAll();
    await town.target.settled();
    return [await oneByOne(town), await offered(town), await deliveries(town)];
  } finally {
    await town.dispose();
  }
}

const portOf = ({ target }: Town) => Number(new URL(target.urls[0] as string).port);
let posted = 0;
/** Posts with the next number. */
const post = (town: Town) => town.call<Status>(town.post(at(town.authors, 0), `number-${posted++} of the posts`));

async function oneByOne(town: Town): Promise<Row> {
  const readers = new Readers();
  await readers.open(portOf(town), town.followers.slice(0, FEW));
  const times: number[] = [];
  for (let index = 0; index < WARM_UP + ONE_BY_ONE; index++) {
    const [number, startedMs] = [posted, performance.now()];
    await post(town);
    await readers.all(number, number + 1);
    if (index >= WARM_UP) times.push(readers.lastMs(number) - startedMs);
  }
  readers.close();
  times.sort((a, b) => a - b);
  const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(times, 0.99)];
  return {
    name: `post → last of ${FEW} followers' streams, one at a time`,
    p50Ms,
    p99Ms,
    target: `≤ ${P50_MS_MAX} / ${P99_MS_MAX} ms`,
    reached: p50Ms <= P50_MS_MAX && p99Ms <= P99_MS_MAX,
  };
}

async function offered(town: Town): Promise<Row> {
  const readers = new Readers();
  await readers.open(portOf(town), town.followers);
  const [first, startMs] = [posted, performance.now()];
  const count = PER_SECOND * OFFERED_SECONDS;
  const dueMs = (number: number) => startMs + ((number - first) * 1_000) / PER_SECOND;
  const calls: Promise<unknown>[] = [];
  for (let number = first; number < first + count; number++) {
    await sleep(Math.max(0, dueMs(number) - performance.now()));
    calls.push(post(town));
  }
  await Promise.all(calls);
  await readers.all(first, first + count);
  const times = readers.arrivals(first).map(({ number, ms }) => ms - dueMs(number));
  readers.close();
  times.sort((a, b) => a - b);
  const p99Ms = percentile(times, 0.99);
  return {
    name: `${PER_SECOND} posts/s offered to ${STREAMS} streams, each delivery`,
    perSecond: (times.length / count) * PER_SECOND,
    p50Ms: percentile(times, 0.5),
    p99Ms,
    target: `p99 ≤ ${OFFERED_P99_MS_MAX} ms`,
    reached: p99Ms <= OFFERED_P99_MS_MAX,
  };
}

/** Measures the CPU time of a delivery: posts with open streams cost more than posts without. */
async function deliveries(town: Town): Promise<Row> {
  const pid = town.target.pids[0] as number;
  const others = new OtherWork(town.target.pids);
  const round = async (streams: number): Promise<number> => {
    const readers = new Readers();
    await readers.open(portOf(town), town.followers.slice(0, streams));
    await town.target.settled();
    const [first, before] = [posted, cpuSeconds(pid)];
    for (let index = 0; index < ROUND_POSTS; index++) await post(town);
    if (streams > 0) await readers.all(first, posted);
    await town.target.settled();
    const seconds = cpuSeconds(pid) - before;
    readers.close();
    return seconds;
  };
  await round(STREAMS);
  const cpus: number[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    const without = await round(0);
    cpus.push(((await round(STREAMS)) - without) / ((ROUND_POSTS * STREAMS) / 1_000));
  }
  cpus.sort((a, b) => a - b);
  const cpu = percentile(cpus, 0.5);
  return {
    name: `1,000 deliveries to ${STREAMS} streams`,
    cpuSecondsPer1000: cpu,
    cpuSecondsPer1000Between: [cpus[0] ?? cpu, cpus.at(-1) ?? cpu],
    target: `≤ ${CPU_MAX} CPU-s`,
    reached: cpu <= CPU_MAX,
    otherCores: others.cores(),
  };
}
