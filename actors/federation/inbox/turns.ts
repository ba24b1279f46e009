import { Unavailable } from '../../domain/problem.js';
import type { Clock } from '../../domain/time.js';
import { BesidePeople } from './beside-people.js';

/** Activities that are worked on at a time: enough for 1,500 a second while a journal entry takes 20 ms. */
export const AT_ONCE_MAX = 32;
/** Activities after the latest request of a person that count as beside it: about a quarter of a second. */
const BESIDE_PEOPLE = 256;
/** Activities that wait for their turn, with their bodies: at most 256 MiB if all have the largest size. */
export const WAITING_MAX = 256;
/** Activities of one host that wait for their turn, so that the queue has room for others. */
export const WAITING_OF_HOST_MAX = 64;
/** Activities whose sender's key is being fetched: their turn is free meanwhile. */
export const OUTSIDE_MAX = 256;
/** The same for one host: a host that does not answer holds each of them for some seconds. */
export const OUTSIDE_OF_HOST_MAX = 16;

/** One activity's turn. */
export interface Turn {
  /**
   * Waits for something outside this server, with the turn given back meanwhile. @throws Unavailable when too many
   * activities wait so
   */
  outside<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Lets activities of other servers take turns: a bounded number at a time, round robin over the hosts that send them,
 * so that a busy host delays others by no more than one activity each.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #atOnceMax: number;
  readonly #besidePeople: BesidePeople;
  #busy = 0;
  /** Activities that still count as beside people's requests. */
  #beside = 0;
  #waiting = 0;
  /** Activities that wait, by host. The host whose turn is next comes first. */
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #outside = new Map<string, number>();
  #outsideAll = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, atOnceMax = AT_ONCE_MAX) {
    this.#clock = clock;
    this.#atOnceMax = atOnceMax;
    this.#besidePeople = new BesidePeople(atOnceMax);
  }

  /** Number of activities that wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** True while a further activity of any host would be refused. */
  get isFull(): boolean {
    return this.#waiting >= WAITING_MAX;
  }

  /** Records a request of a person: for a while no more activities are worked on at a time than it can wait for. */
  yieldToPeople(): void {
    this.#beside = BESIDE_PEOPLE;
  }

  get #hasRoom(): boolean {
    return this.#busy < (this.#beside > 0 ? this.#besidePeople.max : this.#atOnceMax);
  }

  /** Runs `work` in turn. @throws Unavailable at once when too many wait */
  async take<T>(host: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    if (this.#hasRoom && this.#waiting === 0) this.#begin();
    else await this.#wait(host, WAITING_OF_HOST_MAX);
    try {
      return await work({ outside: (waited) => this.#step(host, waited) });
    } finally {
      this.#next();
    }
  }

  async #step<T>(host: string, work: () => Promise<T>): Promise<T> {
    const ofHost = this.#outside.get(host) ?? 0;
    if (this.#outsideAll >= OUTSIDE_MAX || ofHost >= OUTSIDE_OF_HOST_MAX)
      throw new Unavailable('too many keys are being fetched');
    this.#outsideAll++;
    this.#outside.set(host, ofHost + 1);
    this.#next();
    try {
      return await work();
    } finally {
      this.#outsideAll--;
      const left = (this.#outside.get(host) ?? 1) - 1;
      if (left === 0) this.#outside.delete(host);
      else this.#outside.set(host, left);
      // An activity that has been admitted is not refused any more.
      if (this.#hasRoom && this.#waiting === 0) this.#begin();
      else await this.#wait(host, Number.POSITIVE_INFINITY);
    }
  }

  #wait(host: string, ofHostMax: number): Promise<void> {
    const queue = this.#queues.get(host) ?? [];
    const isFull = ofHostMax !== Number.POSITIVE_INFINITY && this.#waiting >= WAITING_MAX;
    if (isFull || queue.length >= ofHostMax) throw new Unavailable('too many activities wait');
    this.#queues.set(host, queue);
    this.#waiting++;
    return new Promise((resolve) => void queue.push(resolve));
  }

  #begin(): void {
    this.#busy++;
    if (this.#beside > 0) this.#beside--;
  }

  /**
   * Ends a turn, and lets as many activities begin as there is room for, one of each host, which then goes to the end.
   * They begin behind the requests that have arrived meanwhile.
   */
  #next(): void {
    this.#busy--;
    while (this.#hasRoom) {
      const next = this.#shift();
      if (next === undefined) return;
      this.#begin();
      const fromMs = this.#clock.monotonicMs();
      setImmediate(() => {
        this.#besidePeople.observe(this.#clock.monotonicMs() - fromMs);
        next();
      });
    }
  }

  #shift(): (() => void) | undefined {
    for (const [host, queue] of this.#queues) {
      const first = queue.shift();
      this.#queues.delete(host);
      if (queue.length > 0) this.#queues.set(host, queue);
      this.#waiting--;
      return first;
    }
    return undefined;
  }
}
