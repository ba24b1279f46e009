import type { Clock } from '../actors/domain/time.js';
import { codec } from '../proto/codec.js';
import { type Bus, PULSE_TOPIC } from '../transport/bus.js';

/** The other members by incarnation, and the monotonic time of that view. */
export interface Peers {
  readonly self: string | undefined;
  readonly others: readonly string[];
  readonly seenMs: number;
  /** Version of the shard map: rows change owners with their shards. */
  readonly mapVersion: number;
}

/**
 * Time without a node's messages after which it is unresponsive, and the maximum age in milliseconds of cached data that
 * such a node may have changed. The invalidation barrier waits for half a second more. So when a change is answered
 * although a node did not confirm, that node has noticed that it receives nothing, and reads the change from the store.
 */
export const UNRESPONSIVE_MS = 1_500;
/** Time without a node's messages after which it is unreachable, and the same for the store's view of the members. */
export const UNHEARD_MS = 5_000;
/**
 * Maximum age while no node is unresponsive: a lost message is a gap in its publisher's numbers, which the next pulse
 * shows. It bounds the staleness after a change that is never published: a failed write that surfaces later.
 */
export const HEARD_MS = 60_000;
/**
 * Interval of pulses: two may be late or lost before a node counts as unresponsive. A pulse is packed with the other
 * publications of its turn.
 */
const PULSE_MS = 500;

const pulses = codec('murmuration.node.Pulse');

/**
 * Detects whether the messages of all other nodes arrive: each publishes a pulse every half second. While no node is
 * unresponsive, cached data may be older than UNRESPONSIVE_MS: every change was received, or a gap was.
 */
export class PeerLiveness {
  readonly #receivedMs = new Map<string, number>();
  #members: (() => Peers) | undefined;
  #known: string | undefined;
  /** Cached data from before this time is not covered: a member joined, left, or was received for the first time. */
  #sinceMs = 0;
  /** Monotonic time of the oldest last message of another node. */
  #oldestMs = Number.NEGATIVE_INFINITY;
  /** Monotonic time of the view of the members. */
  #seenMs = Number.NEGATIVE_INFINITY;
  /** Time since which a node sends nothing that is live according to the store; then the time of the last notification. */
  #silentSinceMs: number | undefined;
  readonly #unheard: (() => void)[] = [];
  #closed = false;

  private constructor(
    private readonly bus: Bus,
    private readonly clock: Pick<Clock, 'monotonicMs' | 'after'>,
    private readonly idClock: Pick<Clock, 'nowMs'>,
  ) {}

  static async open(
    bus: Bus,
    clock: Pick<Clock, 'monotonicMs' | 'after'>,
    idClock: Pick<Clock, 'nowMs'>,
  ): Promise<PeerLiveness> {
    const hearing = new PeerLiveness(bus, clock, idClock);
    await bus.subscribe(PULSE_TOPIC, (payload) => hearing.#onPulse(pulses.decode(payload).member));
    return hearing;
  }

  /** Gives the detector its view of the members. */
  watch(company: () => Peers): void {
    this.#members = company;
    this.#pulse();
  }

  /** Returns the maximum age in milliseconds of cached rows and relations of other nodes. */
  ageMaxMs(): number {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#oldestMs >= UNRESPONSIVE_MS || nowMs - this.#seenMs >= UNHEARD_MS) return UNRESPONSIVE_MS;
    return Math.min(HEARD_MS, Math.max(UNRESPONSIVE_MS, nowMs - this.#sinceMs));
  }

  /** True when every node has sent something within UNHEARD_MS: every change by another node was received, or a gap was. */
  hearsAll(): boolean {
    return this.clock.monotonicMs() - Math.min(this.#oldestMs, this.#seenMs) < UNHEARD_MS;
  }

  /**
   * Calls the listener every UNHEARD_MS while a live node's messages do not arrive, after the first such period: a dead
   * node has left the membership by then. The listener must invalidate caches that have no maximum age.
   */
  onUnheard(listener: () => void): void {
    this.#unheard.push(listener);
  }

  close(): void {
    this.#closed = true;
  }

  #pulse(): void {
    if (this.#closed) return;
    const self = this.#members?.().self;
    if (self !== undefined) this.bus.publish(PULSE_TOPIC, pulses.encode({ member: self, idMs: this.idClock.nowMs() }));
    this.#look();
    this.#tellOfSilence();
    this.clock.after(PULSE_MS, () => this.#pulse());
  }

  #tellOfSilence(): void {
    const nowMs = this.clock.monotonicMs();
    const latestMs = nowMs - UNHEARD_MS;
    // While the store is unavailable nothing can be read again.
    if (this.#oldestMs > latestMs || this.#seenMs <= latestMs) this.#silentSinceMs = undefined;
    else if (this.#silentSinceMs === undefined) this.#silentSinceMs = nowMs;
    else if (this.#silentSinceMs <= latestMs) {
      this.#silentSinceMs = nowMs;
      for (const listener of this.#unheard) listener();
    }
  }

  #onPulse(member: string): void {
    const nowMs = this.clock.monotonicMs();
    // Its earlier publications may have been lost without a gap.
    if (!this.#receivedMs.has(member)) this.#sinceMs = nowMs;
    this.#receivedMs.set(member, nowMs);
    this.#look();
  }

  #look(): void {
    if (this.#members === undefined) return;
    const { others, seenMs, mapVersion } = this.#members();
    const known = [mapVersion, ...others].join(' ');
    if (known !== this.#known) {
      this.#known = known;
      this.#sinceMs = this.clock.monotonicMs();
      for (const member of this.#receivedMs.keys()) if (!others.includes(member)) this.#receivedMs.delete(member);
    }
    this.#seenMs = seenMs;
    this.#oldestMs = Number.POSITIVE_INFINITY;
    for (const member of others)
      this.#oldestMs = Math.min(this.#oldestMs, this.#receivedMs.get(member) ?? Number.NEGATIVE_INFINITY);
  }
}
