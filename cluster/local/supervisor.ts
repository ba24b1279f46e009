import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type LocalCassandra, startCassandra } from './cassandra.js';
import { type LocalNats, startNats } from './nats.js';
import { isRunning, listening, type StartedProcess, startProcess } from './process.js';

export interface ClusterOptions {
  readonly nodes: number;
  readonly cassandra: number;
  /** Port of the first node; the others follow. */
  readonly port: number;
  readonly dir: string;
  /** The built main.js that each node runs, with the Node flags of this process. */
  readonly main: string;
}

/** Timeout of a node's start: it takes some seconds, a minute on two busy cores, several beside ten other nodes. */
const READY_MS_MAX = 600_000;
/** Timeout of one readiness request, after which it is repeated. */
const ANSWER_MS_MAX = 10_000;
const PROBE_MS = 100;
/** Small heaps, because three nodes of Cassandra share the machine with everything else. */
const HEAP_MB = 384;

/** Cassandra, nats-server and the nodes of one cluster on this machine. */
export class Supervisor {
  private cassandra: LocalCassandra | undefined;
  private nats: LocalNats | undefined;
  private readonly running = new Map<string, StartedProcess>();
  private readonly secret = randomBytes(24).toString('base64url');
  private readonly ending = new AbortController();
  private startup: Promise<void> = Promise.resolve();

  constructor(private readonly options: ClusterOptions) {}

  /** Resolves when all nodes are ready and DIR/cluster.json lists them. */
  start(): Promise<void> {
    this.startup = this.startAll();
    return this.startup;
  }

  private async startAll(): Promise<void> {
    const { dir, cassandra, nodes } = this.options;
    const { signal } = this.ending;
    await mkdir(dir, { recursive: true });
    await rm(this.file, { force: true });
    this.nats = await startNats({ dir, signal });
    this.cassandra = await startCassandra({ dir, nodes: cassandra, heapMb: HEAP_MB, signal });
    // The first node creates the schema.
    await this.startNode('node1');
    const others = Array.from({ length: nodes - 1 }, (_, index) => `node${index + 2}`);
    await Promise.all(others.map((name) => this.startNode(name)));
    await this.publish();
  }

  /**
   * Starts a part again that has ended: `node2`, `cassandra-2` or `nats`; resolves when it is ready and DIR/cluster.json
   * names its new process. @throws for another name, or while it is running
   */
  async restart(name: string): Promise<void> {
    const replica = Number(/^cassandra-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (replica >= 1 && replica <= this.options.cassandra) await this.cassandra?.restart(replica);
    else if (name === 'nats') await this.restartNats();
    else await this.startNode(name);
    await this.publish();
  }

  private async restartNats(): Promise<void> {
    if (this.nats === undefined || isRunning(this.nats)) throw new Error('nats is running');
    const port = Number(new URL(this.nats.url).port);
    this.nats = await startNats({ dir: this.options.dir, port, signal: this.ending.signal });
  }

  private async startNode(name: string): Promise<void> {
    const index = Number(/^node(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (!(index >= 1 && index <= this.options.nodes)) throw new Error(`there is no ${name}`);
    if (isRunning(this.running.get(name))) throw new Error(`${name} is running`);
    const dataDir = this.dataDir(name);
    await mkdir(dataDir, { recursive: true });
    this.ending.signal.throwIfAborted();
    const port = this.options.port + index - 1;
    const started = startProcess(
      process.execPath,
      [...process.execArgv, this.options.main],
      join(dataDir, 'node.log'),
      {
        ...process.env,
        ...this.settings(name, port, dataDir),
      },
    );
    this.running.set(name, started);
    await listening(started, '127.0.0.1', port, READY_MS_MAX, name, this.ending.signal);
    await this.ready(started, name, port);
  }

  /** Stops everything, including processes that are still starting. */
  async stop(): Promise<void> {
    this.ending.abort(new Error('the cluster is stopping'));
    await this.startup.catch(() => undefined);
    await Promise.all([...this.running.values()].map((node) => node.stop()));
    await Promise.all([this.cassandra?.stop(), this.nats?.stop()]);
    await rm(this.file, { force: true });
  }

  private get file(): string {
    return join(this.options.dir, 'cluster.json');
  }
  private dataDir(name: string): string {
    return resolve(join(this.options.dir, name));
  }
  private url(name: string): string {
    return `http://127.0.0.1:${this.options.port + Number(name.slice('node'.length)) - 1}`;
  }

  /** Returns a node's settings: those of this command, except for the ones that form the cluster. */
  private settings(name: string, port: number, dataDir: string): Record<string, string> {
    return {
      MURMURATION_BASE_URL: this.url(name),
      MURMURATION_DOMAIN: `localhost:${this.options.port}`,
      ...(process.env as Record<string, string>),
      MURMURATION_PORT: String(port),
      MURMURATION_NODE_NAME: name,
      MURMURATION_DATA_DIR: dataDir,
      MURMURATION_STORE: 'cassandra',
      MURMURATION_CASSANDRA_CONTACT_POINTS: (this.cassandra?.contactPoints ?? []).join(','),
      MURMURATION_CASSANDRA_REPLICATION: String(Math.min(3, this.options.cassandra)),
      MURMURATION_NATS_URL: this.nats?.url ?? '',
      MURMURATION_CLUSTER_SECRET: process.env.MURMURATION_CLUSTER_SECRET || this.secret,
    };
  }

  private async ready(started: StartedProcess, name: string, port: number): Promise<void> {
    const { signal } = this.ending;
    const deadline = Date.now() + READY_MS_MAX;
    while (isRunning(started) && Date.now() < deadline) {
      signal.throwIfAborted();
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
      }).catch(() => undefined);
      if (answer?.status === 200) return;
      await new Promise((done) => setTimeout(done, PROBE_MS));
    }
    throw new Error(`${name} did not become ready; see ${join(this.dataDir(name), 'node.log')}`);
  }

  private async publish(): Promise<void> {
    const nodes = [...this.running].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
    const content = {
      nodes: nodes.map(([name, { pid }]) => ({ name, url: this.url(name), pid, data_dir: this.dataDir(name) })),
      cassandra: this.cassandra?.nodes ?? [],
      nats: { url: this.nats?.url, pid: this.nats?.pid, monitor_url: this.nats?.monitorUrl },
    };
    await writeFile(`${this.file}.new`, `${JSON.stringify(content, null, 2)}\n`);
    await rename(`${this.file}.new`, this.file);
  }
}
