import { Unavailable } from '../actors/domain/problem.js';
import type { Timer } from '../actors/domain/time.js';
import type { StoreMemberRecord } from '../proto/gen/types.js';
import { members } from '../store/tables.js';
import { type ClusterContext, STORE_RETRY_MS } from './context.js';
import { ranOut, type Sighting, sighted, validUntilMs } from './lease.js';
import { OneRead, pause, within } from './patience.js';
import { memberId } from './rendezvous.js';
import { StorePace } from './store-pace.js';
import { Wake } from './wake.js';

/** Addresses of a node. */
export interface Addresses {
  readonly grpcAddress: string;
  readonly baseUrl: string;
}

/** Another live process has this node's name. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';
}

/** Number of renewals, while a join waits for a row to stop changing, after which the row's owner counts as live. */
const ALIVE_BEATS = 3;
/** Number of own incarnations that are remembered, so that a join does not wait for a row that one of them left. */
const OWN_INCARNATIONS_MAX = 16;
/** Attempts to release the lease; without a release others wait until the lease expires. */
const LEAVE_TRIES_MAX = 3;

interface Held {
  readonly incarnation: string;
  row: StoreMemberRecord;
  /** The row after unanswered renewals: the next renewal expects to find it. */
  assumed: StoreMemberRecord | undefined;
  /** Monotonic. */
  validUntilMs: number;
  /** Lower bound, since the last renewal began, of the wall clock's offset from the monotonic clock. */
  offsetMs: number;
  /** True when the lease may have expired by the wall clock: it is renewed before anything else. */
  inDoubt: boolean;
  leaving: boolean;
}

/** Both clocks at one moment. */
interface Reading {
  readonly monotonicMs: number;
  /** Offset of the wall clock from the monotonic clock. */
  readonly offsetMs: number;
}

/** Holds the lease under which this node owns shards: its row in `members`, renewed periodically. */
export class LeaseHolder {
  /** Latency of the store for renewals. */
  readonly pace = new StorePace();
  private held: Held | undefined;
  private reach = Number.POSITIVE_INFINITY;
  private wantedState: 'up' | 'draining' = 'up';
  private aside = false;
  private over = false;
  private expiry: Timer | undefined;
  private readonly own: string[] = [];
  private readonly wake: Wake;
  private readonly reading: OneRead<StoreMemberRecord | undefined>;

  constructor(
    private readonly context: ClusterContext,
    /** Called once per lost lease, as soon as the loss is known. */
    private readonly onLost: (why: string) => void,
  ) {
    this.wake = new Wake(context.clock);
    const { clock, cluster, name } = context;
    this.reading = new OneRead(clock, 'reading our row', () => context.tables.get(members, { cluster, name }));
  }

  /** `name#incarnation` under which the lease is held. */
  get member(): string | undefined {
    return this.held === undefined ? undefined : memberId(this.context.name, this.held.incarnation);
  }

  get state(): 'up' | 'draining' {
    return this.wantedState;
  }

  /**
   * Returns true when this node may act under its lease at this moment. The monotonic clock stands still while a
   * virtual machine is stunned, and the wall clock jumps ahead: the lease has lost that time. But the wall clock may
   * also have been set. Only a renewal distinguishes the two, so until then the lease is in doubt, not lost.
   */
  holds(): boolean {
    const { held } = this;
    if (held === undefined) return false;
    const { monotonicMs, offsetMs } = this.readClocks();
    if (monotonicMs >= held.validUntilMs || held.inDoubt) return false;
    if (offsetMs < held.offsetMs) held.offsetMs = offsetMs;
    if (monotonicMs + offsetMs - held.offsetMs < held.validUntilMs) return true;
    this.doubt(held, offsetMs - held.offsetMs);
    return false;
  }

  /**
   * Upper bound of ids and write timestamps of this process: our row makes the next owner of our shards start above it.
   * No limit before the first lease.
   */
  reachMs(): number {
    return this.reach;
  }

  /**
   * Acquires the lease under a new incarnation; waits until an earlier process of this name has left or its lease has
   * expired.
   * @throws NameTaken that process is live; Unavailable the store does not answer: try again
   */
  async join(addresses: Addresses): Promise<void> {
    const { clock, rules } = this.context;
    let seen: Sighting<StoreMemberRecord> | undefined;
    let beats = 0;
    for (;;) {
      if (this.over) throw new Unavailable('this node has left the cluster');
      const row = await this.readRow();
      if (row !== undefined && row.state !== 'gone' && !this.own.includes(row.incarnation)) {
        const now = sighted(seen, row, clock.monotonicMs());
        if (seen !== undefined && now.sinceMs !== seen.sinceMs) beats += 1;
        if (beats >= ALIVE_BEATS) throw new NameTaken(`a live node has the name ${this.context.name}`);
        seen = now;
        if (!ranOut(rules, seen, clock.monotonicMs())) {
          await pause(clock, Math.min(STORE_RETRY_MS * 2, rules.watchMs));
          continue;
        }
      }
      if (await this.take(row, addresses)) return;
    }
  }

  /** Sets the row's state to `draining`: others give this node no more shards. */
  drain(): void {
    this.wantedState = 'draining';
    this.wake.call();
  }

  /** Makes the row say `draining` while `aside` is true. */
  standAside(aside: boolean): void {
    if (aside === this.aside) return;
    this.aside = aside;
    this.wake.call();
  }

  /** Stops renewing and joining: the lease expires by itself. */
  stop(): void {
    this.over = true;
    if (this.held !== undefined) this.held.leaving = true;
    this.wake.call();
  }

  /** Releases the lease, so that nobody waits for its end; this node joins no more. */
  async leave(): Promise<void> {
    this.stop();
    const held = this.held;
    if (held === undefined) return;
    for (let tries = 0; tries < LEAVE_TRIES_MAX; tries++) {
      try {
        const { applied, current } = await this.inTime(
          this.change(held.row, { ...this.following(held.row), state: 'gone' }),
        );
        if (applied || current === undefined || current.incarnation !== held.incarnation) break;
        held.row = current;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        this.context.log.warn({ err: error }, 'failed to release the lease');
      }
    }
    this.held = undefined;
    this.expiry?.cancel();
  }

  private async take(row: StoreMemberRecord | undefined, addresses: Addresses): Promise<boolean> {
    const { name, random, rules, program } = this.context;
    const incarnation = Buffer.from(random.bytes(8)).toString('hex');
    this.own.push(incarnation);
    if (this.own.length > OWN_INCARNATIONS_MAX) this.own.shift();
    const next: StoreMemberRecord = {
      name,
      incarnation,
      beat: 1,
      ...addresses,
      state: this.stateToSay(),
      // The new row must still cover the times that an earlier process of this name may have used.
      clockMs: Math.max(this.usedMs(), row === undefined ? 0 : row.clockMs + row.leaseMs),
      leaseMs: this.pace.leaseMs(rules.leaseMs),
      format: program.format,
      version: program.version,
    };
    const began = this.readClocks();
    const { applied } = await this.inTime(this.change(row, next));
    if (!applied) return false;
    const held: Held = {
      incarnation,
      row: next,
      assumed: undefined,
      validUntilMs: 0,
      offsetMs: began.offsetMs,
      inDoubt: false,
      leaving: false,
    };
    this.held = held;
    this.extend(held, next, began);
    this.watchExpiry(held);
    void this.keep(held);
    if (this.over) await this.leave();
    return true;
  }

  /** Renews until the lease is released or lost. */
  private async keep(held: Held): Promise<void> {
    const { rules, log } = this.context;
    let restMs = rules.renewMs;
    for (;;) {
      await this.wake.rest(restMs);
      if (this.held !== held || held.leaving) return;
      try {
        restMs = await this.renew(held);
      } catch (error) {
        if (!(error instanceof Unavailable)) log.error({ err: error }, 'failed to renew the lease');
        else log.warn({ err: error }, 'failed to renew the lease');
        restMs = STORE_RETRY_MS;
      }
    }
  }

  /** Renews once; returns the delay until the next renewal. */
  private async renew(held: Held): Promise<number> {
    const { clock, rules } = this.context;
    const began = this.readClocks();
    const expected = held.assumed ?? held.row;
    const usualMs = this.pace.leaseMs(rules.leaseMs);
    // A late answer extends the lease by its own row: a row sent after it must not end before that.
    const leaseMs = held.assumed === undefined ? usualMs : Math.max(usualMs, expected.leaseMs);
    const next = { ...this.following(expected), state: this.stateToSay(), leaseMs };
    this.limit(held, next, began);
    const change = this.change(expected, next);
    // An answer after the timeout still extends the lease.
    const extended = change.then((outcome) => {
      if (outcome.applied && this.held === held && next.beat > held.row.beat) this.extend(held, next, began);
      return outcome;
    });
    held.assumed = next;
    const { applied, current } = await this.inTime(extended);
    if (this.held !== held || held.leaving) return rules.renewMs;
    if (applied) {
      // A renewal that began before the clock jumped proves nothing.
      if (held.inDoubt) return 0;
      return Math.max(0, began.monotonicMs + rules.renewMs - clock.monotonicMs());
    }
    if (current === undefined || current.incarnation !== held.incarnation || current.state === 'gone') {
      this.lose(held, 'another node has fenced it');
      return rules.renewMs;
    }
    // An unanswered renewal has been applied after all, or an assumed one has not.
    held.row = current;
    held.assumed = undefined;
    return 0;
  }

  private readClocks(): Reading {
    const { clock } = this.context;
    const monotonicMs = clock.monotonicMs();
    return { monotonicMs, offsetMs: clock.wallMs() - monotonicMs };
  }

  /**
   * Limits the lease to the end that `next` states, because `next` may be stored from now on, whatever answer arrives.
   */
  private limit(held: Held, next: StoreMemberRecord, began: Reading): void {
    this.reach = Math.min(this.reach, next.clockMs + next.leaseMs);
    const untilMs = validUntilMs(this.context.rules, began.monotonicMs, began.monotonicMs, next.leaseMs);
    if (untilMs >= held.validUntilMs) return;
    held.validUntilMs = untilMs;
    this.watchExpiry(held);
  }

  /** Extends the lease: the store has our row as `row`, and the lease counts from the start of that write. */
  private extend(held: Held, row: StoreMemberRecord, began: Reading): void {
    const { rules } = this.context;
    const { monotonicMs, offsetMs } = this.readClocks();
    held.row = row;
    if (held.assumed !== undefined && held.assumed.beat <= row.beat) held.assumed = undefined;
    this.reach = row.clockMs + row.leaseMs;
    held.validUntilMs = validUntilMs(rules, began.monotonicMs, monotonicMs, row.leaseMs);
    held.offsetMs = Math.min(began.offsetMs, offsetMs);
    held.inDoubt = monotonicMs + offsetMs - held.offsetMs >= held.validUntilMs;
  }

  private doubt(held: Held, jumpMs: number): void {
    if (held.inDoubt || held.leaving) return;
    held.inDoubt = true;
    const jumpedMs = Math.round(jumpMs);
    this.context.log.warn({ jumpedMs }, 'the wall clock jumped ahead: renewing the lease before answering');
    this.wake.call();
  }

  /** Returns the latest time that this process has used, in an id, a write timestamp or elsewhere. */
  private usedMs(): number {
    return Math.max(this.context.clock.nowMs(), this.context.stampedMs());
  }

  private stateToSay(): 'up' | 'draining' {
    return this.aside ? 'draining' : this.wantedState;
  }

  private following(row: StoreMemberRecord): StoreMemberRecord {
    return { ...row, beat: row.beat + 1, clockMs: Math.max(row.clockMs, this.usedMs()) };
  }

  private watchExpiry(held: Held): void {
    const { clock } = this.context;
    this.expiry?.cancel();
    this.expiry = clock.after(Math.max(1, held.validUntilMs - clock.monotonicMs()), () => {
      if (this.held !== held) return;
      if (clock.monotonicMs() < held.validUntilMs) this.watchExpiry(held);
      else this.lose(held, 'it could not be renewed in time');
    });
  }

  private lose(held: Held, why: string): void {
    if (this.held !== held) return;
    this.held = undefined;
    this.expiry?.cancel();
    this.onLost(why);
  }

  /** Reads our row. It may be older than the call: the change that follows is refused when the row differs by then. */
  private async readRow(): Promise<StoreMemberRecord | undefined> {
    return (await this.reading.ask(this.pace.patienceMs)).value;
  }

  private async change(expected: StoreMemberRecord | undefined, next: StoreMemberRecord) {
    const { clock, tables, cluster, name } = this.context;
    const startedMs = clock.monotonicMs();
    const outcome = await tables.compareAndSet(members, { cluster, name }, expected, next);
    this.pace.observed(clock.monotonicMs() - startedMs);
    return outcome;
  }

  /** Waits for a change. @throws Unavailable after the timeout: the store is at least that slow */
  private async inTime<T>(change: Promise<T>): Promise<T> {
    const { clock } = this.context;
    const startedMs = clock.monotonicMs();
    const { patienceMs } = this.pace;
    try {
      return await within(clock, patienceMs, 'renewing our lease', change);
    } catch (error) {
      const waitedMs = clock.monotonicMs() - startedMs;
      if (waitedMs >= patienceMs) this.pace.observed(waitedMs);
      throw error;
    }
  }
}
