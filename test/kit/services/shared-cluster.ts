import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalCluster } from './local-cluster.js';

/** Ports of the nodes, below those of outgoing connections; processes with other pids use others. */
const PORTS = { first: 20_000, count: 10_000 };
/** Settings that one of the files needs and no other minds. */
const SETTINGS = {
  MURMURATION_PASSWORD_GRANT: 'on',
  MURMURATION_RATE_LIMITS: 'off',
  MURMURATION_FEDERATION_ALLOW_CIDRS: '127.0.0.0/8',
};

/** Overrides the option of scripts/test.mjs: a Cassandra node that is killed and restarted needs its definitions. */
const FLUSHED_DEFINITIONS = '-Dcassandra.test.flush_local_schema_changes=true';

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

async function start(): Promise<LocalCluster> {
  const port = PORTS.first + (process.pid % PORTS.count);
  const cluster = await LocalCluster.start(
    join(process.cwd(), 'dist/cluster/local/main.js'),
    join(tmpdir(), `murmuration-cluster-${process.pid}`),
    ['--nodes', '3', '--cassandra', '3', '--port', String(port)],
    { ...SETTINGS, JAVA_TOOL_OPTIONS: `${process.env.JAVA_TOOL_OPTIONS ?? ''} ${FLUSHED_DEFINITIONS}`.trim() },
  );
  cluster.endWithProcess();
  return cluster;
}
