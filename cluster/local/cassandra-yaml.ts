/** Parameters of one node of a loopback ring. */
export interface CassandraNodeConfig {
  readonly dir: string;
  readonly address: string;
  /** From 0. */
  readonly index: number;
  readonly nodes: number;
  readonly port: number;
  readonly storagePort: number;
}

/** Returns a cassandra.yaml for trials and tests: one token per node, evenly spread, no bootstrap; fsync stays on. */
export function cassandraYaml(node: CassandraNodeConfig): string {
  const token = (2n ** 64n / BigInt(node.nodes)) * BigInt(node.index) - 2n ** 63n;
  // All nodes are seeds, so that none waits for another.
  const seeds = Array.from({ length: node.nodes }, (_, index) => `127.0.1.${index + 1}:${node.storagePort}`);
  return `cluster_name: murmuration-local
num_tokens: 1
initial_token: ${token}
auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "${seeds.join(',')}"
listen_address: ${node.address}
rpc_address: ${node.address}
native_transport_port: ${node.port}
storage_port: ${node.storagePort}
data_file_directories: ["${node.dir}/data"]
commitlog_directory: "${node.dir}/commitlog"
saved_caches_directory: "${node.dir}/saved_caches"
hints_directory: "${node.dir}/hints"
cdc_raw_directory: "${node.dir}/cdc_raw"
commitlog_sync: batch
authenticator: AllowAllAuthenticator
authorizer: AllowAllAuthorizer
role_manager: CassandraRoleManager
memtable_heap_space: 64MiB
memtable_offheap_space: 64MiB
file_cache_size: 32MiB
key_cache_size: 8MiB
row_cache_size: 0MiB
counter_cache_size: 0MiB
commitlog_segment_size: 8MiB
commitlog_total_space: 256MiB
concurrent_reads: 16
concurrent_writes: 32
native_transport_max_threads: 32
concurrent_compactors: 1
compaction_throughput: 32MiB/s
write_request_timeout: 5000ms
read_request_timeout: 5000ms
range_request_timeout: 10000ms
cas_contention_timeout: 2000ms
paxos_variant: v2
request_timeout: 10000ms
slow_query_log_timeout: 10000ms
auto_snapshot: false
unlogged_batch_across_partitions_warn_threshold: 60
batch_size_warn_threshold: 32KiB
materialized_views_enabled: false
`;
}
