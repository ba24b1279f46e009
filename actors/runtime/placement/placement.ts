import type { NodeHandoffChunk, NodeHeard } from '../../../proto/gen/types.js';

/**
 * The shards that this node owns now. The runtime checks it before each command and again before each acknowledgement.
 */
export interface Placement {
  /**
   * Returns the epoch under which this node owns the shard; undefined when it does not, or when its lease may have
   * expired. Cheap: reads memory and the monotonic clock.
   */
  epochOf(shard: number): number | undefined;
  /** Returns the time up to which earlier owners may have used ids and write timestamps. New ones must be above it. */
  idFloorMs(): number;
  /**
   * Returns the latest time that ids and write timestamps may carry. The store durably records that this node may reach
   * it, so the next owner starts above it. Absent: no limit.
   */
  idCeilingMs?(): number;
  /**
   * Returns the newest format (cluster/format.ts) that every node of the cluster can read. Absent: no limit, because
   * there is no other node.
   */
  format?(): number;
  /**
   * Returns the time that most members' clocks show. Absent or undefined: too few members to tell which clock is wrong.
   */
  clusterMs?(): number | undefined;
  /**
   * Returns the latest time that rows of alarms are written for, as far as the wall clock has stepped ahead since the
   * start of the process. Absent: other nodes read these rows, too, and would not expect rows of the past.
   */
  unsteppedMs?(): number;
  /** Returns the stored time without steps of the wall clock (`SteadyClock`). Absent or undefined: none is stored. */
  steadyMs?(): number | undefined;
  /**
   * Returns the epoch under which the shard's owner, whichever node that is, was last known to own it. Requests go to
   * that epoch first. Absent or undefined: there is never another owner.
   */
  ownerEpoch?(shard: number): number | undefined;
  /**
   * Asks the store whether the shard has had no other owner since that epoch. A machine that was suspended together
   * with its clocks trusts its lease for a while. Absent: there is never another owner. @throws Unavailable
   */
  stillOwns?(shard: number, epoch: number): Promise<boolean>;
}

/** The cluster's commands to a node's runtime about shards. */
export interface ShardHost {
  /** Serves commands for shards that this node owns now, and finishes effects that an earlier owner left. */
  acquire(shards: readonly number[]): Promise<void>;
  /**
   * Refuses new commands, finishes the queued ones, takes snapshots and passes each warm activation to `warm`. Resolves
   * when nothing of these shards runs here.
   */
  release(shards: readonly number[], warm: (chunk: NodeHandoffChunk) => Promise<void>): Promise<void>;
  /**
   * Accepts a warm activation from the shard's last owner, before `acquire`, which saves reading its snapshot from the
   * store. `received`: the bus messages that this owner had received, as far as it reported them.
   */
  prime(chunk: NodeHandoffChunk, received: NodeHeard | undefined): void;
  /** Stops the shards at once after the lease was lost. Acknowledges nothing more. */
  abandon(shards: readonly number[]): void;
}
