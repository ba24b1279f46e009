import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bounds, closedLoop, dueTimes, openLoop, RealTicker, type Ticker } from '../../load/pacing.js';
import type { OpenPace } from '../../load/plan.js';
import { seeded } from '../../load/random.js';

/** A clock that jumps to the next awaited time when nothing else can run. */
class Turned implements Ticker {
  #nowMs = 0;
  readonly #waiting: { readonly ms: number; readonly wake: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  async until(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= this.#nowMs || signal?.aborted) return;
    await new Promise<void>((wake) => {
      // An aborted wait does not advance the clock.
      const stopped = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        wake();
      };
      const woken = () => {
        signal?.removeEventListener('abort', stopped);
        wake();
      };
      const waiting = { ms, wake: woken };
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', stopped, { once: true });
    });
  }

  async runUntil(done: Promise<void>): Promise<void> {
    let over = false;
    void done.finally(() => {
      over = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (over) return;
      const next = this.#waiting.sort((a, b) => a.ms - b.ms).shift();
      assert.ok(next, 'nobody waits, yet it is not over');
      this.#nowMs = Math.max(this.#nowMs, next.ms);
      next.wake();
    }
  }
}

const failing = () => assert.fail('a request could not be sent');
const bounds = (over: Partial<Bounds> = {}): Bounds => ({
  startMs: 0,
  endMs: 10_000,
  requestsMax: 1_000_000,
  signal: new AbortController().signal,
  ...over,
});
const open = (over: Partial<OpenPace> = {}): OpenPace => ({
  kind: 'open',
  perSecond: 100,
  rampMs: 0,
  arrivals: 'even',
  inFlightMax: 1_000,
  ...over,
});

/** Simulates requests of a given duration; records their due times and sending times. */
function server(ticker: Turned, tookMs: (sent: number) => number) {
  const sent: { readonly dueMs: number; readonly sentMs: number }[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const send = async (dueMs: number) => {
    sent.push({ dueMs, sentMs: ticker.nowMs() });
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    await ticker.until(ticker.nowMs() + tookMs(sent.length));
    underWay -= 1;
    return 0;
  };
  return { sent, send, most: () => mostUnderWay };
}

test('a closed loop has a fixed number of requests in flight, and sends the next after an answer', async () => {
  const ticker = new Turned();
  const { sent, send, most } = server(ticker, () => 100);
  await ticker.runUntil(closedLoop({ kind: 'closed', inFlight: 4, rampMs: 0 }, bounds(), ticker, send));
  assert.equal(most(), 4);
  assert.equal(sent.length, 400);
});

test('a closed loop that ramps adds its senders one after the other', async () => {
  const ticker = new Turned();
  const { sent, send } = server(ticker, () => 20_000);
  await ticker.runUntil(closedLoop({ kind: 'closed', inFlight: 5, rampMs: 1_000 }, bounds(), ticker, send));
  assert.deepEqual(
    sent.map(({ sentMs }) => sentMs),
    [0, 200, 400, 600, 800],
  );
});

test('a sender waits when the server asks for it', async () => {
  const ticker = new Turned();
  const pace = { kind: 'closed', inFlight: 1, rampMs: 0 } as const;
  let sent = 0;
  const send = async () => {
    sent += 1;
    return 1_000;
  };
  await ticker.runUntil(closedLoop(pace, bounds(), ticker, send));
  assert.equal(sent, 10);
});

test('both loops end at the number of requests, at the time or when aborted, whichever is first', async () => {
  for (const loop of ['closed', 'open']) {
    const run = async (over: Partial<Bounds>) => {
      const ticker = new Turned();
      const { sent, send } = server(ticker, () => 10);
      const run =
        loop === 'open'
          ? openLoop(open(), bounds(over), ticker, seeded(1), send, () => {})
          : closedLoop({ kind: 'closed', inFlight: 1, rampMs: 0 }, bounds(over), ticker, send);
      await ticker.runUntil(run);
      return sent.length;
    };
    assert.equal(await run({ requestsMax: 7 }), 7);
    assert.equal(await run({ endMs: 1_000 }), 100);
    assert.equal(await run({ signal: AbortSignal.abort() }), 0);
  }
});

test('senders that wait for a turn, or because the server asked, end with the last request and when aborted', async () => {
  const ending = async (over: Partial<Bounds>, stopAtMs?: number) => {
    const ticker = new Turned();
    const stop = new AbortController();
    const { sent, send } = server(ticker, () => 10);
    const pace = { kind: 'closed', inFlight: 10, rampMs: 9_000 } as const;
    if (stopAtMs !== undefined) void ticker.until(stopAtMs).then(() => stop.abort());
    const slow = async (dueMs: number) => (await send(dueMs)) + 5_000;
    await ticker.runUntil(closedLoop(pace, bounds({ ...over, signal: stop.signal }), ticker, slow));
    return [sent.length, ticker.nowMs()];
  };
  assert.deepEqual(await ending({ requestsMax: 2 }), [2, 910]);
  assert.deepEqual(await ending({}, 1_000), [2, 1_000]);
});

test('an open loop of rare requests ends when aborted, not when the next is due', async () => {
  const ticker = new Turned();
  const stop = new AbortController();
  const { sent, send } = server(ticker, () => 10);
  void ticker.until(1_000).then(() => stop.abort());
  const rare = open({ perSecond: 0.2 });
  await ticker.runUntil(openLoop(rare, bounds({ signal: stop.signal }), ticker, seeded(1), send, () => {}));
  assert.deepEqual([sent.length, ticker.nowMs()], [1, 1_000]);
});

test('the generator’s own delay is measured separately from the wait for a free slot', async () => {
  const own: number[] = [];
  const ticker = new Turned();
  const { sent, send } = server(ticker, () => 30);
  const begun = (delayMs: number) => own.push(delayMs);
  await ticker.runUntil(
    openLoop(open({ inFlightMax: 1 }), bounds({ requestsMax: 100 }), ticker, seeded(1), send, failing, begun),
  );
  assert.ok((sent.at(-1)?.sentMs ?? 0) - (sent.at(-1)?.dueMs ?? 0) > 1_000, 'the server holds up');
  assert.ok(own.length === 100 && own.every((delayMs) => delayMs < 1e-6));
  own.length = 0;
  // This clock wakes each wait 7 ms late, like a busy process.
  const late = { nowMs: () => ticker.nowMs(), until: (ms: number) => ticker.until(ms + 7) };
  await ticker.runUntil(
    openLoop(
      open(),
      bounds({ startMs: ticker.nowMs(), endMs: 1e6, requestsMax: 50 }),
      late,
      seeded(1),
      send,
      failing,
      begun,
    ),
  );
  assert.ok(own.length === 50 && own.every((delayMs) => Math.abs(delayMs - 7) < 1e-6));
});

test('busy waiting for the next due time does not count as work of the generator', async () => {
  const ticker = new RealTicker();
  const never = new AbortController().signal;
  const begunMs = ticker.nowMs();
  for (let moment = 1; moment <= 300; moment++) await ticker.until(begunMs + moment, never);
  const passedMs = ticker.nowMs() - begunMs;
  assert.ok(passedMs >= 300);
  assert.ok(ticker.idleMs > 0 && ticker.idleMs <= passedMs, `${ticker.idleMs} of ${passedMs} ms`);
});

test('an open loop sends on time whether answers come or not', async () => {
  const ticker = new Turned();
  const { sent, send, most } = server(ticker, () => 5_000);
  await ticker.runUntil(openLoop(open(), bounds(), ticker, seeded(1), send, failing));
  assert.equal(sent.length, 1_000);
  assert.ok(sent.every(({ dueMs, sentMs }, index) => Math.abs(dueMs - index * 10) < 1e-6 && dueMs === sentMs));
  assert.equal(most(), 500);
});

test('after a stall of the server the waiting requests keep their due times', async () => {
  const ticker = new Turned();
  const { sent, send } = server(ticker, (count) => (count === 100 ? 2_000 : 1));
  await ticker.runUntil(openLoop(open({ inFlightMax: 1 }), bounds(), ticker, seeded(1), send, failing));
  assert.equal(sent.length, 1_000);
  // Number 100 was due at 990 ms and took until 2,990; later requests count their latency from their own due times.
  const waited = sent.map(({ dueMs, sentMs }) => sentMs - dueMs);
  assert.ok(Math.abs((waited[100] ?? 0) - 1_990) < 1e-6);
  assert.ok(waited.filter((ms) => ms > 1_000).length > 100);
  assert.ok(waited.slice(-500).every((ms) => ms < 1e-6));
});

test('requests that could not be sent before the end are reported', async () => {
  const ticker = new Turned();
  const { sent, send } = server(ticker, () => 20_000);
  const unsent: number[] = [];
  const pace = open({ inFlightMax: 10 });
  await ticker.runUntil(openLoop(pace, bounds(), ticker, seeded(1), send, (dueMs) => unsent.push(dueMs)));
  assert.equal(sent.length, 10);
  assert.equal(unsent.length, 990);
});

test('a ramp grows evenly to the whole rate: half as many requests in its time', () => {
  const times: number[] = [];
  for (const ms of dueTimes(open({ perSecond: 1_000, rampMs: 4_000 }), seeded(1))) {
    if (ms >= 6_000) break;
    times.push(ms);
  }
  const between = (from: number, to: number) => times.filter((ms) => ms >= from && ms < to).length;
  assert.ok(Math.abs(between(0, 4_000) - 2_000) <= 1);
  assert.ok(Math.abs(between(0, 1_000) - 125) <= 1);
  assert.ok(Math.abs(between(4_000, 6_000) - 2_000) <= 1);
});

test('poisson arrivals are independent, have the same rate, and are the same for the same seed', () => {
  const times = (seed: number) => {
    const generated = dueTimes(open({ arrivals: 'poisson' }), seeded(seed));
    return Array.from({ length: 10_000 }, () => generated.next().value);
  };
  const [first, again, other] = [times(1), times(1), times(2)];
  assert.deepEqual(first, again);
  assert.notDeepEqual(first, other);
  assert.ok(Math.abs((first.at(-1) ?? 0) / 100_000 - 1) < 0.05);
  const gaps = first.slice(1).map((ms, index) => ms - (first[index] ?? 0));
  const variance = gaps.reduce((sum, gap) => sum + (gap - 10) ** 2, 0) / gaps.length;
  // The standard deviation of independent gaps equals their mean.
  assert.ok(Math.abs(Math.sqrt(variance) - 10) < 0.5);
});
