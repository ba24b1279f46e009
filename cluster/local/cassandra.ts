import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AT_ONCE, javaOptions } from './cassandra-java.js';
import { cassandraYaml } from './cassandra-yaml.js';
import { freePort, isRunning, listening, type StartedProcess, startProcess } from './process.js';
import { servicePaths } from './service-paths.js';

export interface LocalCassandraNode {
  readonly address: string;
  readonly port: number;
  readonly pid: number;
}

/** A ring on loopback addresses. */
export interface LocalCassandra {
  readonly nodes: readonly LocalCassandraNode[];
  /** host:port of each node, for CASSANDRA_CONTACT_POINTS. */
  readonly contactPoints: readonly string[];
  /**
   * Starts node n (from 1) again, with its folder and address, after it has ended; resolves when it answers CQL.
   * @throws while it is running
   */
  readonly restart: (n: number) => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Ends all nodes at once, for tests that delete their folders: a stop writes tables for up to 14 s. */
  readonly kill: () => Promise<void>;
}

export interface CassandraOptions {
  readonly dir: string;
  readonly nodes: number;
  readonly heapMb: number;
  /** The same port on all addresses. Default: a free one. */
  readonly port?: number;
  /** Aborts a start. */
  readonly signal?: AbortSignal;
}

/**
 * Timeout of a start: one node takes 6 s on an idle machine; three take a minute on two busy cores, and more than three
 * minutes beside ten busy processes.
 */
const START_MS_MAX = 600_000;

const RING_PROBE_MS = 200;

/** Returns the listening address of node n (from 1). */
export const cassandraAddress = (n: number): string => `127.0.1.${n}`;

/** Starts the ring and resolves when every node answers CQL. When one fails, all started nodes are stopped. */
export async function startCassandra(options: CassandraOptions): Promise<LocalCassandra> {
  const port = options.port ?? (await freePort(cassandraAddress(1)));
  const storagePort = await freePort(cassandraAddress(1));
  const running: StartedProcess[] = [];
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const stop = async () => {
    await Promise.all(running.map((node) => node.stop()));
  };
  const kill = async () => {
    await Promise.all(running.map((node) => node.kill()));
  };
  const nodes: LocalCassandraNode[] = [];
  const start = async (index: number, java: readonly string[]) => {
    const address = cassandraAddress(index + 1);
    signal.throwIfAborted();
    const started = await startNode(options, address, index, port, storagePort, java);
    running[index] = started;
    nodes[index] = { address, port, pid: started.pid };
    await listening(started, address, port, START_MS_MAX, `cassandra ${address}`, signal);
  };
  const restart = async (n: number) => {
    if (isRunning(running[n - 1])) throw new Error(`cassandra ${cassandraAddress(n)} is running`);
    await start(n - 1, []);
    await joined(cassandraAddress(n), port, options.nodes, signal);
  };
  try {
    const starts = Array.from({ length: options.nodes }, (_, index) => start(index, [AT_ONCE]));
    try {
      await Promise.all(starts);
    } catch (error) {
      // Wait until the remaining starts have ended, too: only then is it known which nodes to stop.
      failed.abort(error);
      await Promise.allSettled(starts);
      throw error;
    }
    await Promise.all(nodes.map(({ address }) => joined(address, port, options.nodes, signal)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, contactPoints: nodes.map((node) => `${node.address}:${port}`), restart, stop, kill };
}

/** Resolves when the node sees the whole ring, so that a schema created anywhere reaches it. */
async function joined(address: string, port: number, nodes: number, signal: AbortSignal): Promise<void> {
  if (nodes === 1) return;
  const { Client, policies } = await import('cassandra-driver');
  const only = new policies.loadBalancing.AllowListPolicy(new policies.loadBalancing.RoundRobinPolicy(), [
    `${address}:${port}`,
  ]);
  const client = new Client({
    contactPoints: [`${address}:${port}`],
    localDataCenter: 'datacenter1',
    protocolOptions: { port },
    policies: { loadBalancing: only },
  });
  const deadline = Date.now() + START_MS_MAX;
  try {
    for (;;) {
      const peers = await client.execute('SELECT peer, schema_version FROM system.peers_v2');
      const own = await client.execute('SELECT schema_version FROM system.local');
      const version = String(own.first()?.schema_version);
      const agreed = peers.rows.filter((row) => String(row.schema_version) === version);
      if (agreed.length === nodes - 1) return;
      signal.throwIfAborted();
      if (Date.now() > deadline) throw new Error(`cassandra ${address} does not see the whole ring`);
      await new Promise((resolve) => setTimeout(resolve, RING_PROBE_MS));
    }
  } finally {
    await client.shutdown();
  }
}

async function startNode(
  options: CassandraOptions,
  address: string,
  index: number,
  port: number,
  storagePort: number,
  java: readonly string[],
): Promise<StartedProcess> {
  const dir = join(options.dir, `cassandra-${index + 1}`);
  await mkdir(dir, { recursive: true });
  const yaml = join(dir, 'cassandra.yaml');
  const logback = join(dir, 'logback.xml');
  await writeFile(yaml, cassandraYaml({ dir, address, index, nodes: options.nodes, port, storagePort }));
  await writeFile(logback, LOGBACK);
  const args = [
    `-Xms${options.heapMb}m`,
    `-Xmx${options.heapMb}m`,
    ...javaOptions,
    ...java,
    `-Dcassandra.config=file://${yaml}`,
    `-Dcassandra.storagedir=${dir}`,
    `-Dlogback.configurationFile=file://${logback}`,
    `-Dcassandra.jmx.local.port=${await freePort('127.0.0.1')}`,
    '-cp',
    `${servicePaths().cassandraLib}/*`,
    'org.apache.cassandra.service.CassandraDaemon',
  ];
  return startProcess('java', args, join(dir, 'cassandra.log'));
}

const LOGBACK = `<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%date %-5level %logger{0} %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="STDOUT"/></root>
</configuration>
`;
