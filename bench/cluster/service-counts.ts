import cassandra from 'cassandra-driver';

/** Work of a cluster's services since their start. */
export interface ServiceCounts {
  /** Messages from nodes to NATS, and from NATS to nodes; bytes of both. */
  readonly natsIn: number;
  readonly natsOut: number;
  readonly natsBytes: number;
  /** Reads and writes of partitions as Cassandra's coordinators count them, over all tables of the keyspace. */
  readonly reads: number;
  readonly writes: number;
  readonly byTable: ReadonlyMap<string, number>;
}

interface Services {
  readonly nats: { readonly monitor_url: string };
  readonly cassandra: readonly { readonly address: string; readonly port: number }[];
}

const KEYSPACE = 'murmuration';
const LATENCIES = ['coordinator_read_latency', 'coordinator_scan_latency', 'coordinator_write_latency'];

/**
 * Reads the counts. Sources: nats-server's /varz; Cassandra's virtual tables in system_views, which each node answers
 * for itself.
 */
export async function serviceCounts({ nats, cassandra: nodes }: Services): Promise<ServiceCounts> {
  const varz = (await (await fetch(`${nats.monitor_url}/varz`)).json()) as Record<string, number>;
  const byTable = new Map<string, number>();
  let [reads, writes] = [0, 0];
  for (const { address, port } of nodes) {
    const client = new cassandra.Client({
      contactPoints: [address],
      protocolOptions: { port },
      localDataCenter: 'datacenter1',
      policies: {
        loadBalancing: new cassandra.policies.loadBalancing.AllowListPolicy(
          new cassandra.policies.loadBalancing.DCAwareRoundRobinPolicy('datacenter1'),
          [`${address}:${port}`],
        ),
      },
    });
    try {
      for (const view of LATENCIES) {
        const { rows } = await client.execute(`SELECT * FROM system_views.${view}`);
        for (const row of rows.filter(({ keyspace_name: keyspace }) => keyspace === KEYSPACE)) {
          const count = Number(row.count);
          if (view === 'coordinator_write_latency') writes += count;
          else reads += count;
          const key = `${view.split('_')[1]} ${row.table_name}`;
          byTable.set(key, (byTable.get(key) ?? 0) + count);
        }
      }
    } finally {
      await client.shutdown();
    }
  }
  const { in_msgs = 0, out_msgs = 0, in_bytes = 0, out_bytes = 0 } = varz;
  return { natsIn: in_msgs, natsOut: out_msgs, natsBytes: in_bytes + out_bytes, reads, writes, byTable };
}
