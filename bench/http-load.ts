import assert from 'node:assert/strict';
import { Pool } from 'undici';
import { step } from './beside.js';
import { cpuSeconds, OtherWork } from './process-figures.js';
import { percentile, type Row } from './row.js';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
  /** A request of another server, instead of `token` and `body`; its right answer is 202. */
  readonly signed?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
  /** True: the request of a browser without a cookie, whose answer is a page. */
  readonly isPage?: boolean;
  /** Judges the answer's JSON, or the text of a page. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly right: (answer: any) => boolean;
}

/** The measured servers: their addresses, the processes whose CPU counts, and a check that no effects remain. */
export interface Target {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** Resolves when all effects are done. @throws Error after `timeoutMs` */
  settled(timeoutMs?: number): Promise<void>;
}

export interface Load {
  readonly name: string;
  /** Calls per round. */
  readonly count: number;
  readonly inFlight: number;
  readonly call: (index: number) => Call;
  /** Target in server CPU-seconds per 1,000. */
  readonly target?: number;
  /** Number of rounds; the row is the round with the median CPU time, and states the minimum and maximum. */
  readonly rounds?: number;
  /** Calls before the first round; default a fifth of a round. */
  readonly warmUp?: number;
  /** True when the calls have effects: a round's CPU time then ends when the server has settled. */
  readonly writes?: boolean;
  /** Runs before each round, unmeasured. */
  readonly before?: (round: number) => Promise<void>;
  /** Runs after each round. */
  readonly after?: () => Promise<void>;
}

/** Timeout of a load that hangs. */
const LOAD_MS_MAX = 240_000;
const ANSWER_MS_MAX = 15_000;
/** Pause before a refused request of another server is repeated: on a busy machine the inbox refuses some. */
const REFUSED_PAUSE_MS = 200;
/** Number of answers kept for comparison: some tens of megabytes of pages. */
const JUDGED_MAX = 1_000;

/**
 * Makes the calls `from` to `to`, a bounded number at a time, spread over the addresses; returns the milliseconds of
 * each.
 * @throws on any wrong answer, and on a timeout
 */
export async function drive(
  { urls }: Pick<Target, 'urls'>,
  { name, inFlight, call }: Pick<Load, 'name' | 'inFlight' | 'call'>,
  from: number,
  to: number,
): Promise<number[]> {
  const times: number[] = [];
  /**
   * The last right answer to each request, by node (each node's addresses differ): an identical answer is not parsed
   * again, because the servers share the core.
   */
  const judged = new Map<string, string>();
  const deadlineMs = performance.now() + LOAD_MS_MAX;
  const patience = { pipelining: 1, headersTimeout: ANSWER_MS_MAX, bodyTimeout: ANSWER_MS_MAX };
  const pools = urls.map((url) => new Pool(url, { connections: Math.ceil(inFlight / urls.length), ...patience }));
  const one = async (index: number) => {
    assert.ok(performance.now() < deadlineMs, `${name}: not done in ${LOAD_MS_MAX} ms`);
    const { method, path, token, body, right, signed, isPage = false } = call(index);
    const headers = {
      ...signed?.headers,
      ...(isPage ? { accept: 'text/html' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const startedMs = performance.now();
    const node = index % pools.length;
    const send = async () => {
      const answer = await (pools[node] as Pool).request({
        method,
        path,
        headers,
        ...(signed === undefined ? {} : { body: signed.body }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { statusCode: answer.statusCode, text: await answer.body.text() };
    };
    let answer = await send();
    // Other servers repeat what a busy one refuses.
    while (signed !== undefined && answer.statusCode === 503 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
      answer = await send();
    }
    const { text } = answer;
    times.push(performance.now() - startedMs);
    const asked = `${node} ${method} ${path} ${token}`;
    if (signed !== undefined && answer.statusCode === 202) return;
    if (answer.statusCode === 200 && judged.get(asked) === text) return;
    if (answer.statusCode !== 200 || !right(isPage ? text : JSON.parse(text))) {
      throw new Error(`${name}: ${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
    }
    if (judged.size < JUDGED_MAX) judged.set(asked, text);
  };
  let next = from;
  const worker = async () => {
    while (next < to) await one(next++);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(inFlight, to - from) }, worker));
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
  return times;
}

interface Round {
  readonly seconds: number;
  /** CPU-seconds per 1,000. */
  readonly cpu: number;
  readonly times: number[];
}

/** Runs a warm-up, then rounds of `count` calls. `call` gets each index once. @throws as `drive` does */
export async function measure(target: Target, load: Load): Promise<Row> {
  const [row] = await measureInTurn([{ target, load }]);
  return (row as Measured).row;
}

export interface Measured {
  readonly row: Row;
  /** CPU-seconds per 1,000 calls of each round, in order. */
  readonly cpus: readonly number[];
}

/** Measures several loads with as many rounds each, in turn, so that a slower machine slows all. */
export async function measureInTurn(
  all: readonly { readonly target: Target; readonly load: Load }[],
): Promise<Measured[]> {
  const warmUpOf = ({ count, warmUp = Math.ceil(count / 5) }: Load) => warmUp;
  for (const { target, load } of all)
    await step(async () => {
      if (warmUpOf(load) > 0) await drive(target, load, 0, warmUpOf(load));
      await target.settled();
    });
  const others = new OtherWork(all.flatMap(({ target }) => target.pids));
  const measured = all.map(({ target, load }) => ({ target, load, rounds: [] as Round[] }));
  for (let number = 0; number < Math.max(...all.map(({ load }) => load.rounds ?? 1)); number++) {
    for (const { target, load, rounds } of measured)
      await step(async () => {
        await load.before?.(number);
        rounds.push(await roundOf(target, load, warmUpOf(load) + number * load.count));
        await load.after?.();
      });
  }
  const otherCores = others.cores();
  return measured.map(({ load, rounds }) => ({
    row: { ...rowOf(load, rounds), otherCores },
    cpus: rounds.map(({ cpu }) => cpu),
  }));
}

async function roundOf(target: Target, load: Load, from: number): Promise<Round> {
  const cpu = () => target.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const [cpuBefore, startedMs] = [cpu(), performance.now()];
  const times = await drive(target, load, from, from + load.count);
  const seconds = (performance.now() - startedMs) / 1_000;
  if (load.writes === true) await target.settled();
  return { seconds, cpu: ((cpu() - cpuBefore) / load.count) * 1_000, times };
}

function rowOf(load: Load, rounds: readonly Round[]): Row {
  const byCpu = [...rounds].sort((a, b) => a.cpu - b.cpu);
  const middle = byCpu[Math.floor(byCpu.length / 2)] as Round;
  const sorted = middle.times.sort((a, b) => a - b);
  const [least, most] = [byCpu[0]?.cpu ?? 0, byCpu.at(-1)?.cpu ?? 0];
  return {
    name: `${load.name}, ${load.inFlight} in flight`,
    perSecond: load.count / middle.seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuSecondsPer1000: middle.cpu,
    ...(rounds.length > 1 ? { cpuSecondsPer1000Between: [least, most] as const } : {}),
    cpuSecondsPer1000Rounds: rounds.map(({ cpu }) => cpu),
    ...(load.target === undefined ? {} : { target: `≤ ${load.target} CPU-s`, reached: middle.cpu <= load.target }),
  };
}
