import { Unavailable } from '../actors/domain/problem.js';
import type { Timer } from '../actors/domain/time.js';
import type { StoreMemberRecord } from '../proto/gen/types.js';
import { members } from '../store/tables.js';
import { type ClusterContext, STORE_PATIENCE_MS, STORE_RETRY_MS } from './context.js';
import { ranOut, type Sighting, sighted, validUntilMs } from './lease.js';
import { OneRead, pause, within } from './patience.js';
import { memberId } from './rendezvous.js';
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
  validUntilMs: number;
  leaving: boolean;
}

/** This node's row in `members`, renewed for as long as it is held: the lease under which it owns shards. */
export class LeaseHolder {
  private held: Held | undefined;
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

  /** Whether this node may act under its lease at this moment. */
  holds(): boolean {
    return this.held !== undefined && this.context.clock.monotonicMs() < this.held.validUntilMs;
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
      const row = await this.read();
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
        const { applied, current } = await this.set(held.row, { ...this.following(held.row), state: 'gone' });
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
    const { clock, name, random, rules } = this.context;
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
      clockMs: Math.max(clock.nowMs(), row === undefined ? 0 : row.clockMs + rules.leaseMs),
    };
    const startedMs = clock.monotonicMs();
    const { applied } = await this.set(row, next);
    if (!applied) return false;
    const held: Held = {
      incarnation,
      row: next,
      validUntilMs: validUntilMs(rules, startedMs, clock.monotonicMs()),
      leaving: false,
    };
    this.held = held;
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
    const startedMs = clock.monotonicMs();
    const next = { ...this.following(held.row), state: this.stateToSay() };
    const { applied, current } = await this.set(held.row, next);
    if (this.held !== held || held.leaving) return rules.renewMs;
    if (applied) {
      held.row = next;
      held.validUntilMs = Math.max(held.validUntilMs, validUntilMs(rules, startedMs, clock.monotonicMs()));
      return Math.max(0, startedMs + rules.renewMs - clock.monotonicMs());
    }
    if (current === undefined || current.incarnation !== held.incarnation || current.state === 'gone') {
      this.lose(held, 'another node has fenced it');
      return rules.renewMs;
    }
    // An earlier try that was reported failed has happened after all.
    held.row = current;
    return 0;
  }

  private stateToSay(): 'up' | 'draining' {
    return this.aside ? 'draining' : this.wantedState;
  }

  private following(row: StoreMemberRecord): StoreMemberRecord {
    return { ...row, beat: row.beat + 1, clockMs: Math.max(row.clockMs, this.context.clock.nowMs()) };
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
  private async read(): Promise<StoreMemberRecord | undefined> {
    return (await this.reading.ask(STORE_PATIENCE_MS)).value;
  }

  private set(expected: StoreMemberRecord | undefined, next: StoreMemberRecord) {
    const { clock, tables, cluster, name } = this.context;
    const change = tables.compareAndSet(members, { cluster, name }, expected, next);
    return within(clock, STORE_PATIENCE_MS, 'renewing our lease', change);
  }
}
