import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../../actors/domain/time.js';
import {
  Admission,
  IN_FLIGHT_MAX,
  INBOX_IN_FLIGHT_MAX,
  QUEUE_MS_MAX,
  TURN_MS_MAX,
  UNQUEUED_MAX,
  WAIT_MS_MAX,
  type Work,
} from '../../../../gateway/http/limits/admission.js';

/** Timers fire on command, as late as a busy event loop would fire them. */
class TurnClock implements Clock {
  #now = 0;
  #due: { atMs: number; callback: () => void } | undefined;
  readonly #nextTurn: (() => void)[] = [];

  nowMs(): number {
    return this.#now;
  }

  wallMs(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void) {
    this.#due = { atMs: this.#now + delayMs, callback };
    return {
      cancel: () => {
        this.#due = undefined;
      },
    };
  }

  get armed(): boolean {
    return this.#due !== undefined;
  }

  readonly inNextTurn = (callback: () => void): void => void this.#nextTurn.push(callback);

  /** Lets time pass within a turn. */
  work(ms: number): void {
    this.#now += ms;
  }

  /** Lets time pass, ends the turn and fires the due timers. */
  turn(ms: number): void {
    this.work(ms);
    for (const callback of this.#nextTurn.splice(0)) callback();
    if (this.#due === undefined || this.#due.atMs > this.#now) return;
    const { callback } = this.#due;
    this.#due = undefined;
    callback();
  }
}

function world(inFlightMax = IN_FLIGHT_MAX) {
  const clock = new TurnClock();
  const admission = new Admission(clock, inFlightMax, clock.inNextTurn);
  const begun: { work: Work; atMs: number }[] = [];
  return {
    clock,
    admission,
    /** Sends that many requests; returns the reasons of the refused ones. */
    ask(count: number, work: Work = 'writes'): (string | undefined)[] {
      const refusals: (string | undefined)[] = [];
      for (let index = 0; index < count; index++) {
        const refusal = admission.refusal(work, clock.monotonicMs());
        if (refusal !== undefined) refusals.push(refusal);
        else {
          admission.began(work);
          begun.push({ work, atMs: clock.monotonicMs() });
        }
      }
      return refusals;
    },
    /** Answers the oldest requests. */
    answer(count: number): void {
      for (const { work, atMs } of begun.splice(0, count)) admission.ended(work, clock.monotonicMs() - atMs, true);
    },
    /** Answers the newest requests with an error. */
    fail(count: number): void {
      for (const { work, atMs } of begun.splice(-count)) admission.ended(work, clock.monotonicMs() - atMs, false);
    },
  };
}

/** Requests that may be in flight at that rate of answers per millisecond. */
const bound = (perMs: number) => Math.max(UNQUEUED_MAX, perMs * QUEUE_MS_MAX * 1.1);

test('a load of twice the rate of answers is refused so far that the rest is answered soon', () => {
  const { clock, admission, ask, answer } = world();
  let refused = 0;
  for (let ms = 0; ms < 20_000; ms += 10) {
    refused += ask(40).length;
    answer(20);
    clock.turn(10);
  }
  // The server answers 2 a millisecond; the overshoot before it notices is gone by then.
  assert.ok(admission.inFlight <= bound(2), `${admission.inFlight} in flight`);
  assert.ok(refused > 30_000 && refused < 40_000, `${refused} refused`);
  // The load decreases, so the bound ends.
  for (let ms = 0; ms < 5_000; ms += 10) {
    ask(10);
    answer(20);
    clock.turn(10);
  }
  assert.equal(admission.inFlight, 0);
  assert.deepEqual(ask(1_000), []);
});

test('the queue does not grow beyond its bound again during an overload', () => {
  const { clock, admission, ask, answer } = world();
  let most = 0;
  for (let ms = 0; ms < 30_000; ms += 10) {
    ask(40);
    answer(20);
    clock.turn(10);
    if (ms > 3_000) most = Math.max(most, admission.inFlight);
  }
  assert.ok(most <= bound(2), `${most} in flight`);
});

test('quick errors neither hide that other requests wait, nor count as answers', () => {
  const { clock, admission, ask, answer, fail } = world();
  for (let ms = 0; ms < 10_000; ms += 10) {
    ask(40);
    answer(20);
    // These requests belong to no queue: they are answered before they enter one.
    const others = 30 - ask(30).length;
    if (others > 0) fail(others);
    clock.turn(10);
  }
  assert.ok(admission.inFlight <= bound(2), `${admission.inFlight} in flight`);
});

test('an ordinary load waits out a stall of any length', () => {
  const { clock, ask, answer } = world();
  for (let ms = 0; ms < 2_000; ms += 10) {
    ask(5);
    answer(5);
    clock.turn(10);
  }
  assert.deepEqual(ask(UNQUEUED_MAX), []);
  for (let ms = 0; ms < 10_000; ms += 10) clock.turn(10);
  answer(UNQUEUED_MAX);
  clock.turn(60);
  assert.deepEqual(ask(UNQUEUED_MAX), []);
});

test('waiting writes cause no refusals of reads', () => {
  const { clock, ask, answer } = world();
  for (let ms = 0; ms < 3_000; ms += 10) {
    ask(40);
    answer(10);
    clock.turn(10);
  }
  assert.deepEqual(new Set(ask(100)), new Set(['waiting']));
  assert.deepEqual(ask(100, 'reads'), []);
});

test('one long turn of the event loop causes no refusal, a second one refuses the requests that it delays', () => {
  const { clock, admission, ask } = world();
  const served = (count: number) => ask(count, 'reads');
  served(1);
  clock.work(2 * TURN_MS_MAX);
  assert.deepEqual(served(1_000), []);
  clock.turn(0);
  assert.deepEqual(served(1_000), [], 'the turn has just begun');
  clock.work(TURN_MS_MAX + 1);
  assert.deepEqual(served(2), ['event_loop', 'event_loop']);
  clock.turn(100);
  assert.deepEqual(served(1), [], 'the next turn begins afresh');
  clock.work(TURN_MS_MAX + 1);
  assert.deepEqual(served(UNQUEUED_MAX - 1), [], 'some are always begun');
  admission.close();
});

test('requests that began in earlier turns do not count against a long one', () => {
  const { clock, admission, ask } = world();
  ask(1, 'inbox');
  clock.turn(2 * TURN_MS_MAX);
  for (let turn = 0; turn < 3; turn++) {
    assert.deepEqual(ask(8, 'inbox'), []);
    clock.turn(10);
  }
  clock.work(TURN_MS_MAX);
  assert.deepEqual(ask(9, 'inbox'), ['event_loop']);
  admission.close();
});

test('the bound on requests in flight holds regardless of times', () => {
  const { ask, answer } = world(3);
  assert.deepEqual(ask(5), ['in_flight', 'in_flight']);
  answer(1);
  assert.deepEqual(ask(2), ['in_flight']);
});

test('an idle server sets no timers', () => {
  const { clock, ask, answer } = world();
  ask(3);
  answer(3);
  clock.turn(50);
  clock.turn(50);
  assert.equal(clock.armed, false);
});

test('activities of other servers have a bound of their own, and leave room for requests of people', () => {
  const { ask } = world(3);
  assert.deepEqual(ask(INBOX_IN_FLIGHT_MAX, 'inbox'), []);
  assert.deepEqual(ask(1, 'inbox'), ['in_flight']);
  assert.deepEqual(ask(2), []);
  assert.deepEqual(ask(1, 'reads'), []);
  assert.deepEqual(ask(1), ['in_flight']);
});

test('activities of other servers are refused first when requests of people wait', () => {
  const { clock, ask, answer } = world();
  for (let ms = 0; ms < 2_000; ms += 10) {
    ask(40);
    answer(20);
    clock.turn(10);
  }
  assert.deepEqual(ask(1, 'inbox'), ['waiting']);
  assert.deepEqual(ask(1, 'reads'), []);
});

test('one slow write of a person, as a sign-in or a mention that is looked up, refuses no activity', () => {
  const { clock, ask, answer } = world();
  ask(1);
  clock.turn(2 * WAIT_MS_MAX);
  answer(1);
  clock.turn(50);
  assert.deepEqual(ask(4, 'inbox'), []);
});

test('activities that wait long do not bound the requests of people', () => {
  const { clock, ask, answer } = world();
  for (let ms = 0; ms < 5_000; ms += 10) {
    ask(4, 'inbox');
    if (ms >= 1_000) answer(2);
    clock.turn(10);
  }
  assert.deepEqual(ask(UNQUEUED_MAX * 2), []);
  assert.deepEqual(ask(UNQUEUED_MAX * 2, 'reads'), []);
});
