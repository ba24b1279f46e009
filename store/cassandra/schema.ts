import { createHash } from 'node:crypto';
import { type Client, type errors, types } from 'cassandra-driver';
import { Misconfigured } from '../../actors/domain/problem.js';
import { columnsOf } from '../keys.js';
import type { Pacing } from '../pacing.js';
import type { AnyTable } from '../table.js';
import { isMistake, pause, unavailable } from './failures.js';
import { quoted } from './statements.js';

/** Nodes that start together, or a ring that is still forming, need a few rounds. */
const SCHEMA_MS_MAX = 60_000;
const PAUSE_MS = 250;
/** Time for all Cassandra nodes to know the definitions. Afterwards requests that need them are repeated. */
const AGREEMENT_MS_MAX = 10_000;
const AGREEMENT_PAUSE_MS = 50;
/** Cassandra's default. */
const GC_GRACE_SECONDS = 864_000;
/**
 * Lets a conditional change read all replicas at once, not a quorum of them. A replica that dies is among the chosen ones
 * for some ten seconds, until Cassandra takes it for dead, and by default another one replaces it only after the 99th
 * percentile of the table's latencies. These contain the waits of competing changes, so each change took 5 s, and every
 * node lost its lease.
 */
const CONDITIONAL = " AND speculative_retry = 'ALWAYS'";

type Waits = Pick<Pacing, 'after'>;

/** A documented method that the driver's types lack. */
interface AgreementCheck {
  checkSchemaAgreement(): Promise<boolean>;
}

/** Cassandra logs an error for each prepared statement without a keyspace, and a definition runs only once. */
const UNPREPARED = { prepare: false };

/**
 * Creates the keyspace if it is absent. An existing one keeps its replication, which its operator decides.
 * @throws Misconfigured when this user may not create it
 */
export async function ensureKeyspace(
  client: Client,
  keyspace: string,
  { dc, replicas }: { readonly dc: string; readonly replicas: number },
  pacing: Waits,
): Promise<void> {
  const query =
    `CREATE KEYSPACE IF NOT EXISTS ${quoted(keyspace)} WITH replication = ` +
    `{'class': 'NetworkTopologyStrategy', '${dc}': ${replicas}}`;
  try {
    await persistently('creating the keyspace', pacing, async () => {
      const found = await client.execute(
        'SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?',
        [keyspace],
        { prepare: true },
      );
      if (found.rows.length === 0) await client.execute(query, [], UNPREPARED);
    });
    await agreed(client, pacing);
  } catch (error) {
    if ((error as errors.ResponseError).code !== types.responseErrorCodes.unauthorized) throw error;
    const { message } = error as Error;
    throw new Misconfigured(`Cassandra: ${message}; grant it, or create the keyspace ${keyspace} beforehand`, {
      cause: error,
    });
  }
}

/**
 * Creates absent tables and updates their options; idempotent. Several nodes may run it at once: a table's id derives
 * from its name, so two coordinators cannot create the same table twice. One coordinator runs all definitions, so that
 * each builds on the one before.
 */
export async function ensureTables(
  client: Client,
  keyspace: string,
  tables: readonly AnyTable[],
  pacing: Waits,
): Promise<void> {
  await persistently('creating the tables', pacing, async () => {
    const found = await client.execute(
      'SELECT table_name, default_time_to_live, gc_grace_seconds, speculative_retry FROM system_schema.tables ' +
        'WHERE keyspace_name = ?',
      [keyspace],
      { prepare: true },
    );
    const present = new Map(found.rows.map((row) => [row.table_name as string, row]));
    const [host] = client.getState().getConnectedHosts();
    const onOne = host === undefined ? UNPREPARED : { ...UNPREPARED, host };
    for (const table of tables) {
      const row = present.get(table.name);
      if (row === undefined) await client.execute(creation(keyspace, table), [], onOne);
      else if (optionsIn(row, table) !== optionsOf(table)) {
        const name = `${quoted(keyspace)}.${quoted(table.name)}`;
        await client.execute(`ALTER TABLE ${name} WITH ${optionsOf(table)}`, [], onOne);
      }
    }
  });
  await agreed(client, pacing);
}

/** Waits until all live Cassandra nodes have the same schema, or the time for it is over. */
async function agreed(client: Client, pacing: Waits): Promise<void> {
  const metadata = client.metadata as Client['metadata'] & AgreementCheck;
  for (let waitedMs = 0; waitedMs < AGREEMENT_MS_MAX; waitedMs += AGREEMENT_PAUSE_MS) {
    if (await metadata.checkSchemaAgreement()) return;
    await pause(AGREEMENT_PAUSE_MS, pacing);
  }
}

const optionsText = (ttlSeconds: number, gcGraceSeconds: number, more: string): string =>
  `default_time_to_live = ${ttlSeconds} AND gc_grace_seconds = ${gcGraceSeconds}${more}`;

const optionsOf = (table: AnyTable): string =>
  optionsText(table.ttlSeconds ?? 0, table.gcGraceSeconds ?? GC_GRACE_SECONDS, table.conditional ? CONDITIONAL : '');

/** Returns the options that an existing table has, of those that this program sets. */
function optionsIn(row: types.Row, table: AnyTable): string {
  const retry = table.conditional ? ` AND speculative_retry = '${row.speculative_retry}'` : '';
  return optionsText(row.default_time_to_live, row.gc_grace_seconds, retry);
}

function creation(keyspace: string, table: AnyTable): string {
  const partition = columnsOf(table.partition);
  const clustering = columnsOf(table.clustering);
  const columns = [...partition, ...clustering]
    .map(({ name, type }) => `${quoted(name)} ${type === 'text' ? 'text' : 'bigint'}`)
    .join(', ');
  const key = [`(${names(partition)})`, ...clustering.map(({ name }) => quoted(name))].join(', ');
  return (
    `CREATE TABLE IF NOT EXISTS ${quoted(keyspace)}.${quoted(table.name)} (${columns}, value blob, PRIMARY KEY (${key})) ` +
    `WITH ID = ${tableId(keyspace, table.name)} AND ${optionsOf(table)}`
  );
}

const names = (columns: readonly { name: string }[]): string => columns.map(({ name }) => quoted(name)).join(', ');

/** Returns a UUID in the form of version 5. */
function tableId(keyspace: string, table: string): string {
  const bytes = createHash('sha256').update(`murmuration\0${keyspace}\0${table}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Repeats work that fails while a schema spreads. @throws Unavailable after SCHEMA_MS_MAX */
export async function persistently<T>(what: string, pacing: Waits, work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      return await work();
    } catch (error) {
      if (isMistake(error)) throw error;
      if (waitedMs >= SCHEMA_MS_MAX) throw unavailable(what, error);
      await pause(PAUSE_MS, pacing);
    }
  }
}
