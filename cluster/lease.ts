/**
 * A lease lasts this long from the moment its renewal was begun. Long enough for a store that is slow for a moment
 * (three renewals must fail), short enough that a killed node's shards answer again within ten seconds.
 */
export const LEASE_MS = 6_000;
/** A quarter of the lease: a renewal that the store suddenly answers after 3 s still comes in time. */
export const RENEW_MS = 1_500;
/**
 * The holder stops this much before others may act: for clocks that run at unlike speeds, and for what lies between
 * the look at the clock and the acknowledgement.
 */
export const LEASE_MARGIN_MS = 1_000;

/** A node that is further from the others does not join: its statuses would stand seconds above or below theirs. */
const CLOCK_OFFSET_MS_MAX = 5_000;

/** The lease's timing, and what of a clock a join allows; the parts that tests and the simulation bend. */
export interface LeaseRules {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly marginMs: number;
  /**
   * From when a renewal counts. Only `started` is safe: the row may have been written, and its watching begun, at any
   * time after the start. `answered` exists so that the simulation can show that it finds the fault.
   */
  readonly validFrom: 'started' | 'answered';
  /** How long a taker sees a member stand still before it fences it; below leaseMs only to plant a fault. */
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

/** Until when (monotonic) a renewal lets its holder act. @param leaseMs as the renewed row says */
export function validUntilMs(rules: LeaseRules, startedMs: number, answeredMs: number, leaseMs: number): number {
  return (rules.validFrom === 'started' ? startedMs : answeredMs) + leaseMs - rules.marginMs;
}

/** One member's row as a watcher sees it, and since when (monotonic) it has stood still. */
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

/** How long a taker sees this row stand still before it fences the holder. */
export const watchMsOf = (rules: LeaseRules, row: Pick<Beating, 'leaseMs'>): number =>
  rules.watchMs + Math.max(0, row.leaseMs - rules.leaseMs);

/** The next sighting of a row that was read; `answeredMs`: when the answer came, so never before it was written. */
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

/** Whether the holder of a row must have stopped acting: seen to stand still for a whole lease. */
export function ranOut<Row extends Beating>(rules: LeaseRules, sighting: Sighting<Row>, nowMs: number): boolean {
  return nowMs - sighting.sinceMs >= watchMsOf(rules, sighting.row);
}

/** Returns true when a member has missed renewals for two thirds of its lease: it gets no more shards until it renews again. */
export function isSilent<Row extends Beating>(sighting: Sighting<Row>, nowMs: number): boolean {
  return nowMs - sighting.sinceMs >= (2 * Math.max(LEASE_MS, sighting.row.leaseMs)) / 3;
}
