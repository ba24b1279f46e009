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
}

/** One warm-up, then `count` calls, so many at a time. @throws on any answer that is not right */
export async function measure(url: string, pid: number, load: Load): Promise<Row> {
  const pool = new Pool(url, { connections: load.inFlight, pipelining: 1 });
  const times: number[] = [];
  const one = async (index: number) => {
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
    times.length = 0;
    const [cpu, startedMs] = [cpuSeconds(pid), performance.now()];
    await run(warmUp, warmUp + load.count);
    const seconds = (performance.now() - startedMs) / 1_000;
    const cpuSecondsPer1000 = ((cpuSeconds(pid) - cpu) / load.count) * 1_000;
    times.sort((a, b) => a - b);
    const { target } = load;
    return {
      name: `${load.name}, ${load.inFlight} in flight`,
      perSecond: load.count / seconds,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      cpuSecondsPer1000,
      ...(target === undefined ? {} : { target: `≤ ${target} CPU-s`, reached: cpuSecondsPer1000 <= target }),
    };
  } finally {
    await pool.close();
  }
}
