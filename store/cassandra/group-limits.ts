import type { Client } from 'cassandra-driver';

/** The maximum contents of one request for which Cassandra does not warn, in its log and in its answer. */
export interface GroupLimits {
  /** Partition keys, over all tables. Source: BatchStatement.verifyBatchType. */
  readonly partitions: number;
  /** Bytes of keys and values. */
  readonly bytes: number;
}

/** Limits for a Cassandra that does not report its settings: the defaults of cassandra.yaml. */
const UNCHANGED = { partitions: 10, bytes: 5 * 1_024 };
/** The largest group that was measured (ADR 17); all writes of a request wait together and fail together. */
const PARTITIONS_MAX = 60;
const BYTES_MAX = 24_000;
/** Overhead of a row besides its key and its value; the server counts less (test/store/cassandra). */
const ROW_BYTES = 112;

const PARTITIONS = 'unlogged_batch_across_partitions_warn_threshold';
const BYTES = 'batch_size_warn_threshold';
/** The name before Cassandra 4.1. */
const KIBIBYTES = 'batch_size_warn_threshold_in_kb';
const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1_024, MiB: 1_048_576 };

/**
 * Derives the limits from the settings of the server that answers; all servers of a ring have the same. A server may
 * not report them (no permission, or no such table): the defaults then apply.
 */
export async function groupLimitsOf(client: Client): Promise<GroupLimits> {
  const names = [PARTITIONS, BYTES, KIBIBYTES].map((name) => `'${name}'`).join(', ');
  const settings = await client
    .execute(`SELECT name, value FROM system_views.settings WHERE name IN (${names})`, [], { prepare: false })
    .then(
      ({ rows }) => new Map(rows.map((row) => [row.name as string, row.value as string | null])),
      () => new Map<string, string | null>(),
    );
  return groupLimits({
    partitions: settings.get(PARTITIONS),
    size: settings.get(BYTES) ?? kibibytes(settings.get(KIBIBYTES)),
  });
}

/** @param thresholds as Cassandra writes them: 10, 5KiB; any other form counts as absent */
export function groupLimits(thresholds: {
  readonly partitions?: string | null | undefined;
  readonly size?: string | null | undefined;
}): GroupLimits {
  const keys = /^\d+$/.exec(thresholds.partitions ?? '')?.[0];
  const [, number, unit] = /^(\d+)(B|KiB|MiB)$/.exec(thresholds.size ?? '') ?? [];
  const size = number === undefined ? UNCHANGED.bytes : Number(number) * (UNITS[unit as string] as number);
  const most = keys === undefined ? UNCHANGED.partitions : Number(keys);
  // The overhead of rows takes at most half of the size.
  const partitions = Math.max(1, Math.min(PARTITIONS_MAX, most, Math.floor(size / 2 / ROW_BYTES)));
  return { partitions, bytes: Math.min(BYTES_MAX, Math.max(0, size - partitions * ROW_BYTES)) };
}

const kibibytes = (text: string | null | undefined) => (text == null ? undefined : `${text}KiB`);
