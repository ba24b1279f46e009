import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SHARDS } from '../../../actors/domain/ids.js';
import { NODE_FLAGS } from '../../../cli/bundle.js';
import { operatorClient } from '../../../cli/operator-socket.js';
import { tied } from '../../../cluster/local/process.js';
import { until } from '../time/until.js';
import { areEven } from './even-shares.js';

export interface ClusterNodeEntry {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly data_dir: string;
}
interface ClusterFile {
  readonly nodes: readonly ClusterNodeEntry[];
  readonly cassandra: readonly { readonly address: string; readonly port: number; readonly pid: number }[];
  readonly nats: { readonly url: string; readonly pid: number; readonly monitor_url: string };
}

/** Timeout of a start: three Cassandra nodes on two cores take 30 s, longer on a busy machine. */
const START_MS_MAX = 600_000;
const READY_MS_MAX = 180_000;
/** Last lines of a log in a report. */
const TRACED_LINES = 10;
/** Repeats the removal of a folder in which a service that is being killed still creates files. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;

/** The cluster that `npm run cluster` runs: Cassandra, nats-server and node processes, as a user starts them. */
export class LocalCluster {
  private constructor(
    readonly dir: string,
    private readonly supervisor: ChildProcess,
    private readonly command: string,
    private file: ClusterFile,
  ) {}

  /**
   * Starts a cluster. @param command the built `cluster/local/main.js`; @param dir a folder of this run, emptied first
   */
  static async start(
    command: string,
    dir: string,
    flags: readonly string[],
    settings: Readonly<Record<string, string>>,
  ): Promise<LocalCluster> {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true });
    const log = openSync(join(dir, 'supervisor.log'), 'a');
    const child = spawn(...tied(process.execPath, [...NODE_FLAGS, command, '--dir', dir, ...flags]), {
      env: { ...process.env, ...settings },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const file = await until(
      'cluster.json',
      async () => {
        if (child.exitCode !== null) throw new Error(`the cluster command ended with ${child.exitCode}; see ${dir}`);
        return readFile(join(dir, 'cluster.json'), 'utf8').then(
          (text) => JSON.parse(text) as ClusterFile,
          () => undefined,
        );
      },
      START_MS_MAX,
    );
    const cluster = new LocalCluster(dir, child, command, file);
    await cluster.settled();
    return cluster;
  }

  get nodes(): readonly ClusterNodeEntry[] {
    return this.file.nodes;
  }
  get urls(): string[] {
    return this.file.nodes.map((node) => node.url);
  }
  get cassandra(): ClusterFile['cassandra'] {
    return this.file.cassandra;
  }
  /** Returns one of the Cassandra nodes in the form that settings use. */
  get contactPoint(): string {
    const [first] = this.file.cassandra;
    if (first === undefined) throw new Error('no Cassandra');
    return `${first.address}:${first.port}`;
  }
  get nats(): ClusterFile['nats'] {
    return this.file.nats;
  }
  node(index: number): ClusterNodeEntry {
    const node = this.file.nodes[index];
    if (node === undefined) throw new Error(`no node ${index}`);
    return node;
  }

  /** Resolves when the node at that address is ready. */
  async ready(url: string): Promise<void> {
    await until(
      `${url} ready`,
      () =>
        fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(10_000) }).then(
          (response) => response.status === 200 || undefined,
          () => undefined,
        ),
      READY_MS_MAX,
    );
  }

  /** True when the nodes own the shards evenly. A node is ready with its first shards, and handovers go on. */
  private async isBalanced(): Promise<boolean> {
    const states = (await Promise.all(
      this.nodes.map((node) => operatorClient(node.data_dir)('status', {})),
    )) as readonly { readonly shards?: number }[];
    const counts = states.map(({ shards }) => Number(shards));
    return areEven(counts, SHARDS);
  }

  /** Starts everything again that has ended; resolves when the nodes own the shards evenly. */
  async mend(): Promise<void> {
    const { nats, cassandra, nodes } = this.file;
    if (!alive(nats.pid)) await this.restart('nats');
    for (const [index, { pid }] of cassandra.entries()) if (!alive(pid)) await this.restart(`cassandra-${index + 1}`);
    for (const { pid, name } of nodes) if (!alive(pid)) await this.restart(name);
    await this.settled();
  }

  private async settled(): Promise<void> {
    try {
      await Promise.all(this.urls.map((url) => this.ready(url)));
      await until('even shares', () => this.isBalanced(), READY_MS_MAX);
    } catch (error) {
      throw new Error(await this.traces(), { cause: error });
    }
  }

  /** Describes each process for a report: its state as the kernel has it (proc(5)), and the end of its log. */
  private async traces(): Promise<string> {
    const { nats, cassandra, nodes } = this.file;
    const all = [
      { name: 'nats', pid: nats.pid, log: join(this.dir, 'nats.log') },
      ...cassandra.map(({ pid }, index) => ({
        name: `cassandra-${index + 1}`,
        pid,
        log: join(this.dir, `cassandra-${index + 1}`, 'cassandra.log'),
      })),
      ...nodes.map(({ name, pid, data_dir }) => ({ name, pid, log: join(data_dir, 'node.log') })),
    ];
    const traces = all.map(async ({ name, pid, log }) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: none');
      const lines = await readFile(log, 'utf8').catch(() => '');
      const last = lines.trimEnd().split('\n').slice(-TRACED_LINES).join('\n');
      return `${name} (${pid}) ${/State:.*/.exec(status)?.[0]}\n${last}`;
    });
    return (await Promise.all(traces)).join('\n');
  }

  /** Resolves when the process has ended. */
  async gone(pid: number, timeoutMs: number): Promise<void> {
    await until(`process ${pid} gone`, () => !alive(pid) || undefined, timeoutMs);
  }

  /** Restarts a part that has ended, as `npm run cluster -- start NAME --dir DIR` does; resolves when it is ready. */
  async restart(name: string): Promise<void> {
    const child = spawn(process.execPath, [this.command, 'start', name, '--dir', this.dir], { stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`cluster start ${name} ended with ${code}`);
    await this.refresh();
  }

  /** Lets this process end while the cluster runs; its end then ends the cluster and deletes the folder. */
  endWithProcess(): void {
    this.supervisor.unref();
    process.once('exit', () => {
      this.supervisor.kill('SIGKILL');
      rmSync(this.dir, REMOVAL);
    });
  }

  /** Ends all processes at once and deletes the folder: Cassandra takes 14 s for a regular stop. */
  async stop(): Promise<void> {
    if (this.supervisor.exitCode === null && this.supervisor.signalCode === null) {
      const ended = once(this.supervisor, 'exit');
      // Its services and nodes are tied to it: the kernel kills them.
      this.supervisor.kill('SIGKILL');
      await ended;
    }
    await rm(this.dir, REMOVAL);
  }

  private async refresh(): Promise<void> {
    this.file = JSON.parse(await readFile(join(this.dir, 'cluster.json'), 'utf8')) as ClusterFile;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
