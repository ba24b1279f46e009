import { Client } from 'cassandra-driver';
import { systemClock } from '../../../actors/runtime/system.js';
import type { CassandraOptions } from '../../../store/cassandra/cassandra-tables.js';
import { type GroupLimits, groupLimitsOf } from '../../../store/cassandra/group-limits.js';
import { WriteTimestamps } from '../../../store/write-timestamps.js';
import type { StoredPiece } from './stored-bytes.js';

interface Address {
  readonly contactPoints: string[];
  readonly localDataCenter: string;
}

/** Returns the address of the Cassandra that all test files share. */
export function cassandraAddress(): Address & Pick<CassandraOptions, 'timestamps' | 'clock'> {
  const points = process.env.TEST_CASSANDRA;
  if (!points) throw new Error('TEST_CASSANDRA is not set: run these tests by npm test, which starts a Cassandra');
  return {
    contactPoints: points.split(','),
    localDataCenter: process.env.TEST_CASSANDRA_DC ?? 'datacenter1',
    timestamps: new WriteTimestamps(() => Date.now()),
    clock: systemClock,
  };
}

/** Returns settings of a node that stores there, without the prefix of their names. */
export function cassandraSettings(keyspace: string, address: Address = cassandraAddress()): Record<string, string> {
  const { contactPoints, localDataCenter } = address;
  return {
    STORE: 'cassandra',
    CASSANDRA_CONTACT_POINTS: contactPoints.join(','),
    CASSANDRA_LOCAL_DC: localDataCenter,
    CASSANDRA_KEYSPACE: keyspace,
    CASSANDRA_REPLICATION: '1',
  };
}

export async function dropKeyspace(keyspace: string): Promise<void> {
  await withClient((client) => client.execute(`DROP KEYSPACE IF EXISTS "${keyspace}"`, [], { readTimeout: 60_000 }));
}

/** Sets how long tombstones stay, or reads it. */
export const gcGraceSeconds = (keyspace: string, table: string, set?: number): Promise<number> =>
  withClient(async (client) => {
    if (set !== undefined) await client.execute(`ALTER TABLE ${keyspace}.${table} WITH gc_grace_seconds = ${set}`);
    const query = 'SELECT gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?';
    const { rows } = await client.execute(query, [keyspace, table], { prepare: true });
    return rows[0]?.gc_grace_seconds as number;
  });

/** Returns when a coordinator asks one more replica; `set` changes it. */
export const speculativeRetry = (keyspace: string, table: string, set?: string): Promise<string> =>
  withClient(async (client) => {
    if (set !== undefined) await client.execute(`ALTER TABLE ${keyspace}.${table} WITH speculative_retry = '${set}'`);
    const query = 'SELECT speculative_retry FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?';
    const { rows } = await client.execute(query, [keyspace, table], { prepare: true });
    return rows[0]?.speculative_retry as string;
  });

/** Returns statements that the server holds prepared for clients of that keyspace. */
export async function preparedFor(keyspace: string): Promise<string[]> {
  const all = 'SELECT logged_keyspace, query_string FROM system.prepared_statements';
  const { rows } = await withClient((client) => client.execute(all, [], { fetchSize: 100_000 }));
  return rows.filter((row) => row.logged_keyspace === keyspace).map((row) => row.query_string as string);
}

/** Returns the server's warnings about these statements as one unlogged batch. */
export async function warningsOf(queries: { query: string; params: unknown[] }[]): Promise<readonly string[]> {
  const { info } = await withClient((client) => client.batch(queries, { prepare: true, logged: false }));
  return info.warnings ?? [];
}

/** Returns every row of every table of the keyspace. */
export const bytesOfKeyspace = (keyspace: string): Promise<StoredPiece[]> =>
  withClient(async (client) => {
    const query = 'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?';
    const tables = await client.execute(query, [keyspace], { prepare: true });
    const pieces: StoredPiece[] = [];
    for (const { table_name } of tables.rows) {
      const rows = await client.execute(`SELECT * FROM "${keyspace}"."${table_name}"`, [], { prepare: true });
      for await (const row of rows) {
        const cells = row.values().map((cell: unknown) => (Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell))));
        pieces.push({ place: table_name, bytes: Buffer.concat(cells) });
      }
    }
    return pieces;
  });

/** Returns the limits of one request to that server. */
export const limitsOfServer = (): Promise<GroupLimits> => withClient(groupLimitsOf);

async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const { contactPoints, localDataCenter } = cassandraAddress();
  const port = Number(contactPoints[0]?.split(':')[1] ?? 9042);
  const client = new Client({ contactPoints, localDataCenter, protocolOptions: { port } });
  try {
    return await work(client);
  } finally {
    await client.shutdown();
  }
}
