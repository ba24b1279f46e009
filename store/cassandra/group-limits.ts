import type { Client } from 'cassandra-driver';

/** What one request may hold at most, so that Cassandra does not warn of it, in its log and in its answer. */
export interface GroupLimits {
  /** Partition keys, of whatever tables. Source: BatchStatement.verifyBatchType. */
  readonly partitions: number;
  /** Of keys and values. */
  readonly bytes: number;
}

/** Of a Cassandra that does not say: those of one whose cassandra.yaml nobody changed. */
const UNCHANGED = { partitions: 10, bytes: 5 * 1_024 };
/** As many as were measured (ADR 17); what is in one request waits together, and fails together. */
const PARTITIONS_MAX = 60;
const BYTES_MAX = 24_000;
/** The server counts less than this for a row, besides its key and its value (test/store/cassandra). */
const ROW_BYTES = 112;

const PARTITIONS = 'unlogged_batch_across_partitions_warn_threshold';
const BYTES = 'batch_size_warn_threshold';
/** Before Cassandra 4.1. */
const KIBIBYTES = 'batch_size_warn_threshold_in_kb';
const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1_024, MiB: 1_048_576 };

/**
 * By the settings of the server that is asked; those of one ring are the same. It need not say (it is not allowed to, or
 * has no such table): then it is taken for an unchanged one.
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

/** @param thresholds as Cassandra writes them: 10, 5KiB; another form counts as none */
export function groupLimits(thresholds: {
  readonly partitions?: string | null | undefined;
  readonly size?: string | null | undefined;
}): GroupLimits {
  const keys = /^\d+$/.exec(thresholds.partitions ?? '')?.[0];
  const [, number, unit] = /^(\d+)(B|KiB|MiB)$/.exec(thresholds.size ?? '') ?? [];
  const size = number === undefined ? UNCHANGED.bytes : Number(number) * (UNITS[unit as string] as number);
  const most = keys === undefined ? UNCHANGED.partitions : Number(keys);
  // Half of the size at most for what rows have besides.
  const partitions = Math.max(1, Math.min(PARTITIONS_MAX, most, Math.floor(size / 2 / ROW_BYTES)));
  return { partitions, bytes: Math.min(BYTES_MAX, Math.max(0, size - partitions * ROW_BYTES)) };
}

const kibibytes = (text: string | null | undefined) => (text == null ? undefined : `${text}KiB`);
