import assert from 'node:assert/strict';
import { Pool } from 'undici';
import { cpuSeconds } from './process-figures.js';
import { percentile, type Row } from './row.js';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
  /** Judges the answer's JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly right: (answer: any) => boolean;
}

export interface Load {
  readonly name: string;
  readonly count: number;
  readonly inFlight: number;
  readonly call: (index: number) => Call;
  /** Server CPU-seconds per 1,000. */
  readonly target?: number;
  /** Measured so often; the row is the round with the median CPU, and tells the least and the most. */
  readonly rounds?: number;
}

/** Ends a load that hangs or crawls. */
const LOAD_MS_MAX = 120_000;
const ANSWER_MS_MAX = 15_000;

/**
 * A warm-up, then rounds of `count` calls, so many at a time. `call` sees each index once.
 * @throws on any answer that is not right, and when it takes too long
 */
export async function measure(url: string, pid: number, load: Load): Promise<Row> {
  const pool = new Pool(url, {
    connections: load.inFlight,
    pipelining: 1,
    headersTimeout: ANSWER_MS_MAX,
    bodyTimeout: ANSWER_MS_MAX,
  });
  let times: number[] = [];
  const deadlineMs = performance.now() + LOAD_MS_MAX;
  const one = async (index: number) => {
    assert.ok(performance.now() < deadlineMs, `${load.name}: not done in ${LOAD_MS_MAX} ms`);
    const { method, path, token, body, right } = load.call(index);
    const startedMs = performance.now();
    const answer = await pool.request({
      method,
      path,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    times.push(performance.now() - startedMs);
    if (answer.statusCode !== 200 || !right(JSON.parse(text))) {
      throw new Error(`${load.name}: ${answer.statusCode} ${text.slice(0, 200)}`);
    }
  };
  const run = async (from: number, to: number) => {
    let next = from;
    const worker = async () => {
      while (next < to) await one(next++);
    };
    await Promise.all(Array.from({ length: load.inFlight }, worker));
  };
  const warmUp = Math.ceil(load.count / 5);
  try {
    await run(0, warmUp);
    const { count, rounds = 1, target } = load;
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      times = [];
      const [cpu, startedMs] = [cpuSeconds(pid), performance.now()];
      const from = warmUp + round * count;
      await run(from, from + count);
      const seconds = (performance.now() - startedMs) / 1_000;
      measured.push({ seconds, cpu: ((cpuSeconds(pid) - cpu) / count) * 1_000, times });
    }
    measured.sort((a, b) => a.cpu - b.cpu);
    const middle = measured[Math.floor(rounds / 2)] as Round;
    const sorted = middle.times.sort((a, b) => a - b);
    const [least, most] = [measured[0]?.cpu ?? 0, measured.at(-1)?.cpu ?? 0];
    return {
      name: `${load.name}, ${load.inFlight} in flight`,
      perSecond: count / middle.seconds,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      cpuSecondsPer1000: middle.cpu,
      ...(rounds > 1 ? { cpuSecondsPer1000Between: [least, most] as const } : {}),
      ...(target === undefined ? {} : { target: `≤ ${target} CPU-s`, reached: middle.cpu <= target }),
    };
  } finally {
    await pool.close();
  }
}

interface Round {
  readonly seconds: number;
  /** CPU-seconds per 1,000. */
  readonly cpu: number;
  readonly times: number[];
}
