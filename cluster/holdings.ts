import type { ShardHost } from '../actors/runtime/placement/placement.js';
import type { NodeHandoffChunk } from '../proto/gen/types.js';
import type { ClusterContext } from './context.js';
import { within } from './patience.js';
import { type ShardMap, shardsOf } from './shard-map.js';

/** Timeout of a release: commands finish in milliseconds, and the next owner resumes the effects. */
const RELEASE_MS_MAX = 5_000;

/** The shards that this node runs, with their epochs. */
export class Holdings {
  private readonly epochs = new Map<number, number>();
  private readonly acquiring = new Set<number>();
  /** Shards that are released or being released: not acquired again before the outcome of the map's change is known. */
  private readonly leaving = new Set<number>();
  private generation = 0;

  constructor(
    private readonly context: ClusterContext,
    private readonly host: ShardHost,
  ) {}

  get size(): number {
    return this.epochs.size;
  }

  /** The epochs of these shards. */
  get held(): ReadonlyMap<number, number> {
    return this.epochs;
  }

  /** True when this node serves every shard that the map assigns to it. */
  complete(map: ShardMap, member: string): boolean {
    if (this.acquiring.size > 0) return false;
    return shardsOf(map, member).every((shard) => this.epochs.get(shard) === map.epochs[shard]);
  }

  /**
   * Acquires shards that the map assigns to this node and drops the others. The next call retries what the host failed
   * to do.
   */
  reconcile(map: ShardMap, member: string): void {
    const lost: number[] = [];
    for (const [shard, epoch] of this.epochs) {
      const isMine = map.owners[shard] === member && map.epochs[shard] === epoch;
      if (!isMine && !this.leaving.has(shard)) lost.push(shard);
    }
    if (lost.length > 0) this.drop(lost);
    const mine = shardsOf(map, member);
    const gained = mine.filter((shard) => !this.epochs.has(shard) && !this.leaving.has(shard));
    if (gained.length > 0) void this.acquire(gained, map);
  }

  /**
   * Stops serving the shards; resolves when nothing of them runs here. `reconcile` ignores them until `settle`.
   * @throws Unavailable when the lease was lost meanwhile: all shards are dropped already
   */
  async release(shards: readonly number[], warm: (chunk: NodeHandoffChunk) => Promise<void>): Promise<void> {
    const { generation } = this;
    for (const shard of shards) this.leaving.add(shard);
    try {
      await within(this.context.clock, RELEASE_MS_MAX, 'releasing shards', this.host.release(shards, warm));
    } catch (error) {
      this.context.log.warn({ err: error, shards: shards.length }, 'failed to release shards: dropped them');
      if (generation === this.generation) this.host.abandon(shards);
    }
    if (generation === this.generation) for (const shard of shards) this.epochs.delete(shard);
  }

  /** Makes `reconcile` consider released shards again: the map has changed, or certainly will not. */
  settle(shards: readonly number[]): void {
    for (const shard of shards) this.leaving.delete(shard);
  }

  /** Drops all shards after the loss of the lease. */
  abandonAll(): void {
    this.generation += 1;
    const all = [...this.epochs.keys()];
    this.leaving.clear();
    this.acquiring.clear();
    this.drop(all);
  }

  private async acquire(shards: readonly number[], map: ShardMap): Promise<void> {
    const { generation } = this;
    for (const shard of shards) {
      this.epochs.set(shard, map.epochs[shard] ?? 0);
      this.acquiring.add(shard);
    }
    try {
      await this.host.acquire(shards);
      this.context.log.info({ shards: shards.length, version: map.version }, 'acquired shards');
    } catch (error) {
      this.context.log.error({ err: error, shards: shards.length }, 'failed to acquire shards; trying again');
      if (generation === this.generation) this.drop(shards.filter((shard) => this.acquiring.has(shard)));
    }
    if (generation === this.generation) for (const shard of shards) this.acquiring.delete(shard);
  }

  private drop(shards: readonly number[]): void {
    for (const shard of shards) this.epochs.delete(shard);
    this.host.abandon(shards);
  }
}
