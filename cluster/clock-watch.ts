import type { Clock, Timer } from '../actors/domain/time.js';
import type { NodeNodeStatus } from '../proto/gen/types.js';
import type { Peers } from '../transport/peer.js';
import type { ClusterLog } from './context.js';
import { within } from './patience.js';

/**
 * Offset from which on a warning is logged. Synchronised clocks differ by some milliseconds; from about here on users
 * notice statuses in a wrong order.
 */
const OFFSET_WARNING_MS = 500;
/** Interval of comparisons; clocks without synchronisation drift by some milliseconds in it. */
const COMPARE_EVERY_MS = 30_000;
/** Interval at which a lasting warning is repeated. */
const WARN_EVERY_MS = 300_000;
/** Timeout of a question; a member that does not answer is left out. */
const ANSWER_MS_MAX = 1_500;
/** Minimum number of other members for a majority: with one other, nobody knows whose clock is wrong. */
const AGREEING_MIN = 2;
/**
 * Maximum difference by which this node's own clocks may diverge during a question; past it the wall clock was set, and
 * the answer is discarded.
 */
const STEP_MS_MAX = 50;

/** Another member to ask, by name and address. */
export interface Asked {
  readonly name: string;
  readonly address: string;
}

/**
 * Bounds of the offset between this node's wall clock and a member's, in milliseconds; positive: this node is ahead.
 */
interface Offset {
  readonly name: string;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The wall clock is too far from those of the members. */
export class ClockOff extends Error {
  override readonly name = 'ClockOff';
}

/**
 * Compares this node's wall clock with the members'. A member reads its clock at an unknown moment between question and
 * answer: the uncertainty of the offset is the duration of the call, and only the certain part counts. Source: NTP (RFC
 * 5905, §8).
 */
export class ClockWatch {
  #medianMs = 0;
  /** The median time of all clocks including this one, and the monotonic time of that reading. */
  #agreed: { readonly wallMs: number; readonly monotonicMs: number } | undefined;
  #warnedMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: ClusterLog,
    private readonly peers: Peers,
  ) {}

  /**
   * Offset of this node's clock from the members' median at the last comparison, positive if ahead; 0 when nobody
   * answered.
   */
  get offsetMs(): number {
    return this.#medianMs;
  }

  /**
   * The median time of all clocks including this one: read at the last comparison and advanced by the monotonic clock,
   * so that a step of this machine's clock does not change it. Undefined: fewer than two others answered.
   */
  get agreedMs(): number | undefined {
    const agreed = this.#agreed;
    return agreed && agreed.wallMs + this.clock.monotonicMs() - agreed.monotonicMs;
  }

  /**
   * Checks the clock before a join. @throws ClockOff when this clock is further than `offsetMsMax` from those of most
   * members that answer
   */
  async checkBeforeJoining(others: readonly Asked[], offsetMsMax: number): Promise<void> {
    const offsets = await this.compare(others);
    const far = offsets.filter((offset) => Math.abs(certain(offset)) > offsetMsMax);
    if (far.length * 2 <= offsets.length) return;
    const seconds = (Math.abs(median(far.map(middle))) / 1_000).toFixed(1);
    const side = median(far.map(middle)) > 0 ? 'ahead of' : 'behind';
    const names = far.map(({ name }) => name).join(', ');
    const word = far.length === 1 ? 'member' : 'members';
    throw new ClockOff(
      `cannot join: the clock of this machine is ${seconds} s ${side} ${word} ${names}; synchronise the clocks with NTP`,
    );
  }

  /** Compares periodically until it is closed, and logs a warning about large offsets. */
  watch(others: () => readonly Asked[]): void {
    const look = async () => {
      const offsets = await this.compare(others());
      if (this.#closed) return;
      this.warn(offsets);
      this.#timer = this.clock.after(COMPARE_EVERY_MS, () => void look());
    };
    void look();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  private async compare(others: readonly Asked[]): Promise<Offset[]> {
    const found = await Promise.all(others.map((other) => this.ask(other)));
    const offsets = found.filter((offset) => offset !== undefined);
    this.#medianMs = offsets.length === 0 ? 0 : median(offsets.map(middle));
    if (offsets.length >= AGREEING_MIN) {
      const { wallMs, monotonicMs } = this.readClocks();
      this.#agreed = { wallMs: wallMs - median([0, ...offsets.map(middle)]), monotonicMs };
    }
    return offsets;
  }

  private async ask({ name, address }: Asked): Promise<Offset | undefined> {
    const asked = this.readClocks();
    let answer: NodeNodeStatus;
    try {
      answer = await within(
        this.clock,
        ANSWER_MS_MAX,
        'asking a member for the time',
        this.peers.peer(address).status(),
      );
    } catch {
      // The member has died, is starting or is unreachable; other components detect that.
      return undefined;
    }
    const answered = this.readClocks();
    const tookMs = answered.monotonicMs - asked.monotonicMs;
    const stepMs = answered.wallMs - asked.wallMs - tookMs;
    if (answer.name !== name || answer.wallMs === 0 || Math.abs(stepMs) > STEP_MS_MAX) return undefined;
    return { name, leastMs: asked.wallMs - answer.wallMs, mostMs: asked.wallMs + tookMs - answer.wallMs };
  }

  private warn(offsets: readonly Offset[]): void {
    const far = offsets.filter((offset) => Math.abs(certain(offset)) > OFFSET_WARNING_MS);
    const nowMs = this.clock.monotonicMs();
    if (far.length === 0) {
      this.#warnedMs = Number.NEGATIVE_INFINITY;
      return;
    }
    if (nowMs - this.#warnedMs < WARN_EVERY_MS) return;
    this.#warnedMs = nowMs;
    const aheadMs = Object.fromEntries(far.map((offset) => [offset.name, Math.round(middle(offset))]));
    this.log.warn(
      { aheadMs },
      'the clock of this machine differs from those of other members: synchronise them with NTP',
    );
  }

  private readClocks() {
    return { monotonicMs: this.clock.monotonicMs(), wallMs: this.clock.wallMs() };
  }
}

/** Returns the certain part of an offset: 0 when the clocks may agree. */
const certain = ({ leastMs, mostMs }: Offset): number => Math.max(leastMs, Math.min(mostMs, 0));
const middle = ({ leastMs, mostMs }: Offset): number => (leastMs + mostMs) / 2;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}
