import type { Placement } from '../actors/runtime/placement/placement.js';

/** The node's placement before and after its membership exists: until then it owns no shard. */
export class PlacementSlot implements Required<Placement> {
  #owners: Placement | undefined;

  /** Membership calls it once it knows how this node owns shards. */
  fill(owners: Placement): void {
    this.#owners = owners;
  }
  epochOf(shard: number): number | undefined {
    return this.#owners?.epochOf(shard);
  }
  idFloorMs(): number {
    return this.#owners?.idFloorMs() ?? 0;
  }
  idCeilingMs(): number {
    return this.#owners?.idCeilingMs?.() ?? Number.POSITIVE_INFINITY;
  }
  format(): number {
    return this.#owners?.format?.() ?? 0;
  }
  clusterMs(): number | undefined {
    return this.#owners?.clusterMs?.();
  }
  unsteppedMs(): number {
    return this.#owners?.unsteppedMs?.() ?? Number.POSITIVE_INFINITY;
  }
  steadyMs(): number | undefined {
    return this.#owners?.steadyMs?.();
  }
  ownerEpoch(shard: number): number | undefined {
    return this.#owners?.ownerEpoch?.(shard);
  }
  async stillOwns(shard: number, epoch: number): Promise<boolean> {
    return (await this.#owners?.stillOwns?.(shard, epoch)) ?? true;
  }
}
