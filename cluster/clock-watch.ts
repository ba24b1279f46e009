import type { Clock, Timer } from '../actors/domain/time.js';
import type { NodeNodeStatus } from '../proto/gen/types.js';
import type { Peers } from '../transport/peer.js';
import type { ClusterLog } from './context.js';
import { within } from './patience.js';

/** Synchronised clocks differ by some milliseconds; people notice statuses in a wrong order from about here on. */
const OFFSET_WARNING_MS = 500;
/** Clocks that are not synchronised drift by some milliseconds in that time. */
const COMPARE_EVERY_MS = 30_000;
/** While it lasts, a warning is repeated this often. */
const WARN_EVERY_MS = 300_000;
/** A member that does not answer in that time is left out. */
const ANSWER_MS_MAX = 1_500;
/** With one other, nobody knows whose clock is wrong. */
const AGREEING_MIN = 2;
/** Own clocks may part by that much within a question; more is a step, and the answer says nothing. */
const STEP_MS_MAX = 50;

/** Another member to ask, by its name and address. */
export interface Asked {
  readonly name: string;
  readonly address: string;
}

/** How far this node's wall clock is ahead of a member's, negative behind: between these, in milliseconds. */
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
 * Compares this node's wall clock with the members'. A member reads its clock somewhere between question and answer: the
 * offset is known to within the time that the answer took, and only what is certain counts. Source: NTP (RFC 5905, §8).
 */
export class ClockWatch {
  #medianMs = 0;
  /** The time of most clocks, this one's among them, and when that was. */
  #agreed: { readonly wallMs: number; readonly monotonicMs: number } | undefined;
  #warnedMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: ClusterLog,
    private readonly peers: Peers,
  ) {}

  /** How far this node's clock was ahead of the members' median at the last comparison; 0 when nobody answered. */
  get offsetMs(): number {
    return this.#medianMs;
  }

  /**
   * The time that most clocks show, this one's among them: read at the last comparison, and since then counted by the
   * monotonic clock, so that a step of this machine's clock does not move it. Undefined: fewer than two others answered.
   */
  get agreedMs(): number | undefined {
    const agreed = this.#agreed;
    return agreed && agreed.wallMs + this.clock.monotonicMs() - agreed.monotonicMs;
  }

  /** @throws ClockOff when this clock is further than `offsetMsMax` from those of most members that answer */
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

  /** Compares now and then until it is closed, and warns about what it finds. */
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
      answer = await within(this.clock, ANSWER_MS_MAX, 'asking for the time', this.peers.peer(address).status());
    } catch {
      // It has died, is being started, or cannot be reached: whoever needs it notices.
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

/** What of an offset is certain: 0 when the clocks may agree. */
const certain = ({ leastMs, mostMs }: Offset): number => Math.max(leastMs, Math.min(mostMs, 0));
const middle = ({ leastMs, mostMs }: Offset): number => (leastMs + mostMs) / 2;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}
