import { randomBytes } from 'node:crypto';
import { Balancer } from './balancer.js';
import { cassandraSettings, dropKeyspace } from './cassandra.js';
import { ServerProcess } from './server-process.js';

const NODES = 3;

/** Three nodes, processes of their own, over the Cassandra and the NATS that all test files share. */
export class ThreeNodes {
  private constructor(
    readonly nodes: readonly ServerProcess[],
    /** Each request goes to another node. */
    readonly balancer: Balancer,
    private readonly keyspace: string,
  ) {}

  /** @param settings by name without the prefix */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ThreeNodes> {
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
    const node = (index: number) => ServerProcess.start({ ...common, NODE_NAME: `node${index + 1}` });
    // The first one makes the schema; the others then find it.
    const nodes = [await node(0)];
    nodes.push(...(await Promise.all(Array.from({ length: NODES - 1 }, (_, index) => node(index + 1)))));
    urls.push(...nodes.map(({ url }) => url));
    return new ThreeNodes(nodes, balancer, keyspace);
  }

  node(index: number): ServerProcess {
    const node = this.nodes[index % NODES];
    if (node === undefined) throw new Error(`no node ${index}`);
    return node;
  }
  get urls(): string[] {
    return this.nodes.map(({ url }) => url);
  }

  async dispose(): Promise<void> {
    await this.balancer.close();
    await Promise.all(this.nodes.map((node) => node.dispose()));
    await dropKeyspace(this.keyspace);
  }
}
