import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalCassandra, startCassandra } from '../../cluster/local/cassandra.js';
import { type LocalNats, startNats } from '../../cluster/local/nats.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';

const HEAP_MB = 512;
/** First of the group ids by which the packet filter identifies the nodes; usual machines have no such group. */
const FIRST_GROUP = 54_300;
/** From Debian's package libfaketime. */
export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

export interface Member {
  readonly server: ServerProcess;
  readonly group: number;
  /** File with the offset of this node's wall clock, which libfaketime reads at each call. */
  readonly clockFile: string;
}

/** Bundled programs as processes on real services, embedded or three in a cluster. */
export class System {
  readonly members: Member[] = [];
  private cassandra: LocalCassandra | undefined;
  private nats: LocalNats | undefined;

  private constructor(private readonly dir: string) {}

  static async start(nodes: number | 'embedded'): Promise<System> {
    const system = new System(await mkdtemp(join(tmpdir(), 'murmuration-endurance-')));
    try {
      if (nodes === 'embedded') await system.addMember({});
      else await system.startCluster(nodes);
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  get urls(): string[] {
    return this.members.map(({ server }) => server.url);
  }
  get isCluster(): boolean {
    return this.cassandra !== undefined;
  }

  private async startCluster(nodes: number): Promise<void> {
    this.nats = await startNats({ dir: this.dir });
    this.cassandra = await startCassandra({ dir: this.dir, nodes: 1, heapMb: HEAP_MB });
    const settings = {
      STORE: 'cassandra',
      CASSANDRA_CONTACT_POINTS: this.cassandra.contactPoints.join(','),
      CASSANDRA_REPLICATION: '1',
      NATS_URL: this.nats.url,
      CLUSTER_SECRET: randomBytes(24).toString('base64url'),
      DOMAIN: 'endurance.example',
    };
    for (let index = 1; index <= nodes; index++) await this.addMember({ ...settings, NODE_NAME: `node${index}` });
  }

  private async addMember(settings: Readonly<Record<string, string>>): Promise<void> {
    const index = this.members.length;
    const group = FIRST_GROUP + index;
    const program = join(this.dir, `node-of-group-${group}`);
    await writeFile(program, `#!/bin/sh\nexec setpriv --regid ${group} --clear-groups ${process.execPath} "$@"\n`);
    await chmod(program, 0o755);
    const clockFile = join(this.dir, `clock-${group}`);
    await writeFile(clockFile, '+0s');
    const clock = {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    // A process of another group than this one's cannot get a limit of file sizes.
    const server = await ServerProcess.start(settings, clock, this.isCluster ? program : process.execPath);
    this.members.push({ server, group, clockFile });
  }

  /** Kills Cassandra and restarts it on its data after `pauseMs`. */
  async bounceCassandra(pauseMs: number): Promise<void> {
    const { cassandra } = this;
    const [node] = cassandra?.nodes ?? [];
    if (cassandra === undefined || node === undefined) return;
    process.kill(node.pid, 'SIGKILL');
    await passed(pauseMs);
    this.cassandra = await startCassandra({ dir: this.dir, nodes: 1, heapMb: HEAP_MB, port: node.port });
  }

  async bounceNats(pauseMs: number): Promise<void> {
    const { nats } = this;
    if (nats === undefined) return;
    process.kill(nats.pid, 'SIGKILL');
    await passed(pauseMs);
    this.nats = await startNats({ dir: this.dir, port: Number(new URL(nats.url).port) });
  }

  /** Ensures that every node runs and is ready. */
  async ready(): Promise<void> {
    for (const { server } of this.members) {
      if (!server.running) await server.restart();
      const isReady = () =>
        fetch(`${server.url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
          ({ status }) => status === 200,
          () => false,
        );
      await until(`${server.url} ready`, isReady, 120_000);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ server }) => server.dispose()));
    await Promise.all([this.cassandra?.stop(), this.nats?.stop()]);
    await rm(this.dir, { recursive: true, force: true });
  }
}

export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
