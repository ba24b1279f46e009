import type { StoreMemberRecord } from '../proto/gen/types.js';
import { members } from '../store/tables.js';
import type { Role, Roles } from './balance.js';
import type { ClusterContext } from './context.js';
import { isSilent, ranOut, type Sighting, sighted, watchMsOf } from './lease.js';
import { OneRead, within } from './patience.js';
import { memberId } from './rendezvous.js';
import type { StorePace } from './store-pace.js';

/**
 * Maximum number of members, including those that left recently: their rows share a partition, in which LWTs run one by
 * one.
 */
export const MEMBERS_MAX = 256;
/** Time for which the row of a node that left and owns nothing is kept, for operators. */
const GONE_KEPT_MS = 600_000;

/**
 * Maximum time between two reads that counts as observing an unchanged row: while this node could not read the store,
 * the others could not renew either. They get the rest of their leases to return, so that no node takes all shards.
 */
const WATCHED_MS_MAX = 2_000;

/** The members as this node has seen them, and the time since which each row is unchanged. */
export class MembersView {
  private sightings = new Map<string, Sighting<StoreMemberRecord>>();
  /** Monotonic time of the last read of the members. */
  seenMs = Number.NEGATIVE_INFINITY;
  /** False when some members may not have been read: then an unknown member must not count as dead. */
  complete = true;

  /** Members that this node has seen renew: a row alone may have been left by a node that died. */
  private readonly renewing = new Set<string>();
  /** Monotonic time of the answer to the last read. */
  private readMs = Number.NEGATIVE_INFINITY;
  private readonly reading: OneRead<{ readonly key: { readonly name: string }; readonly value: StoreMemberRecord }[]>;

  constructor(
    private readonly context: ClusterContext,
    private readonly pace: Pick<StorePace, 'patienceMs'>,
  ) {
    const { clock, cluster } = context;
    this.reading = new OneRead(clock, 'reading the members', () =>
      context.tables.range(members, { cluster }, { limit: MEMBERS_MAX }),
    );
  }

  /**
   * Reads the members.
   * @param sinceMs the read must begin at this monotonic time or later, although an earlier read is still under way
   * @throws Unavailable
   */
  async read(sinceMs = Number.NEGATIVE_INFINITY): Promise<void> {
    const { patienceMs } = this.pace;
    let read = await this.reading.ask(patienceMs);
    if (read.asOfMs < sinceMs) read = await this.reading.ask(patienceMs);
    const { value: rows, asOfMs } = read;
    const answeredMs = this.context.clock.monotonicMs();
    this.complete = rows.length < MEMBERS_MAX;
    this.seenMs = Math.max(asOfMs, answeredMs - patienceMs);
    const unwatchedMs = Math.max(0, answeredMs - this.readMs - WATCHED_MS_MAX);
    this.readMs = answeredMs;
    this.sightings = new Map(
      rows.map(({ key, value }) => {
        const before = this.sightings.get(key.name);
        const isRenewal = before?.row.incarnation === value.incarnation && before.row.beat !== value.beat;
        if (isRenewal && value.state !== 'gone') this.renewing.add(memberId(key.name, value.incarnation));
        const watched = before && { row: before.row, sinceMs: before.sinceMs + unwatchedMs };
        return [key.name, sighted(watched, value, answeredMs)];
      }),
    );
  }

  rows(): StoreMemberRecord[] {
    return [...this.sightings.values()].map((sighting) => sighting.row);
  }

  /** Returns the ids of the other members that have neither left nor been fenced. */
  otherIds(): string[] {
    const present = this.others().filter(({ row }) => row.state !== 'gone');
    return present.map(({ row }) => memberId(row.name, row.incarnation)).sort();
  }

  /** Returns the roles of the live members; the caller gives this node's own role, which is newer than its row. */
  roles(self: string, own: Role): Roles {
    const roles = new Map<string, Role>();
    const nowMs = this.context.clock.monotonicMs();
    for (const sighting of this.sightings.values()) {
      const { name, incarnation, state } = sighting.row;
      if (state === 'gone' || name === this.context.name) continue;
      const role = state === 'draining' ? 'gives' : isSilent(sighting, nowMs) ? 'keeps' : 'takes';
      roles.set(memberId(name, incarnation), role);
    }
    return roles.set(self, own);
  }

  /** True when this node has seen the member renew its lease, and the lease has not expired since. */
  isAlive(member: string): boolean {
    return this.renewing.has(member) && this.otherIds().includes(member);
  }

  addressOf(member: string): string | undefined {
    return this.rows().find((row) => memberId(row.name, row.incarnation) === member)?.grpcAddress;
  }

  /** Returns the highest wall clock that a dead member of that name may have used in ids; 0 when its row is gone. */
  reachedMs(name: string): number {
    const row = this.sightings.get(name)?.row;
    return row === undefined ? 0 : row.clockMs + row.leaseMs;
  }

  /** Returns the newest format that all live members, including this node, knew at the last read. */
  commonFormat(): number {
    return this.common(this.rows());
  }

  /** Returns the same from rows that are read after the call. @throws Unavailable */
  async readCommonFormat(): Promise<number> {
    const { clock, tables, cluster } = this.context;
    const reading = tables.range(members, { cluster }, { limit: MEMBERS_MAX });
    const rows = await within(clock, this.pace.patienceMs, 'reading the formats of the members', reading);
    // Members that were not read may know less.
    return rows.length < MEMBERS_MAX ? this.common(rows.map(({ value }) => value)) : 0;
  }

  /** Milliseconds until the next member's lease may expire if its row does not change. */
  nextExpiryMs(): number {
    const nowMs = this.context.clock.monotonicMs();
    const waits = this.others()
      .filter((sighting) => sighting.row.state !== 'gone')
      .map((sighting) => sighting.sinceMs + watchMsOf(this.context.rules, sighting.row) - nowMs);
    return Math.max(0, Math.min(...waits, Number.POSITIVE_INFINITY));
  }

  /** Marks members whose leases expired as gone; returns their number. The store then refuses their renewals. */
  async fence(): Promise<number> {
    const { clock, rules, log } = this.context;
    let fenced = 0;
    for (const sighting of this.others()) {
      const { row } = sighting;
      if (row.state === 'gone' || !ranOut(rules, sighting, clock.monotonicMs())) continue;
      const gone = { ...row, beat: row.beat + 1, state: 'gone' };
      const current = await this.set(row, gone);
      if (current === gone) {
        fenced += 1;
        log.warn(
          { member: row.name, incarnation: row.incarnation },
          'fenced a member whose lease expired: taking its shards over',
        );
      }
    }
    return fenced;
  }

  /**
   * Deletes the rows of nodes that left long ago, or of all that left while there are too many rows. @param owns
   * returns true if the shard map still names the member
   */
  async sweep(owns: (member: string) => boolean): Promise<void> {
    const nowMs = this.context.clock.monotonicMs();
    for (const { row, sinceMs } of this.others()) {
      if (row.state !== 'gone' || (this.complete && nowMs - sinceMs < GONE_KEPT_MS)) continue;
      if (!owns(memberId(row.name, row.incarnation))) await this.set(row, undefined);
    }
  }

  private others(): Sighting<StoreMemberRecord>[] {
    return [...this.sightings.values()].filter(({ row }) => row.name !== this.context.name);
  }

  private common(rows: readonly StoreMemberRecord[]): number {
    const present = rows.filter(({ state }) => state !== 'gone');
    return Math.min(this.context.program.format, ...present.map(({ format }) => format));
  }

  /** Changes a row; returns the row after the change, and remembers it. */
  private async set(expected: StoreMemberRecord, next: StoreMemberRecord | undefined) {
    const { clock, tables, cluster } = this.context;
    const key = { cluster, name: expected.name };
    const change = tables.compareAndSet(members, key, expected, next);
    const { applied, current } = await within(clock, this.pace.patienceMs, 'changing a member', change);
    const row = applied ? next : current;
    if (row === undefined) this.sightings.delete(expected.name);
    else {
      const before = this.sightings.get(expected.name);
      this.sightings.set(expected.name, sighted(before, row, clock.monotonicMs()));
    }
    return row;
  }
}
