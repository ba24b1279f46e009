import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { Clock } from '../../domain/time.js';
import { type InTurn, inTurns } from '../../runtime/effects/in-turns.js';
import { type Pace, pacedTurns } from './pace.js';

/** Places that are given in the order of asking. */
export interface Places {
  readonly deliveries: InTurn;
  /** Pages of passes in memory. */
  readonly pages: InTurn;
}

/**
 * Concurrent deliveries of one node to hosts that have answered lately. Each holds a socket, and one core signs 1,500 a
 * second. A host takes a few of them, so one with a long queue delays no other.
 */
export const PROVEN_MAX = 96;
/**
 * Concurrent deliveries to other hosts: new ones, and those that did not answer last time. Somebody may make up any number
 * of hosts that never answer. They wait for each other, and no proven host waits for them.
 */
export const OTHERS_MAX = 32;
/** Time after which a delivery that waits for its answer gives its place to the next one. */
export const SLOW_MS = 1_000;
/** Deliveries without a place that wait for an answer, each with a socket. Later slow ones keep their places. */
const SLOW_PROVEN_MAX = 128;
export const SLOW_OTHERS_MAX = 1_024;
/**
 * Pages for each delivery: the next rows are read before a place is free. A post to thousands of hosts begins as many
 * passes at once, and each would hold a page of some 4 KB until its turn.
 */
const PAGES_PER_DELIVERY = 2;
/** Hosts that have answered lately, some 100 bytes each. */
const PROVEN_HOSTS_MAX = 10_000;

export interface PlacesContext {
  readonly clock: Pick<Clock, 'after'>;
  /** Bounds how fast deliveries begin. Default: at once. */
  readonly pace?: Pace;
  readonly caches?: Caches | undefined;
}

/** Places of one node for deliveries. Hosts that answer wait for none of those that do not. */
export class DeliveryPlaces {
  readonly #proven: Places;
  readonly #others: Places;
  /** Hosts whose latest request was answered. */
  readonly #answered: Cache<true>;

  constructor({ clock, pace, caches }: PlacesContext) {
    const of = (max: number, slowMax: number): Places => {
      const deliveries = untilSlow(inTurns(max), clock, slowMax);
      return {
        deliveries: pace === undefined ? deliveries : pacedTurns(deliveries, pace),
        pages: untilSlow(inTurns(PAGES_PER_DELIVERY * max), clock, slowMax),
      };
    };
    this.#proven = of(PROVEN_MAX, SLOW_PROVEN_MAX);
    this.#others = of(OTHERS_MAX, SLOW_OTHERS_MAX);
    this.#answered = new Cache('answering_hosts', PROVEN_HOSTS_MAX, caches);
  }

  of(host: string): Places {
    return this.#answered.get(host) === true ? this.#proven : this.#others;
  }

  /** Records whether a host has answered a request. */
  record(host: string, hasAnswered: boolean): void {
    if (hasAnswered) this.#answered.set(host, true);
    else this.#answered.delete(host);
  }
}

/** Returns turns in which work that takes longer than SLOW_MS lets the next begin; at most `max` do so at a time. */
function untilSlow(inTurn: InTurn, clock: Pick<Clock, 'after'>, max: number): InTurn {
  let slow = 0;
  return (work) =>
    new Promise((resolve, reject) => {
      const held = () =>
        new Promise<void>((leave) => {
          let isSlow = false;
          const timer = clock.after(SLOW_MS, () => {
            if (slow >= max) return;
            slow += 1;
            isSlow = true;
            leave();
          });
          const end = () => {
            timer.cancel();
            if (isSlow) slow -= 1;
            leave();
          };
          const done = work();
          done.then(resolve, reject);
          done.then(end, end);
        });
      void inTurn(held);
    });
}
