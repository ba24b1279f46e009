import type { Clock, Timer } from '../../actors/domain/time.js';

/** Why a request is refused before anything is done for it. */
export type Overload = 'in_flight' | 'waiting' | 'event_loop';

/** Requests served at a time on one node: at some 100 KB each in the worst case, this bounds memory and waiting. */
export const IN_FLIGHT_MAX = 4_096;
/** So many of a kind at once are never called a queue: short stalls are waited out. */
export const UNQUEUED_MAX = 256;
/** When even the quickest answer takes longer, more is offered than can be done: no stall of a disk makes all wait. */
export const WAIT_MS_MAX = 250;
/**
 * From then on no more are begun than are answered in this time: waiting longer helps nobody. And what waits for longer
 * than V8 takes to collect young objects twice (80 ms at 4,000 posts a second) becomes old, and dear to get rid of.
 */
export const QUEUE_MS_MAX = 100;
/** How long the bound holds after answers were last that slow, or requests last refused for it: else what it keeps out comes back at once. */
const BOUND_MS = 3_000;
/** Longest turn of the event loop in which requests are still begun; what is ready then waits for the next turn. */
export const TURN_MS_MAX = 250;
/** One long turn may be a single large job; within this time of it a second one is a queue. */
const LATE_MEMORY_MS = 2_000;
/** How often the queues are judged: some times within WAIT_MS_MAX. */
const BEAT_MS = 50;
/** Weight of one beat in the mean rate: that of the last second. */
const BEAT_WEIGHT = 0.05;

/** Requests of one kind that were begun and not answered yet. */
class Queue {
  inFlight = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #done = 0;
  #refused = false;
  #perMs = 0;
  #max = Number.POSITIVE_INFINITY;
  #boundUntilMs = Number.NEGATIVE_INFINITY;

  /** Whether one more would wait too long. */
  refuses(): boolean {
    if (this.inFlight < this.#max) return false;
    this.#refused = true;
    return true;
  }

  /** What was not done says nothing of how long the others wait: it may not even have got into their queue. */
  ended(tookMs: number, isDone: boolean): void {
    this.inFlight--;
    if (!isDone) return;
    this.#done++;
    if (tookMs < this.#leastMs) this.#leastMs = tookMs;
  }

  judge(nowMs: number, beatMs: number): void {
    this.#perMs += (this.#done / beatMs - this.#perMs) * BEAT_WEIGHT;
    if (this.#refused || (this.#done > 0 && this.#leastMs > WAIT_MS_MAX)) this.#boundUntilMs = nowMs + BOUND_MS;
    const bound = nowMs < this.#boundUntilMs;
    this.#max = bound ? Math.max(UNQUEUED_MAX, this.#perMs * QUEUE_MS_MAX) : Number.POSITIVE_INFINITY;
    this.#done = 0;
    this.#refused = false;
    this.#leastMs = Number.POSITIVE_INFINITY;
  }
}

/**
 * Decides which requests are begun, so that a node offered more than it can do goes on answering as many as it can:
 * what waits too long is not added to. Requests wait in two places. Those that were begun and wait for an actor or
 * the store are counted and timed, reads and writes apart. Those that wait in sockets show as turns of the event
 * loop that take long, one after the other.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #inFlightMax: number;
  readonly #reads = new Queue();
  readonly #writes = new Queue();
  #beating: Timer | undefined;
  #turnMs = 0;
  #begunInTurn = 0;
  #lateUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, inFlightMax: number) {
    this.#clock = clock;
    this.#inFlightMax = inFlightMax;
  }

  /** Begun and not answered yet, without those that are answered at once. */
  get inFlight(): number {
    return this.#reads.inFlight + this.#writes.inFlight;
  }

  /** Undefined: the request is taken on. `nowMs` is monotonic. */
  refusal(writes: boolean, nowMs: number): Overload | undefined {
    if (this.#beating === undefined) this.#beat(nowMs);
    if (this.inFlight >= this.#inFlightMax) return 'in_flight';
    const queue = writes ? this.#writes : this.#reads;
    if (queue.refuses()) return 'waiting';
    const late = nowMs - this.#turnMs > TURN_MS_MAX && nowMs < this.#lateUntilMs;
    if (late && this.#begunInTurn >= UNQUEUED_MAX) return 'event_loop';
    this.#begunInTurn++;
    return undefined;
  }

  /** A request that was taken on has to wait; `ended` must follow. */
  began(writes: boolean): void {
    (writes ? this.#writes : this.#reads).inFlight++;
  }

  /** `isDone`: it was answered with what it asked for, not with an error. */
  ended(writes: boolean, tookMs: number, isDone: boolean): void {
    (writes ? this.#writes : this.#reads).ended(tookMs, isDone);
  }

  /** Judges no more. */
  close(): void {
    this.#beating?.cancel();
  }

  /** Timers run between two turns, so the time since the last beat is at least what the present turn has taken. */
  #beat(nowMs: number): void {
    this.#turnMs = nowMs;
    this.#begunInTurn = 0;
    this.#beating = this.#clock.after(BEAT_MS, () => {
      this.#beating = undefined;
      const now = this.#clock.monotonicMs();
      if (now - this.#turnMs > BEAT_MS + TURN_MS_MAX) this.#lateUntilMs = now + LATE_MEMORY_MS;
      this.#reads.judge(now, now - this.#turnMs);
      this.#writes.judge(now, now - this.#turnMs);
      // An idle node has nothing to judge and is not woken for it.
      if (this.#begunInTurn > 0 || this.inFlight > 0) this.#beat(now);
    });
  }
}
