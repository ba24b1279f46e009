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

/** Where a node can be reached. */
export interface Addresses {
  readonly grpcAddress: string;
  readonly baseUrl: string;
}

/** Another process lives under this node's name. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';
}

/** A row that renews this often while we wait for it to stand still belongs to a living process. */
const ALIVE_BEATS = 3;
/** Own incarnations remembered, so that a row left by one need not be waited for. */
const OWN_INCARNATIONS_MAX = 16;
/** Tries to say goodbye; without it others wait until the lease runs out. */
const LEAVE_TRIES_MAX = 3;

interface Held {
  readonly incarnation: string;
  row: StoreMemberRecord;
  /** The row as renewals left it whose answers are outstanding: the next one expects to find it. */
  assumed: StoreMemberRecord | undefined;
  /** Monotonic. */
  validUntilMs: number;
  /** How far the wall clock was ahead of the monotonic one since the last renewal began, at the least. */
  offsetMs: number;
  /** By the wall clock the lease may have run out: it is renewed before anything else. */
  inDoubt: boolean;
  leaving: boolean;
}

/** Both clocks at one moment. */
interface Reading {
  readonly monotonicMs: number;
  /** How far the wall clock was ahead of the monotonic one. */
  readonly offsetMs: number;
}

/** This node's row in `members`, renewed for as long as it is held: the lease under which it owns shards. */
export class LeaseHolder {
  /** How long the store takes for our renewals. */
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
    /** Called once per lost lease, at once when it is known to be lost. */
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
   * Returns true when this node may act under its lease at this moment. The monotonic clock stands still while a virtual machine
   * is stunned, and the wall clock jumps ahead: time that the lease has lost. The wall clock may also have been set.
   * Only a renewal tells the two apart, so the lease is in doubt until then, not lost.
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
   * No id or write timestamp of this process may be above this time: our row lets the next owner of our shards start
   * above it. No limit before the first lease.
   */
  reachMs(): number {
    return this.reach;
  }

  /**
   * Takes the lease under a new incarnation; waits until an earlier process of this name has left or its lease has
   * run out. @throws NameTaken that process lives; Unavailable the store does not answer: try again
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

  /** Makes the row say `draining`: others give this node no more shards. */
  drain(): void {
    this.wantedState = 'draining';
    this.wake.call();
  }

  /** While it is so the row says `draining`, too. */
  standAside(aside: boolean): void {
    if (aside === this.aside) return;
    this.aside = aside;
    this.wake.call();
  }

  /** Renews no more and joins no more: the lease runs out by itself. */
  stop(): void {
    this.over = true;
    if (this.held !== undefined) this.held.leaving = true;
    this.wake.call();
  }

  /** Gives the lease back, so that nobody needs to wait for its end; this node joins no more. */
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
        this.context.log.warn({ err: error }, 'could not give the lease back');
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
      // What an earlier process of this name may have minted under must not be forgotten with its row.
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

  /** Renews until the lease is left or lost. */
  private async keep(held: Held): Promise<void> {
    const { rules, log } = this.context;
    let restMs = rules.renewMs;
    for (;;) {
      await this.wake.rest(restMs);
      if (this.held !== held || held.leaving) return;
      try {
        restMs = await this.renew(held);
      } catch (error) {
        if (!(error instanceof Unavailable)) log.error({ err: error }, 'a renewal failed by a fault');
        else log.warn({ err: error }, 'could not renew the lease');
        restMs = STORE_RETRY_MS;
      }
    }
  }

  /** One try; answers when the next is due. */
  private async renew(held: Held): Promise<number> {
    const { clock, rules } = this.context;
    const began = this.readClocks();
    const expected = held.assumed ?? held.row;
    const usualMs = this.pace.leaseMs(rules.leaseMs);
    // A late answer extends the lease by its own row: no row sent after it may end before that.
    const leaseMs = held.assumed === undefined ? usualMs : Math.max(usualMs, expected.leaseMs);
    const next = { ...this.following(expected), state: this.stateToSay(), leaseMs };
    this.limit(held, next, began);
    const change = this.change(expected, next);
    // An answer that comes after our patience has ended still extends the lease.
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
    // A renewal without an answer has happened after all, or one that was assumed has not.
    held.row = current;
    held.assumed = undefined;
    return 0;
  }

  private readClocks(): Reading {
    const { clock } = this.context;
    const monotonicMs = clock.monotonicMs();
    return { monotonicMs, offsetMs: clock.wallMs() - monotonicMs };
  }

  /** `next` may be in the store from now on, whatever its writer hears: the lease lasts no longer than it says. */
  private limit(held: Held, next: StoreMemberRecord, began: Reading): void {
    this.reach = Math.min(this.reach, next.clockMs + next.leaseMs);
    const untilMs = validUntilMs(this.context.rules, began.monotonicMs, began.monotonicMs, next.leaseMs);
    if (untilMs >= held.validUntilMs) return;
    held.validUntilMs = untilMs;
    this.watchExpiry(held);
  }

  /** The store has our row as `row`: the lease lasts so long from when writing it began. */
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

  /** The latest time that this process has used, in an id, a write timestamp or otherwise. */
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

  /** May be older than the call: what follows from it is a change that is refused when the row is another by then. */
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

  /** @throws Unavailable when our patience has ended: the store is at least that slow */
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
