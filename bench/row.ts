/** Figures of one benchmark; unmeasured ones are absent. */
export interface Row {
  readonly name: string;
  /** Operations per second. */
  readonly perSecond?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** CPU of the server process alone, user and system, unless the name says otherwise. */
  readonly cpuSecondsPer1000?: number;
  /** Minimum and maximum of several rounds, of which the row shows the median. */
  readonly cpuSecondsPer1000Between?: readonly [number, number];
  /** All rounds, in order. */
  readonly cpuSecondsPer1000Rounds?: readonly number[];
  /** A single figure with its unit: seconds, MiB. */
  readonly figure?: string;
  readonly target?: string;
  /** Absent without a target. */
  readonly reached?: boolean;
  /** Cores that other users' processes used meanwhile. */
  readonly otherCores?: number;
}

export function percentile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

export function printTable(rows: readonly Row[]): string {
  const digits = (value: number | undefined, places: number) => (value === undefined ? '' : value.toFixed(places));
  const lines = rows.map((row) => [
    row.name,
    row.figure ?? (row.perSecond === undefined ? '' : `${Math.round(row.perSecond)}/s`),
    digits(row.p50Ms, 3),
    digits(row.p99Ms, 3),
    digits(row.cpuSecondsPer1000, 4) + between(row.cpuSecondsPer1000Between),
    row.target ?? '',
    row.reached === undefined ? '' : row.reached ? 'yes' : 'NO',
    digits(row.otherCores, 2),
  ]);
  const head = ['benchmark', 'figure', 'p50 ms', 'p99 ms', 'CPU-s/1,000', 'target', 'reached', 'other cores'];
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  return [head, ...lines].map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n');
}

function between(range: readonly [number, number] | undefined): string {
  return range === undefined ? '' : ` (${range[0].toFixed(4)}–${range[1].toFixed(4)})`;
}
