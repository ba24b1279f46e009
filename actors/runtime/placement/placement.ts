import type { NodeHandoffChunk, NodeHeard } from '../../../proto/gen/types.js';

/** Which shards this node owns now; asked before each command and again before each acknowledgement. */
export interface Placement {
  /**
   * The epoch under which this node owns the shard, undefined when it does not or its lease could have run out.
   * Cheap: reads memory and the monotonic clock.
   */
  epochOf(shard: number): number | undefined;
  /** No id or write timestamp at or below this time may be used: earlier owners may have used it. */
  idFloorMs(): number;
  /**
   * The latest time that ids and write timestamps may carry: the store durably knows that this node may reach it, so the
   * next owner starts above it. Absent: no limit.
   */
  idCeilingMs?(): number;
  /**
   * The newest format (cluster/format.ts) that every node of the cluster can read. Absent: no limit, there are no others.
   */
  format?(): number;
  /**
   * The time that most members' clocks show. Absent or undefined: there are too few to tell whose clock is wrong.
   */
  clusterMs?(): number | undefined;
  /** Time without the steps of the wall clock (`SteadyClock`), as far as it is stored. Absent or undefined: it is not. */
  steadyMs?(): number | undefined;
  /**
   * Under which epoch the shard's owner, whichever node that is, was last known to own it: there it is asked first.
   * Absent or undefined: there never is another owner.
   */
  ownerEpoch?(shard: number): number | undefined;
  /**
   * Asks the store whether the shard has had no other owner since that epoch. A machine that stood still together with
   * its clocks believes in its lease for a while. Absent: there never is another owner. @throws Unavailable
   */
  stillOwns?(shard: number, epoch: number): Promise<boolean>;
}

/** What the cluster tells a node's runtime to do with shards. */
export interface ShardHost {
  /** This node owns them now: serve commands for them, and finish effects that an earlier owner left. */
  acquire(shards: readonly number[]): Promise<void>;
  /**
   * Take no more commands, finish those taken, snapshot, hand each warm activation to `warm`; resolves when nothing
   * of these shards runs here.
   */
  release(shards: readonly number[], warm: (chunk: NodeHandoffChunk) => Promise<void>): Promise<void>;
  /**
   * A warm activation from the shard's last owner, before `acquire`: saves reading its snapshot from the store. `heard`:
   * what that owner had heard on the bus, as far as it has said.
   */
  prime(chunk: NodeHandoffChunk, heard: NodeHeard | undefined): void;
  /** The lease is lost: stop at once, acknowledge nothing more. */
  abandon(shards: readonly number[]): void;
}
