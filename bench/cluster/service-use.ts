import type { LocalCluster } from '../../test/kit/services/local-cluster.js';
import { cpuSeconds } from '../process-figures.js';
import { type ServiceCounts, serviceCounts } from './service-counts.js';

/** Work of a cluster's services, and its CPU seconds. */
export interface Used extends ServiceCounts {
  readonly cassandraCpu: number;
  readonly natsCpu: number;
}

/** Measures the services' work between `begin` and `end`, summed over all such spans. */
export class ServiceUse {
  counted: Used | undefined;
  #begun: Used | undefined;

  constructor(private readonly cluster: Pick<LocalCluster, 'cassandra' | 'nats'>) {}

  async begin(): Promise<void> {
    this.#begun = await this.#used();
  }

  async end(): Promise<void> {
    const begun = this.#begun;
    if (begun === undefined) throw new Error('end was called without begin');
    const span = together(await this.#used(), begun, -1);
    this.counted = this.counted === undefined ? span : together(this.counted, span, 1);
  }

  async #used(): Promise<Used> {
    const { cassandra, nats } = this.cluster;
    return {
      ...(await serviceCounts(this.cluster)),
      cassandraCpu: cassandra.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
      natsCpu: cpuSeconds(nats.pid),
    };
  }
}

function together(a: Used, b: Used, times: 1 | -1): Used {
  const tables = [...new Set([...a.byTable.keys(), ...b.byTable.keys()])];
  return {
    natsIn: a.natsIn + times * b.natsIn,
    natsOut: a.natsOut + times * b.natsOut,
    natsBytes: a.natsBytes + times * b.natsBytes,
    reads: a.reads + times * b.reads,
    writes: a.writes + times * b.writes,
    byTable: new Map(tables.map((name) => [name, (a.byTable.get(name) ?? 0) + times * (b.byTable.get(name) ?? 0)])),
    cassandraCpu: a.cassandraCpu + times * b.cassandraCpu,
    natsCpu: a.natsCpu + times * b.natsCpu,
  };
}
