import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cassandraSettings } from '../../test/kit/services/cassandra.js';
import { LocalCluster } from '../../test/kit/services/local-cluster.js';
import { createAccounts } from '../accounts.js';
import { type Load, measureInTurn, type Target } from '../http-load.js';
import type { Row } from '../row.js';
import { settled, Town } from '../town.js';
import { Apart } from './apart.js';
import { AUTHORS, FOLLOWERS } from './cluster-loads.js';
import type { ServiceUse } from './service-use.js';

/**
 * More Cassandra nodes would share the cores with the measured nodes; a node asks one coordinator whatever their
 * number.
 */
const CASSANDRA_NODES = 1;
const RATIO_MAX = 1.6;
/** Distance between the ports of two clusters, enough for one per node. */
const PORTS = 100;
/** Number of clusters so far: each has its own ports and folder. */
let clusters = 0;

/**
 * Measures several sides in turn. Excludes the preparation of a load, and the services' work during other sides' turns.
 */
export async function inTurn(
  sides: readonly { readonly target: Target; readonly load: Load; readonly use?: ServiceUse }[],
): Promise<Row[]> {
  const turns = [];
  for (const { target, load, use } of sides) {
    const { before: prepare, ...rest } = load;
    await prepare?.(0);
    const hooks = use && { before: () => use.begin(), after: () => use.end() };
    turns.push({ target, load: { ...rest, ...hooks } });
  }
  return (await measureInTurn(turns)).map(({ row }) => row);
}

export async function townOf(cluster: LocalCluster, authors = AUTHORS): Promise<Town> {
  const dataDirs = cluster.nodes.map((node) => node.data_dir);
  const target = {
    urls: cluster.urls,
    pids: cluster.nodes.map(({ pid }) => pid),
    settled: () => settled(dataDirs),
  };
  const people = await createAccounts({ dataDir: dataDirs[0] as string }, authors + FOLLOWERS);
  return Town.on(target, people, authors, async () => undefined);
}

export function startCluster(nodes: number, more: Readonly<Record<string, string>> = {}): Promise<LocalCluster> {
  const command = fileURLToPath(new URL('../../cluster/local/main.js', import.meta.url));
  const port = 20_000 + (process.pid % 10_000) + clusters * PORTS;
  const dir = join(tmpdir(), `murmuration-bench-cluster-${process.pid}-${clusters}`);
  clusters += 1;
  const flags = ['--nodes', String(nodes), '--cassandra', String(CASSANDRA_NODES), '--port', String(port)];
  const settings = { MURMURATION_RATE_LIMITS: 'off', MURMURATION_LOG_LEVEL: 'warn', ...more };
  return LocalCluster.start(command, dir, flags, settings);
}

/** Opens independent clusters of one node each, which share the Cassandra and NATS of another cluster. */
export function clustersOfOne({ contactPoint, nats }: LocalCluster, count: number, authors = AUTHORS): Promise<Apart> {
  const bus = { NATS_URL: nats.url, CLUSTER_SECRET: randomBytes(32).toString('hex') };
  return Apart.open(count, authors, FOLLOWERS, (index) => ({
    ...cassandraSettings(`of_one_${index}`, { contactPoints: [contactPoint], localDataCenter: 'datacenter1' }),
    ...bus,
  }));
}

export const cpuOf = (row: Row): number => row.cpuSecondsPer1000 ?? Number.NaN;
export const verdict = (ratio: number) => ({ target: `≤ ${RATIO_MAX}`, reached: ratio <= RATIO_MAX });
