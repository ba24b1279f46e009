/**
 * Duration of a lease, counted from the start of its renewal. Long enough for a store that is slow for a moment (three
 * renewals must fail), short enough that a killed node's shards answer again within ten seconds.
 */
export const LEASE_MS = 6_000;
/** Interval of renewals, a quarter of the lease: a renewal that the store answers after 3 s is still in time. */
export const RENEW_MS = 1_500;
/**
 * The holder stops this long before others may act. It covers clocks of different speed, and the time between reading
 * the clock and acknowledging.
 */
export const LEASE_MARGIN_MS = 1_000;

/** Offset from which on a node does not join: its statuses would appear seconds above or below those of the others. */
const CLOCK_OFFSET_MS_MAX = 5_000;

/** Timing of the lease, and the clock offset that a join accepts. Tests and the simulation change them. */
export interface LeaseRules {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly marginMs: number;
  /**
   * The moment from which a renewal counts. Only `started` is safe: the row may have been written, and others may have
   * begun to watch it, at any time after the start. `answered` exists so that the simulation can show that it finds the
   * fault.
   */
  readonly validFrom: 'started' | 'answered';
  /** How long a taker must see an unchanged row before it fences the member; below leaseMs only to plant a fault. */
  readonly watchMs: number;
  /** A node whose wall clock is further than this from those of most members does not join. */
  readonly clockOffsetMsMax: number;
}

export const leaseRules: LeaseRules = {
  leaseMs: LEASE_MS,
  renewMs: RENEW_MS,
  marginMs: LEASE_MARGIN_MS,
  validFrom: 'started',
  watchMs: LEASE_MS,
  clockOffsetMsMax: CLOCK_OFFSET_MS_MAX,
};

/** Returns the monotonic time until which a renewal allows its holder to act. @param leaseMs as the renewed row says */
export function validUntilMs(rules: LeaseRules, startedMs: number, answeredMs: number, leaseMs: number): number {
  return (rules.validFrom === 'started' ? startedMs : answeredMs) + leaseMs - rules.marginMs;
}

/** A member's row as a watcher sees it, and the monotonic time since which it is unchanged. */
export interface Sighting<Row> {
  readonly row: Row;
  readonly sinceMs: number;
}

interface Beating {
  readonly incarnation: string;
  readonly beat: number;
  readonly state: string;
  readonly leaseMs: number;
}

/** Returns how long a taker must see this row unchanged before it fences the holder. */
export const watchMsOf = (rules: LeaseRules, row: Pick<Beating, 'leaseMs'>): number =>
  rules.watchMs + Math.max(0, row.leaseMs - rules.leaseMs);

/** Returns the next sighting of a row. @param answeredMs time of the answer, hence never before the row was written */
export function sighted<Row extends Beating>(
  before: Sighting<Row> | undefined,
  row: Row,
  answeredMs: number,
): Sighting<Row> {
  const same =
    before !== undefined &&
    before.row.incarnation === row.incarnation &&
    before.row.beat === row.beat &&
    before.row.state === row.state;
  return { row, sinceMs: same ? before.sinceMs : answeredMs };
}

/** Returns true when the holder of a row must have stopped acting: the row has been unchanged for a whole lease. */
export function ranOut<Row extends Beating>(rules: LeaseRules, sighting: Sighting<Row>, nowMs: number): boolean {
  return nowMs - sighting.sinceMs >= watchMsOf(rules, sighting.row);
}

/**
 * Returns true when a member has missed renewals for two thirds of its lease: it gets no more shards until it renews.
 */
export function isSilent<Row extends Beating>(sighting: Sighting<Row>, nowMs: number): boolean {
  return nowMs - sighting.sinceMs >= (2 * Math.max(LEASE_MS, sighting.row.leaseMs)) / 3;
}
