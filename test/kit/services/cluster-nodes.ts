import { randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromRecord } from '../../../cluster/shard-map.js';
import { CassandraTables } from '../../../store/cassandra/cassandra-tables.js';
import { RANGE_LIMIT_MAX } from '../../../store/port.js';
import { journal, shardMap } from '../../../store/tables.js';
import type { Place } from '../../scenarios/worlds/node-address.js';
import { Balancer } from '../network/balancer.js';
import { until } from '../time/until.js';
import { bytesOfKeyspace, cassandraAddress, cassandraSettings, dropKeyspace } from './cassandra.js';
import { areEven } from './even-shares.js';
import { ServerProcess } from './server-process.js';
import type { StoredPiece } from './stored-bytes.js';

/** Number of nodes unless a test needs fewer: with three, two remain when one is killed. */
const NODES = 3;
/** Timeout of the handovers after a start, on a busy machine. */
const BALANCED_MS_MAX = 120_000;
/** The only cluster of a keyspace. */
const CLUSTER = 'murmuration';
const aheadClock = fileURLToPath(new URL('../time/ahead-clock.js', import.meta.url));

interface Starting {
  /** Settings of one node, over the others. */
  readonly own?: (index: number) => Readonly<Record<string, string>>;
  readonly count?: number;
  /** Other variables of all nodes' environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A cluster of node processes, on the Cassandra and the NATS that all test files share. */
export class ClusterNodes {
  private tables: Promise<CassandraTables> | undefined;

  private constructor(
    readonly nodes: readonly ServerProcess[],
    /** Sends each request to another node. */
    readonly balancer: Balancer,
    private readonly keyspace: string,
    private readonly folder: string,
  ) {}

  /** Starts the nodes. @param settings by name without the prefix */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    { own = () => ({}), count = NODES, environment = {} }: Starting = {},
  ): Promise<ClusterNodes> {
    const nats = process.env.TEST_NATS_URL;
    if (nats === undefined) throw new Error('TEST_NATS_URL is not set: run the tests by npm test, which starts NATS');
    const keyspace = `test_${randomBytes(6).toString('hex')}`;
    const urls: string[] = [];
    const balancer = await Balancer.open(urls);
    const common = {
      ...cassandraSettings(keyspace),
      NATS_URL: nats,
      CLUSTER_SECRET: randomBytes(24).toString('base64url'),
      BASE_URL: balancer.url,
      LOG_LEVEL: 'warn',
      ...settings,
    };
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-nodes-'));
    const variables = {
      ...environment,
      NODE_OPTIONS: `--import=${aheadClock}`,
      TEST_AHEAD_FILE: join(folder, 'ahead'),
    };
    const node = (index: number) =>
      ServerProcess.start({ ...common, NODE_NAME: `node${index + 1}`, ...own(index) }, variables);
    const nodes: ServerProcess[] = [];
    try {
      // The first node creates the schema.
      nodes.push(await node(0));
      nodes.push(...(await Promise.all(Array.from({ length: count - 1 }, (_, index) => node(index + 1)))));
    } catch (error) {
      // Running processes would keep the tests from ending.
      await balancer.close();
      await Promise.all(nodes.map((one) => one.dispose()));
      throw error;
    }
    urls.push(...nodes.map(({ url }) => url));
    const cluster = new ClusterNodes(nodes, balancer, keyspace, folder);
    try {
      // A node is ready with its first shards. Handovers that go on would move the actors that a test has chosen.
      await until('even shares', () => cluster.isBalanced(), BALANCED_MS_MAX);
    } catch (error) {
      await cluster.dispose();
      throw error;
    }
    return cluster;
  }

  node(index: number): ServerProcess {
    const node = this.nodes[index % this.nodes.length];
    if (node === undefined) throw new Error(`no node ${index}`);
    return node;
  }
  /** The place where people and their data are created: each request goes to another node. */
  get place(): Place {
    const dataDirs = this.nodes.map(({ dataDir }) => dataDir);
    return { url: this.url, dataDir: this.dataDir, dataDirs };
  }
  /** The address of all nodes together. */
  get url(): string {
    return this.balancer.url;
  }
  /** Folder of the first node, which the command line uses. */
  get dataDir(): string {
    return this.node(0).dataDir;
  }
  get urls(): string[] {
    return this.nodes.map(({ url }) => url);
  }

  /** Returns log lines that report a bug. */
  get faults(): string[] {
    return this.nodes.flatMap(({ log }) => log.split('\n').filter(isFault));
  }

  /** Returns every stored row, by table. */
  stored(): Promise<StoredPiece[]> {
    return bytesOfKeyspace(this.keyspace);
  }

  /** Sets the wall clocks of all nodes ahead by this much; their monotonic clocks continue unchanged. */
  async ahead(ms: number): Promise<void> {
    const file = join(this.folder, 'ahead');
    await writeFile(`${file}.new`, String(ms));
    await rename(`${file}.new`, file);
  }

  /** Returns the index of the node that owns the shard. */
  async ownerOf(shard: number): Promise<number> {
    const row = await this.read((tables) => tables.get(shardMap, { cluster: CLUSTER }));
    const owner = row === undefined ? undefined : fromRecord(row).owners[shard];
    return Number(/^node(\d)#/.exec(owner ?? '')?.[1]) - 1;
  }

  /** True when the nodes own the shards evenly. */
  async isBalanced(): Promise<boolean> {
    const row = await this.read((tables) => tables.get(shardMap, { cluster: CLUSTER }));
    if (row === undefined) return false;
    const { owners } = fromRecord(row);
    const counts = this.nodes.map(
      (_, index) => owners.filter((owner) => owner?.startsWith(`node${index + 1}#`)).length,
    );
    return areEven(counts, owners.length);
  }

  /** Returns the number of the actor's first events in its journal, one page at most. */
  async eventsOf(actor: string): Promise<number> {
    const partition = { actor, bucket: 0 };
    return (await this.read((tables) => tables.range(journal, partition, { limit: RANGE_LIMIT_MAX }))).length;
  }

  /** Reads through one connection: to open one costs far more than what is read, and tests look many times a second. */
  private async read<T>(read: (tables: CassandraTables) => Promise<T>): Promise<T> {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    this.tables ??= CassandraTables.open({ ...cassandraAddress(), keyspace: this.keyspace, replication: 1, log });
    return read(await this.tables);
  }

  async dispose(): Promise<void> {
    await this.balancer.close();
    await Promise.all(this.nodes.map((node) => node.dispose()));
    await rm(this.folder, { recursive: true, force: true });
    await this.tables?.then((tables) => tables.close()).catch(() => undefined);
    await dropKeyspace(this.keyspace);
  }
}

/**
 * Returns true for a log line that reports a bug. The loss of a lease by a node that was not scheduled for seconds is
 * none.
 */
function isFault(line: string): boolean {
  if (!line.startsWith('{')) return false;
  const { level, part, why } = JSON.parse(line) as { level: number; part?: string; why?: string };
  return level >= 50 && !(part === 'cluster' && why === 'it could not be renewed in time');
}
