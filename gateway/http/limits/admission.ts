import type { Clock, Timer } from '../../../actors/domain/time.js';

/**
 * Kinds of requests that are admitted apart: activities of other servers must not delay requests of people. Reads of
 * other servers' files wait for these servers, which says nothing about the load of this one.
 */
export type Work = 'reads' | 'writes' | 'inbox' | 'proxied';
/** Reason for refusing a request before any work is done for it. */
export type Overload = 'in_flight' | 'waiting' | 'event_loop';

/**
 * Requests served at a time on one node. A request takes some 100 KB in the worst case, so this bounds memory and
 * waiting.
 */
export const IN_FLIGHT_MAX = 4_096;
/**
 * Activities of other servers in flight on one node. Each holds its body, mostly some KB; 512 wait for about 0.3 s, and
 * their senders repeat what is refused.
 */
export const INBOX_IN_FLIGHT_MAX = 512;
/** Activities admitted in one turn of the event loop while its turns are long: people's requests go first. */
const INBOX_OF_LATE_TURN_MAX = 8;
/**
 * Writes of people in flight, while these wait too long, from which on activities of other servers are refused. Fewer are
 * no queue: a single sign-in, or a mention that is looked up, takes long by itself.
 */
export const WRITES_BEFORE_INBOX_MAX = 32;
/** Requests of one kind in flight that never count as a queue, so that short stalls are waited out. */
export const UNQUEUED_MAX = 256;
/**
 * Time of the quickest answer of a beat that shows an overload. A stall of a disk never delays all answers, so it does
 * not count as one.
 */
export const WAIT_MS_MAX = 250;
/**
 * While the bound holds, a queue admits no more requests than are answered in this time: a longer wait helps nobody. A
 * request that waits longer than V8 takes to collect young objects twice (80 ms at 4,000 posts a second) also moves its
 * objects to the old generation, where they are expensive to free.
 */
export const QUEUE_MS_MAX = 100;
/**
 * Duration of the bound after the last answers that were too slow, or after the last refusal because of it. Without it,
 * the load that the bound keeps out would come back at once.
 */
const BOUND_MS = 3_000;
/**
 * Longest turn of the event loop in which requests are still admitted. Requests that are ready later wait for the next
 * turn.
 */
export const TURN_MS_MAX = 250;
/**
 * Time after a long turn in which a second long turn counts as a queue. One long turn alone may be a single large job.
 */
const LATE_MEMORY_MS = 2_000;
/** Interval at which the queues are judged: several times within WAIT_MS_MAX. */
const BEAT_MS = 50;
/** Weight of one beat in the mean rate, which then covers about the last second. */
const BEAT_WEIGHT = 0.05;

/** Requests of one kind (reads or writes) that were admitted and are not answered yet. */
class Queue {
  inFlight = 0;
  #leastMs = Number.POSITIVE_INFINITY;
  #done = 0;
  #refused = false;
  #perMs = 0;
  #max = Number.POSITIVE_INFINITY;
  #boundUntilMs = Number.NEGATIVE_INFINITY;

  /** Returns true if one more request would wait too long. */
  refuses(): boolean {
    if (this.inFlight < this.#max) return false;
    this.#refused = true;
    return true;
  }

  /**
   * Ignores the time of a failed request: it says nothing about the wait of the others, because it may not even have
   * entered their queue.
   */
  ended(tookMs: number, isDone: boolean): void {
    this.inFlight--;
    if (!isDone) return;
    this.#done++;
    if (tookMs < this.#leastMs) this.#leastMs = tookMs;
  }

  /** True while the queue admits no more requests than are answered soon. */
  get isBound(): boolean {
    return this.#max !== Number.POSITIVE_INFINITY;
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
 * Decides which requests are admitted, so that an overloaded node keeps answering as many as it can: a queue that waits
 * too long does not grow. Requests wait in two places. Admitted requests that wait for an actor or the store are
 * counted and timed, reads and writes apart. Requests that wait in sockets show as successive long turns of the event
 * loop.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #inFlightMax: number;
  readonly #inNextTurn: (callback: () => void) => void;
  readonly #reads = new Queue();
  readonly #writes = new Queue();
  readonly #inbox = new Queue();
  readonly #proxied = new Queue();
  #beating: Timer | undefined;
  #turnMs = 0;
  #hasBegunInBeat = false;
  /** Requests that began in the present turn. They are counted in the time after a long turn only. */
  #begunInTurn = 0;
  #lateUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, inFlightMax: number, inNextTurn: (callback: () => void) => void = setImmediate) {
    this.#clock = clock;
    this.#inFlightMax = inFlightMax;
    this.#inNextTurn = inNextTurn;
  }

  /** Number of admitted requests without an answer. Requests that are answered synchronously do not count. */
  get inFlight(): number {
    return this.#reads.inFlight + this.#writes.inFlight + this.#inbox.inFlight + this.#proxied.inFlight;
  }

  /** Returns the reason for a refusal, or undefined if the request is admitted. `nowMs` is monotonic. */
  refusal(work: Work, nowMs: number): Overload | undefined {
    if (this.#beating === undefined) this.#beat(nowMs);
    const isInbox = work === 'inbox';
    const { inFlight } = this.#inbox;
    if (isInbox ? inFlight >= INBOX_IN_FLIGHT_MAX : this.inFlight - inFlight >= this.#inFlightMax) return 'in_flight';
    if (this.#queueOf(work).refuses() || (isInbox && this.#peopleWait)) return 'waiting';
    if (nowMs < this.#lateUntilMs) {
      const isLong = nowMs - this.#turnMs > TURN_MS_MAX;
      if (isLong && this.#begunInTurn >= (isInbox ? INBOX_OF_LATE_TURN_MAX : UNQUEUED_MAX)) return 'event_loop';
      this.#countInTurn();
    }
    this.#hasBegunInBeat = true;
    return undefined;
  }

  #countInTurn(): void {
    if (this.#begunInTurn++ > 0) return;
    this.#inNextTurn(() => {
      this.#begunInTurn = 0;
    });
  }

  get #peopleWait(): boolean {
    return this.#writes.isBound && this.#writes.inFlight >= WRITES_BEFORE_INBOX_MAX;
  }

  /** Records that an admitted request has to wait; a call of `ended` must follow. */
  began(work: Work): void {
    this.#queueOf(work).inFlight++;
  }

  /** Records the end of a request. `isDone`: the answer is not an error. */
  ended(work: Work, tookMs: number, isDone: boolean): void {
    this.#queueOf(work).ended(tookMs, isDone);
  }

  #queueOf(work: Work): Queue {
    if (work === 'inbox') return this.#inbox;
    if (work === 'proxied') return this.#proxied;
    return work === 'writes' ? this.#writes : this.#reads;
  }

  /** Stops the periodic judgement. */
  close(): void {
    this.#beating?.cancel();
  }

  /**
   * Starts the next beat. Timers run between two turns, so the time since the last beat is at least the duration of the
   * present turn.
   */
  #beat(nowMs: number): void {
    this.#turnMs = nowMs;
    this.#hasBegunInBeat = false;
    this.#beating = this.#clock.after(BEAT_MS, () => {
      this.#beating = undefined;
      const now = this.#clock.monotonicMs();
      if (now - this.#turnMs > BEAT_MS + TURN_MS_MAX) this.#lateUntilMs = now + LATE_MEMORY_MS;
      this.#reads.judge(now, now - this.#turnMs);
      this.#writes.judge(now, now - this.#turnMs);
      this.#inbox.judge(now, now - this.#turnMs);
      // An idle node has no queue to judge, so no timer wakes it.
      if (this.#hasBegunInBeat || this.inFlight > 0) this.#beat(now);
    });
  }
}
