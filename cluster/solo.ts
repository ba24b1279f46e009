import { SHARDS } from '../actors/domain/ids.js';
import { Unavailable } from '../actors/domain/problem.js';
import type { Timer } from '../actors/domain/time.js';
import type { Placement, ShardHost } from '../actors/runtime/placement/placement.js';
import type { NodeNodeStatus, StoreShardMapRecord } from '../proto/gen/types.js';
import { shardMap } from '../store/tables.js';
import type { ClusterContext } from './context.js';
import { FormatTooOld } from './format.js';
import type { Readiness } from './readiness.js';
import { memberId } from './rendezvous.js';
import { EMPTY_MAP, fromRecord, type ShardMap, toRecord } from './shard-map.js';

const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Interval at which the latest allowed time of ids is stored. */
const RESERVE_EVERY_MS = 5_000;
/**
 * How far ahead of the clock that time is stored: after a kill the ids of the next start begin at most this far ahead.
 * Longer than the interval, so that a slow disk does not block ids.
 */
const RESERVE_AHEAD_MS = 8_000;

/**
 * Placement of a single node that owns all shards, without leases: only this process uses the store (an embedded one is
 * locked). The epoch increases with each start, which distinguishes the unfinished work of an earlier process. Ids stay
 * below the stored time, and a start creates ids above it: ids are not repeated when the clock was set back between two
 * starts.
 */
export class SoloPlacement implements Placement {
  private map: ShardMap = EMPTY_MAP;
  private host: ShardHost | undefined;
  private readonly startedMs: number;
  /** Wall clock at the start. */
  private readonly startedWallMs: number;
  private floorMs = 0;
  /** The stored row. */
  private stored: StoreShardMapRecord | undefined;
  /** Steady time, and the reading of the monotonic clock at the same moment. */
  private steady = { ms: 0, monotonicMs: 0 };
  private timer: Timer | undefined;
  private reserving: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: Pick<
      ClusterContext,
      'tables' | 'clock' | 'random' | 'log' | 'cluster' | 'name' | 'program' | 'stampedMs'
    >,
  ) {
    this.startedMs = context.clock.monotonicMs();
    this.startedWallMs = context.clock.nowMs();
  }

  epochOf(_shard: number): number | undefined {
    return this.host === undefined ? undefined : this.map.version;
  }

  idFloorMs(): number {
    return this.floorMs;
  }

  idCeilingMs(): number {
    return this.stored?.idFloorMs ?? 0;
  }

  steadyMs(): number | undefined {
    return this.host && this.steadyNowMs();
  }

  unsteppedMs(): number {
    return this.startedWallMs + this.context.clock.monotonicMs() - this.startedMs;
  }

  format(): number {
    return this.map.format;
  }

  /** Raises the epoch and the format, durably, then lets the host run all shards. @throws FormatTooOld; Unavailable */
  async start(host: ShardHost): Promise<void> {
    const { tables, clock, random, cluster, name, program } = this.context;
    const before = await tables.get(shardMap, { cluster });
    if (before !== undefined && before.format > program.format) throw new FormatTooOld(program, before);
    const version = (before === undefined ? EMPTY_MAP : fromRecord(before)).version + 1;
    const member = memberId(name, Buffer.from(random.bytes(8)).toString('hex'));
    const next: ShardMap = {
      version,
      owners: ALL_SHARDS.map(() => member),
      epochs: ALL_SHARDS.map(() => version),
      idFloorMs: Math.max(before?.idFloorMs ?? 0, clock.nowMs()) + RESERVE_AHEAD_MS,
      format: program.format,
      formatVersion: before?.format === program.format ? before.formatVersion : program.version,
    };
    this.steady = { ms: before?.steadyMs ?? clock.nowMs(), monotonicMs: clock.monotonicMs() };
    const record = { ...toRecord(next), steadyMs: this.steady.ms } as StoreShardMapRecord;
    const { applied } = await tables.compareAndSet(shardMap, { cluster }, before, record);
    if (!applied) throw new Unavailable('another process has taken the shards at the same time');
    this.floorMs = next.idFloorMs - RESERVE_AHEAD_MS;
    this.stored = record;
    this.map = next;
    this.reserveLater();
    this.host = host;
    await host.acquire(ALL_SHARDS);
  }

  /** Finishes accepted work and takes snapshots; nothing runs here afterwards. */
  async drain(): Promise<void> {
    await this.host?.release(ALL_SHARDS, async () => undefined);
    this.host = undefined;
    this.timer?.cancel();
    await this.reserving;
    // No more ids are created, so the next start need not begin ahead of its clock.
    if (this.stored !== undefined) await this.reserve(0);
  }

  private reserveLater(): void {
    this.timer = this.context.clock.after(RESERVE_EVERY_MS, () => {
      this.reserving = this.reserve(RESERVE_AHEAD_MS).finally(() => {
        if (this.host !== undefined) this.reserveLater();
      });
    });
  }

  /** Stores a time so far ahead of the clock as the limit of ids. After a failure ids stop at the stored limit. */
  private async reserve(aheadMs: number): Promise<void> {
    const { tables, clock, cluster, log, stampedMs } = this.context;
    const { stored } = this;
    if (stored === undefined) return;
    const idFloorMs = Math.max(clock.nowMs(), stampedMs(), this.floorMs) + aheadMs;
    const next = { ...stored, idFloorMs, steadyMs: this.steadyNowMs() };
    try {
      const { applied, current } = await tables.compareAndSet(shardMap, { cluster }, stored, next);
      if (applied || current?.version === stored.version) this.stored = applied ? next : current;
    } catch (error) {
      log.warn({ err: error }, 'failed to store the latest time of ids');
    }
  }

  private steadyNowMs(): number {
    return this.steady.ms + this.context.clock.monotonicMs() - this.steady.monotonicMs;
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
      ...this.context.program,
      activeFormat: this.map.format,
      wallMs: this.context.clock.wallMs(),
      clockOffsetMs: 0,
    };
  }
}
