import type { Clock } from '../actors/domain/time.js';
import { codec } from '../proto/codec.js';
import { type Bus, PULSE_TOPIC } from '../transport/bus.js';

/** Who else is in the cluster, by names that no other incarnation has, and as of when (monotonic) that was seen. */
export interface Company {
  readonly self: string | undefined;
  readonly others: readonly string[];
  readonly seenMs: number;
  /** Of the shard map: rows change hands with their shards. */
  readonly mapVersion: number;
}

/** How long a node believes what another, cut off from it, may have changed. */
export const UNHEARD_MS = 5_000;
/**
 * The same while all others are heard: a change that was missed is a gap in its publisher's numbers, which the next
 * pulse shows. What nobody tells is bounded by it: a write that failed and turns up later.
 */
export const HEARD_MS = 60_000;
/** Five may be lost before silence counts. A pulse goes with what else is published in that turn. */
const PULSE_MS = 1_000;

const pulses = codec('murmuration.node.Pulse');

/**
 * Whether this node hears all others: each says every second that it is there. As long as nobody has been silent for
 * UNHEARD_MS, what is kept in memory may be older than that: whatever changed was heard, or a gap was.
 */
export class Hearing {
  readonly #heardMs = new Map<string, number>();
  #company: (() => Company) | undefined;
  #known: string | undefined;
  /** What was kept before this is not covered: somebody came, went, or was heard for the first time. */
  #sinceMs = 0;
  /** While nothing more is heard. */
  #untilMs = 0;
  /** Since when somebody is silent whom the store shows alive; while it lasts, since the listeners were told last. */
  #silentSinceMs: number | undefined;
  readonly #unheard: (() => void)[] = [];
  #closed = false;

  private constructor(
    private readonly bus: Bus,
    private readonly clock: Pick<Clock, 'monotonicMs' | 'after'>,
  ) {}

  static async open(bus: Bus, clock: Pick<Clock, 'monotonicMs' | 'after'>): Promise<Hearing> {
    const hearing = new Hearing(bus, clock);
    await bus.subscribe(PULSE_TOPIC, (payload) => hearing.#heard(pulses.decode(payload).member));
    return hearing;
  }

  /** From now on the others are known. */
  watch(company: () => Company): void {
    this.#company = company;
    this.#pulse();
  }

  /** The age in milliseconds up to which rows and relations that others write are believed now. */
  ageMaxMs(): number {
    const nowMs = this.clock.monotonicMs();
    if (nowMs >= this.#untilMs) return UNHEARD_MS;
    return Math.min(HEARD_MS, Math.max(UNHEARD_MS, nowMs - this.#sinceMs));
  }

  /** Nobody has been silent for UNHEARD_MS: what anybody changed was heard here, or a gap was. */
  hearsAll(): boolean {
    return this.clock.monotonicMs() < this.#untilMs;
  }

  /**
   * Called every UNHEARD_MS while somebody who is there is not heard, once that has lasted as long: a node that died is out
   * of the company by then. What is kept without an age, in step with news, is to be read again.
   */
  onUnheard(listener: () => void): void {
    this.#unheard.push(listener);
  }

  close(): void {
    this.#closed = true;
  }

  #pulse(): void {
    if (this.#closed) return;
    const self = this.#company?.().self;
    if (self !== undefined) this.bus.publish(PULSE_TOPIC, pulses.encode({ member: self }));
    this.#look();
    this.#tellOfSilence();
    this.clock.after(PULSE_MS, () => this.#pulse());
  }

  #tellOfSilence(): void {
    const { others = [], seenMs = Number.NEGATIVE_INFINITY } = this.#company?.() ?? {};
    const nowMs = this.clock.monotonicMs();
    const latestMs = nowMs - UNHEARD_MS;
    const isSilent = others.some((member) => (this.#heardMs.get(member) ?? Number.NEGATIVE_INFINITY) <= latestMs);
    // Without the store nothing can be read again.
    if (!isSilent || seenMs <= latestMs) this.#silentSinceMs = undefined;
    else if (this.#silentSinceMs === undefined) this.#silentSinceMs = nowMs;
    else if (this.#silentSinceMs <= latestMs) {
      this.#silentSinceMs = nowMs;
      for (const listener of this.#unheard) listener();
    }
  }

  #heard(member: string): void {
    const nowMs = this.clock.monotonicMs();
    // What it published before may have been lost without a gap.
    if (!this.#heardMs.has(member)) this.#sinceMs = nowMs;
    this.#heardMs.set(member, nowMs);
    this.#look();
  }

  #look(): void {
    if (this.#company === undefined) return;
    const { others, seenMs, mapVersion } = this.#company();
    const known = [mapVersion, ...others].join(' ');
    if (known !== this.#known) {
      this.#known = known;
      this.#sinceMs = this.clock.monotonicMs();
      for (const member of this.#heardMs.keys()) if (!others.includes(member)) this.#heardMs.delete(member);
    }
    let oldestMs = seenMs;
    for (const member of others) oldestMs = Math.min(oldestMs, this.#heardMs.get(member) ?? Number.NEGATIVE_INFINITY);
    this.#untilMs = oldestMs + UNHEARD_MS;
  }
}
