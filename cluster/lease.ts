/**
 * A lease lasts this long from the moment its renewal was begun. Long enough for a store that is slow for a moment
 * (three renewals must fail), short enough that a killed node's shards answer again within ten seconds.
 */
export const LEASE_MS = 6_000;
/** A third of the lease: two renewals may be lost. */
export const RENEW_MS = 2_000;
/**
 * The holder stops this much before others may act: for clocks that run at unlike speeds, and for what lies between
 * the look at the clock and the acknowledgement.
 */
export const LEASE_MARGIN_MS = 1_000;

/** The lease's timing; the parts that tests and the simulation bend. */
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
}

export const leaseRules: LeaseRules = {
  leaseMs: LEASE_MS,
  renewMs: RENEW_MS,
  marginMs: LEASE_MARGIN_MS,
  validFrom: 'started',
  watchMs: LEASE_MS,
};

/** Until when (monotonic) a renewal lets its holder act. */
export function validUntilMs(rules: LeaseRules, startedMs: number, answeredMs: number): number {
  return (rules.validFrom === 'started' ? startedMs : answeredMs) + rules.leaseMs - rules.marginMs;
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
}

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
export function ranOut<Row>(rules: LeaseRules, sighting: Sighting<Row>, nowMs: number): boolean {
  return nowMs - sighting.sinceMs >= rules.watchMs;
}

/** Whether a member has missed a renewal: then it gets no more shards until it is heard again. */
export function isSilent<Row>(rules: LeaseRules, sighting: Sighting<Row>, nowMs: number): boolean {
  return nowMs - sighting.sinceMs >= 2 * rules.renewMs;
}
