import { SHARDS } from '../actors/domain/ids.js';
import { Unavailable } from '../actors/domain/problem.js';
import type { Placement, ShardHost } from '../actors/runtime/placement.js';
import type { NodeNodeStatus } from '../proto/gen/types.js';
import { shardMap } from '../store/tables.js';
import type { ClusterContext } from './context.js';
import type { Readiness } from './readiness.js';
import { memberId } from './rendezvous.js';
import { EMPTY_MAP, fromRecord, type ShardMap, toRecord } from './shard-map.js';

const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/**
 * One node that owns everything, without leases: the store is its own (an embedded one is locked by its process). The
 * epoch grows with each start, so that what an earlier process left half done is told apart.
 */
export class SoloPlacement implements Placement {
  private map: ShardMap = EMPTY_MAP;
  private host: ShardHost | undefined;
  private readonly startedMs: number;

  constructor(private readonly context: Pick<ClusterContext, 'tables' | 'clock' | 'random' | 'cluster' | 'name'>) {
    this.startedMs = context.clock.monotonicMs();
  }

  epochOf(_shard: number): number | undefined {
    return this.host === undefined ? undefined : this.map.version;
  }

  idFloorMs(): number {
    return this.map.idFloorMs;
  }

  /** Raises the epoch, durably, then lets the host run all shards. @throws Unavailable */
  async start(host: ShardHost): Promise<void> {
    const { tables, clock, random, cluster, name } = this.context;
    const before = await tables.get(shardMap, { cluster });
    const version = (before === undefined ? EMPTY_MAP : fromRecord(before)).version + 1;
    const member = memberId(name, Buffer.from(random.bytes(8)).toString('hex'));
    const next: ShardMap = {
      version,
      owners: ALL_SHARDS.map(() => member),
      epochs: ALL_SHARDS.map(() => version),
      idFloorMs: Math.max(before?.idFloorMs ?? 0, clock.nowMs()),
    };
    const { applied } = await tables.compareAndSet(shardMap, { cluster }, before, toRecord(next));
    if (!applied) throw new Unavailable('another process has taken the shards at the same time');
    this.map = next;
    this.host = host;
    await host.acquire(ALL_SHARDS);
  }

  /** Finishes what was taken and snapshots; nothing runs here afterwards. */
  async drain(): Promise<void> {
    await this.host?.release(ALL_SHARDS, async () => undefined);
    this.host = undefined;
  }

  readiness(): Readiness {
    return this.host === undefined ? { ready: false, why: 'not started' } : { ready: true };
  }

  status(): NodeNodeStatus {
    return {
      name: this.context.name,
      incarnation: '',
      state: this.host === undefined ? 'joining' : 'up',
      shards: this.host === undefined ? 0 : SHARDS,
      activations: 0,
      mapVersion: this.map.version,
      members: [this.context.name],
      uptimeMs: this.context.clock.monotonicMs() - this.startedMs,
    };
  }
}
