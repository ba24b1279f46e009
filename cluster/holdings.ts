import type { ShardHost } from '../actors/runtime/placement/placement.js';
import type { NodeHandoffChunk } from '../proto/gen/types.js';
import type { ClusterContext } from './context.js';
import { within } from './patience.js';
import { type ShardMap, shardsOf } from './shard-map.js';

/** A release that takes longer is broken off: commands finish in milliseconds, effects are left to the next owner. */
const RELEASE_MS_MAX = 5_000;

/** The shards that this node runs, and under which epoch. */
export class Holdings {
  private readonly epochs = new Map<number, number>();
  private readonly acquiring = new Set<number>();
  /** Released or being released: not taken up again before the map's change is certain. */
  private readonly leaving = new Set<number>();
  private generation = 0;

  constructor(
    private readonly context: ClusterContext,
    private readonly host: ShardHost,
  ) {}

  get size(): number {
    return this.epochs.size;
  }

  epochOf(shard: number): number | undefined {
    return this.epochs.get(shard);
  }

  /** True when everything that the map gives to this node is served. */
  complete(map: ShardMap, member: string): boolean {
    if (this.acquiring.size > 0) return false;
    return shardsOf(map, member).every((shard) => this.epochs.get(shard) === map.epochs[shard]);
  }

  /** Takes up what the map gives this node; drops what it does not. Tried again at the next call when the host fails. */
  reconcile(map: ShardMap, member: string): void {
    const mine = new Set(shardsOf(map, member));
    const lost = [...this.epochs.keys()].filter(
      (shard) => !this.leaving.has(shard) && (!mine.has(shard) || this.epochs.get(shard) !== map.epochs[shard]),
    );
    if (lost.length > 0) this.drop(lost);
    const gained = [...mine].filter((shard) => !this.leaving.has(shard) && !this.epochs.has(shard));
    if (gained.length > 0) void this.acquire(gained, map);
  }

  /**
   * Stops serving them; resolves when nothing of them runs here. They stay out of `reconcile` until `settle`.
   * @throws Unavailable when the lease was lost meanwhile: all is dropped already
   */
  async release(shards: readonly number[], warm: (chunk: NodeHandoffChunk) => Promise<void>): Promise<void> {
    const { generation } = this;
    for (const shard of shards) this.leaving.add(shard);
    try {
      await within(this.context.clock, RELEASE_MS_MAX, 'releasing shards', this.host.release(shards, warm));
    } catch (error) {
      this.context.log.warn({ err: error, shards: shards.length }, 'shards are dropped, for their release failed');
      if (generation === this.generation) this.host.abandon(shards);
    }
    if (generation === this.generation) for (const shard of shards) this.epochs.delete(shard);
  }

  /** The map has changed, or certainly will not: what `release` set apart may be looked at again. */
  settle(shards: readonly number[]): void {
    for (const shard of shards) this.leaving.delete(shard);
  }

  /** The lease is lost. */
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
      this.context.log.info({ shards: shards.length, version: map.version }, 'took up shards');
    } catch (error) {
      this.context.log.error({ err: error, shards: shards.length }, 'could not take up shards; trying again');
      if (generation === this.generation) this.drop(shards.filter((shard) => this.acquiring.has(shard)));
    }
    if (generation === this.generation) for (const shard of shards) this.acquiring.delete(shard);
  }

  private drop(shards: readonly number[]): void {
    for (const shard of shards) this.epochs.delete(shard);
    this.host.abandon(shards);
  }
}
