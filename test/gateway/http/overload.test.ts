import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createAccounts, type Made } from '../../../bench/accounts.js';
import { closedLoop, openLoop, requestText } from '../../../bench/open-loop.js';
import { ServerProcess } from '../../kit/services/server-process.js';

const AUTHORS = 40;
const CLOSED_IN_FLIGHT = 64;
const CLOSED_POSTS = 4_000;
const OPEN_SECONDS = 4;
/** The first second does not count: requests above the bound were admitted before the overload was known. */
const SETTLING_MS = 1_000;
/** Measurements that all count. The median is the server's rate, even if the machine was disturbed in two of them. */
const ROUNDS = 5;
/**
 * Minimum ratio of answers per second of the server's CPU time, compared with the peak; it includes the cost of
 * refusals.
 */
const SHARE_MIN = 0.5;
/** Clock ticks of /proc are hundredths of a second. Source: proc(5), sysconf(_SC_CLK_TCK) on Linux. */
const TICK_MS = 10;
/**
 * Largest time of an answer or a refusal, in answer times at the peak: far less than the four seconds without
 * admission.
 */
const TIMES_MAX = 12;

let server: ServerProcess;
let authors: Made[];
before(async () => {
  server = await ServerProcess.start({ LOG_LEVEL: 'error' });
  authors = await createAccounts(server, AUTHORS);
});
after(() => server.dispose());

let posts = 0;
function post(): string {
  const author = authors[++posts % AUTHORS];
  return requestText('POST', '/api/v1/statuses', author?.token ?? '', { status: `number ${posts}` });
}
const closed = (port: number) => closedLoop(port, CLOSED_IN_FLIGHT, CLOSED_POSTS, post);

/** Sends health checks now and then until stopped; returns the statuses. */
function healthMeanwhile(url: string): { stop(): Promise<number[]> } {
  let going = true;
  const asked = (async () => {
    const statuses: number[] = [];
    while (going) {
      statuses.push((await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(60_000) })).status);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return statuses;
  })();
  return {
    stop() {
      going = false;
      return asked;
    },
  };
}

/** Returns the user and system time of a process so far. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain spaces; field 3 begins behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const median = (numbers: readonly number[]): number | undefined =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

test('a server with twice its maximum load answers as much as before, refuses the rest at once and stays healthy', async (t) => {
  const port = Number(new URL(server.url).port);
  await closed(port);
  const shares: number[] = [];
  const refusalTimes: number[] = [];
  const answerTimes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const beganMs = await cpuMs(server.pid);
    const peak = await closed(port);
    const perCpuMs = CLOSED_POSTS / ((await cpuMs(server.pid)) - beganMs);
    const loadedMs = await cpuMs(server.pid);
    const health = healthMeanwhile(server.url);
    const fromMs = performance.now() + SETTLING_MS;
    const all = await openLoop(port, 2 * peak, OPEN_SECONDS, post);
    const answered = all.filter(({ status }) => status === 200).length;
    const share = answered / ((await cpuMs(server.pid)) - loadedMs) / perCpuMs;
    const outcomes = all.filter(({ sentMs }) => sentMs > fromMs);
    const good = outcomes.filter(({ status }) => status === 200);
    const refused = outcomes.filter(({ status }) => status === 503);
    assert.equal(good.length + refused.length, outcomes.length, 'nothing but 200 and 503');
    assert.ok(refused.every(({ retryAfter }) => retryAfter));
    assert.ok((await health.stop()).every((status) => status === 200));
    const usualMs = (CLOSED_IN_FLIGHT / peak) * 1_000;
    // A round in which the machine has more capacity than during the measurement of the peak refuses nothing.
    const refusalMs = median(refused.map(({ tookMs }) => tookMs)) ?? 0;
    const answerMs = median(good.map(({ tookMs }) => tookMs)) ?? Number.POSITIVE_INFINITY;
    shares.push(share);
    refusalTimes.push(refusalMs / usualMs);
    answerTimes.push(answerMs / usualMs);
    t.diagnostic(
      `${peak.toFixed(0)} a second, ${share.toFixed(2)} of them a CPU second when twice as many were offered`,
    );
    t.diagnostic(
      `answers take ${usualMs.toFixed(0)} ms, then ${answerMs.toFixed(0)} ms, refusals ${refusalMs.toFixed(0)} ms`,
    );
  }
  const [share = 0, times = 0, later = 0] = [median(shares), median(refusalTimes), median(answerTimes)];
  assert.ok(times > 0, 'most rounds refused somebody');
  assert.ok(later < TIMES_MAX, `answers took ${later.toFixed(1)} times what they take at the peak`);
  assert.ok(share > SHARE_MIN, `${share.toFixed(2)} of the peak`);
  assert.ok(times < TIMES_MAX, `refusals took ${times.toFixed(1)} times what answers take at the peak`);
  // No request is refused afterwards.
  await closed(port);
});
