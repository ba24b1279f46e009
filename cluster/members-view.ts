import type { StoreMemberRecord } from '../proto/gen/types.js';
import { members } from '../store/tables.js';
import type { Role, Roles } from './balance.js';
import type { ClusterContext } from './context.js';
import { isSilent, ranOut, type Sighting, sighted, watchMsOf } from './lease.js';
import { OneRead, within } from './patience.js';
import { memberId } from './rendezvous.js';
import type { StorePace } from './store-pace.js';

/** Nodes of a cluster, those lately gone included: their rows share a partition whose LWTs are one after the other. */
export const MEMBERS_MAX = 256;
/** A node that left and owns nothing is remembered this long, for whoever asks about it. */
const GONE_KEPT_MS = 600_000;

/**
 * A row counts as standing still for at most this long between two reads: while the store was away for this node, the
 * others could not renew either. They get the rest of their leases to come back, so that nobody takes all shards.
 */
const WATCHED_MS_MAX = 2_000;

/** What this node has seen of all members, and since when each row stands still. */
export class MembersView {
  private sightings = new Map<string, Sighting<StoreMemberRecord>>();
  /** When the members were read last, monotonic. */
  seenMs = Number.NEGATIVE_INFINITY;
  /** False: there may be members that were not read, so nobody is to be taken for dead because they are not seen. */
  complete = true;

  /** Members that renewed their lease before our eyes: a row alone may have been left by a node that died. */
  private readonly renewing = new Set<string>();
  /** When the last read was answered, monotonic. */
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
   * @param sinceMs the rows are read then or later (monotonic), although an earlier read is still under way
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

  /** Who else has not left or been fenced, by name and incarnation. */
  company(): string[] {
    const present = this.others().filter(({ row }) => row.state !== 'gone');
    return present.map(({ row }) => memberId(row.name, row.incarnation)).sort();
  }

  /** Roles of the live members; this node's own is given, for it knows itself better than its row does. */
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

  /** True when this node has seen the member renew its lease, and the lease has not run out since. */
  isAlive(member: string): boolean {
    return this.renewing.has(member) && this.company().includes(member);
  }

  addressOf(member: string): string | undefined {
    return this.rows().find((row) => memberId(row.name, row.incarnation) === member)?.grpcAddress;
  }

  /** The highest wall clock that a dead member of that name may have minted ids under; 0 when its row is gone. */
  reachedMs(name: string): number {
    const row = this.sightings.get(name)?.row;
    return row === undefined ? 0 : row.clockMs + row.leaseMs;
  }

  /** The newest format that all live members knew at the last look, this node among them. */
  commonFormat(): number {
    return this.common(this.rows());
  }

  /** The same, of rows that are read after the call. @throws Unavailable */
  async readCommonFormat(): Promise<number> {
    const { clock, tables, cluster } = this.context;
    const reading = tables.range(members, { cluster }, { limit: MEMBERS_MAX });
    const rows = await within(clock, this.pace.patienceMs, 'reading the formats of the members', reading);
    // Members that were not read may know less.
    return rows.length < MEMBERS_MAX ? this.common(rows.map(({ value }) => value)) : 0;
  }

  /** Milliseconds until the next member's lease may have run out, if it goes on standing still. */
  nextExpiryMs(): number {
    const nowMs = this.context.clock.monotonicMs();
    const waits = this.others()
      .filter((sighting) => sighting.row.state !== 'gone')
      .map((sighting) => sighting.sinceMs + watchMsOf(this.context.rules, sighting.row) - nowMs);
    return Math.max(0, Math.min(...waits, Number.POSITIVE_INFINITY));
  }

  /** Declares those gone whose leases ran out; answers how many. From then on their renewals are refused. */
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
        log.warn({ member: row.name, incarnation: row.incarnation }, 'its lease ran out: taking its shards over');
      }
    }
    return fenced;
  }

  /** Removes rows of nodes that left long ago, or of all that left while there are too many rows. @param owns whether a member still stands in the shard map */
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

  /** Answers the row as it is afterwards, and remembers it. */
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
