import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'cassandra-driver';
import { LocalCluster } from './local-cluster.js';

/** Ports of the nodes, below those of outgoing connections; processes with other pids use others. */
const PORTS = { first: 20_000, count: 10_000 };
/** Settings that one of the files needs and no other minds. */
const SETTINGS = {
  MURMURATION_PASSWORD_GRANT: 'on',
  MURMURATION_RATE_LIMITS: 'off',
  MURMURATION_FEDERATION_ALLOW_CIDRS: '127.0.0.0/8',
};

/** Timeout of a definition, on nodes that have just started. */
const DEFINED_MS_MAX = 60_000;

let started: Promise<LocalCluster> | undefined;

/**
 * Returns the cluster of three nodes on three Cassandra nodes that all test files of this process share: starting it
 * takes 45 CPU seconds. Each file gets it whole, also after a file that killed parts of it, and names its people and
 * keyspaces so that no other file has them. It ends with the process.
 */
export async function sharedCluster(): Promise<LocalCluster> {
  started ??= start();
  const cluster = await started;
  await cluster.mend();
  return cluster;
}

/** Returns the Cassandra node that files kill, always the same. */
export function victimOf({ cassandra }: LocalCluster): LocalCluster['cassandra'][number] {
  const victim = cassandra.at(-1);
  if (victim === undefined) throw new Error('no Cassandra');
  return victim;
}

/**
 * Writes the definitions of all tables to disk on every Cassandra node: one that is killed needs them when it is
 * restarted, and scripts/test.mjs lets no definition write them. A node that drops a table first writes all that it has in
 * memory to disk, once. To write several files for each of 84 definitions takes every node 10 CPU seconds.
 */
export async function storeDefinitions({ cassandra }: LocalCluster): Promise<void> {
  const client = new Client({
    contactPoints: cassandra.map(({ address, port }) => `${address}:${port}`),
    localDataCenter: 'datacenter1',
    socketOptions: { readTimeout: DEFINED_MS_MAX },
    protocolOptions: { maxSchemaAgreementWaitSeconds: DEFINED_MS_MAX / 1_000 },
  });
  try {
    await client.execute(
      "CREATE KEYSPACE scratch WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    );
    await client.execute('CREATE TABLE scratch.dropped (key text PRIMARY KEY)');
    // The driver waits until all nodes have dropped it.
    await client.execute('DROP KEYSPACE scratch');
  } finally {
    await client.shutdown();
  }
}

async function start(): Promise<LocalCluster> {
  const port = PORTS.first + (process.pid % PORTS.count);
  const cluster = await LocalCluster.start(
    join(process.cwd(), 'dist/cluster/local/main.js'),
    join(tmpdir(), `murmuration-cluster-${process.pid}`),
    ['--nodes', '3', '--cassandra', '3', '--port', String(port)],
    SETTINGS,
  );
  await storeDefinitions(cluster);
  cluster.endWithProcess();
  return cluster;
}
