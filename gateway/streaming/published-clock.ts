import type { Clock } from '../../actors/domain/time.js';

/** Age after which an id has been published, is late, or is found by a catch-up, as events that the bus lost are. */
const PUBLISHED_MS = 30_000;
/** Smallest interval of two readings. */
const READ_EVERY_MS = 1_000;

/** Clock of ids, with the time of ids up to which everything is published. */
export interface StreamClock extends Pick<Clock, 'nowMs' | 'monotonicMs'> {
  /** Time (ms) up to which every id has been published, is late, or is found by a catch-up; 0 while it is unknown. */
  publishedMs(): number;
}

/**
 * Remembers the time that the clock of ids showed half a minute ago. That clock jumps when it follows a step of the wall
 * clock or the ids of a dead owner. Right after a jump, ids of half a minute before its time are still to be published.
 */
export class PublishedClock implements StreamClock {
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Readings of the last half minute, oldest first. */
  readonly #readings: { readonly idsMs: number; readonly monotonicMs: number }[] = [];
  #publishedMs = 0;
  /** Times up to which everything was published when events that wait were received, oldest first. */
  readonly #waitingMs: number[] = [];

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Call it when an event is received: publishedMs() rises no further until the event is passed on. */
  received(): void {
    this.#waitingMs.push(this.#read());
  }

  /** Call it when an event is passed on to its viewers, in the order of receipt. */
  passedOn(): void {
    this.#waitingMs.shift();
  }

  publishedMs(): number {
    return this.#waitingMs[0] ?? this.#read();
  }

  #read(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const last = this.#readings.at(-1);
    if (last === undefined || monotonicMs - last.monotonicMs >= READ_EVERY_MS)
      this.#readings.push({ idsMs: this.#clock.nowMs(), monotonicMs });
    for (let [first] = this.#readings; first !== undefined; [first] = this.#readings) {
      if (monotonicMs - first.monotonicMs < PUBLISHED_MS) break;
      this.#publishedMs = first.idsMs;
      this.#readings.shift();
    }
    return this.#publishedMs;
  }
}
