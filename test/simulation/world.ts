import type { Clock, Random, Timer } from '../../actors/domain/time.js';
import { ProcessClock } from '../../actors/runtime/placement/process-clock.js';

/** Uniform numbers from a 32-bit seed (mulberry32): the only source of randomness in a simulated run. */
export class SeededRandom implements Random {
  private state: number;
  constructor(seed: number) {
    this.state = seed >>> 0;
  }
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.fraction() * 256));
  }
  /** Returns an integer in [low, high]. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.fraction() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
  /** Returns a separate generator, so that one component's draws do not affect another's. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.fraction() * 4_294_967_296));
  }
}

/** A process in the world: its scheduled work ends with it, and waits while it is paused. */
export class Process {
  alive = true;
  pausedUntil = 0;
  /** World time that its monotonic clock has missed because the machine was stunned. */
  stunnedMs = 0;
  private stunnedUntil = 0;
  constructor(
    readonly name: string,
    /** Offset of its wall clock from the world's. A fault may change it at any time. */
    public skewMs: number,
    /** Speed of its clocks: 1 ± some thousandths. */
    readonly rate: number,
  ) {}

  /** Stops the machine with its monotonic clock and timers, while the wall clock continues. */
  stun(nowMs: number, lengthMs: number): void {
    this.resume(nowMs);
    this.stunnedUntil = nowMs + lengthMs;
    this.pausedUntil = this.stunnedUntil;
    this.stunnedMs += lengthMs;
  }

  /** Ends a pause or a stun now. */
  resume(nowMs: number): void {
    this.stunnedMs -= Math.max(0, this.stunnedUntil - nowMs);
    this.stunnedUntil = 0;
    this.pausedUntil = 0;
  }
}

interface Scheduled {
  at: number;
  order: number;
  readonly process: Process | undefined;
  /** The process's `stunnedMs` when `at` was set; undefined: not a timer of a process. */
  timerSetAt: number | undefined;
  readonly run: () => void;
  cancelled: boolean;
}

/** Start of the world's wall clocks: 2026-01-01. */
const EPOCH_MS = 1_767_225_600_000;
/** Maximum number of turns of the event loop for one event's consequences: each actor message takes one. */
const SETTLE_TURNS_MAX = 10_000;

/** One virtual timeline for all processes: a heap of events that run in order of time, ties in order of scheduling. */
export class World {
  private timeMs = 0;
  /** Time without drift of any clock. */
  private skippedMs = 0;
  private order = 0;
  private readonly heap: Scheduled[] = [];
  eventsRun = 0;

  constructor(private readonly busy: () => boolean) {}

  get now(): number {
    return this.timeMs;
  }

  /** Returns the wall-clock time of an exact clock, in whole milliseconds since 1970. */
  get wallMs(): number {
    return Math.floor(EPOCH_MS + this.timeMs);
  }

  /** Runs `action` after `delayMs` of world time, on behalf of a process (or of none, for the network itself). */
  at(delayMs: number, process: Process | undefined, action: () => void, timerSetAt?: number): Timer {
    const at = this.timeMs + delayMs;
    const entry: Scheduled = { at, order: this.order++, process, timerSetAt, run: action, cancelled: false };
    this.push(entry);
    return {
      cancel: () => {
        entry.cancelled = true;
      },
    };
  }

  /** Returns the process's clock in its production form: it follows the machine's clock and never goes back. */
  clockOf(process: Process): Clock {
    return new ProcessClock({
      wallMs: () => Math.floor(EPOCH_MS + this.skippedMs + process.skewMs + this.livedMs * process.rate),
      monotonicMs: () => (this.timeMs - process.stunnedMs) * process.rate,
      after: (delayMs, callback) => this.at(delayMs / process.rate, process, callback, process.stunnedMs),
    });
  }

  /** Advances time without events: no process may be alive. */
  skip(lengthMs: number): void {
    this.timeMs += lengthMs;
    this.skippedMs += lengthMs;
  }

  private get livedMs(): number {
    return this.timeMs - this.skippedMs;
  }

  /** Resolves after that much world time, for the test's own actions. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(delayMs, undefined, resolve);
    });
  }

  /** Runs events until the promise is settled, for at most `worldMs`. */
  async complete<T>(promise: Promise<T>, worldMs: number): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    await this.run(this.timeMs + worldMs, () => settled);
    if (!settled) throw new Error(`not finished after ${worldMs} ms of world time`);
    return promise;
  }

  /** Runs events until `done` returns true or world time `untilMs` is reached. */
  async run(untilMs: number, done: () => boolean): Promise<void> {
    await this.settle();
    while (!done() && this.timeMs < untilMs) {
      const next = this.pop();
      if (next === undefined) throw new Error('nothing left to happen, yet the story has not ended');
      if (next.cancelled || next.process?.alive === false) continue;
      this.timeMs = Math.max(this.timeMs, next.at);
      const dueMs = dueAgainMs(next, this.timeMs);
      if (dueMs > this.timeMs) {
        this.postpone(next, dueMs);
        continue;
      }
      this.eventsRun += 1;
      next.run();
      await this.settle();
    }
  }

  /** Reuses the entry, so that its timer can still be cancelled. */
  private postpone(entry: Scheduled, at: number): void {
    const { process, timerSetAt } = entry;
    entry.at = at;
    entry.order = this.order++;
    if (timerSetAt !== undefined) entry.timerSetAt = process?.stunnedMs;
    this.push(entry);
  }

  private async settle(): Promise<void> {
    for (let turn = 0; turn < SETTLE_TURNS_MAX; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!this.busy()) return;
    }
    throw new Error('the processes did not become idle');
  }

  private push(entry: Scheduled): void {
    const heap = this.heap;
    heap.push(entry);
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!before(heap[child] as Scheduled, heap[parent] as Scheduled)) break;
      swap(heap, child, parent);
      child = parent;
    }
  }

  private pop(): Scheduled | undefined {
    const heap = this.heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < heap.length && before(heap[child] as Scheduled, heap[least] as Scheduled)) least = child;
      }
      if (least === parent) return first;
      swap(heap, parent, least);
      parent = least;
    }
  }
}

/** Returns the time when the entry may run: its process must not be paused, and a timer excludes the time of a stun. */
function dueAgainMs({ at, process, timerSetAt }: Scheduled, nowMs: number): number {
  if (process === undefined) return nowMs;
  const stunnedMs = timerSetAt === undefined ? 0 : process.stunnedMs - timerSetAt;
  return Math.max(process.pausedUntil, at + stunnedMs, nowMs);
}

function before(a: Scheduled, b: Scheduled): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap(heap: Scheduled[], a: number, b: number): void {
  const held = heap[a] as Scheduled;
  heap[a] = heap[b] as Scheduled;
  heap[b] = held;
}
