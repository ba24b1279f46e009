import { SHARDS } from '../../../actors/domain/ids.js';
import { Unavailable } from '../../../actors/domain/problem.js';
import type { AlarmRow } from '../../../actors/runtime/effects/alarm-row.js';
import type { AnyKind } from '../../../actors/runtime/kind.js';
import type { RuntimeLimits } from '../../../actors/runtime/limits.js';
import type { Placement } from '../../../actors/runtime/placement/placement.js';
import { StampClock } from '../../../actors/runtime/placement/stamp-clock.js';
import { Runtime } from '../../../actors/runtime/runtime.js';
import { FORMAT } from '../../../cluster/format.js';
import { Journal } from '../../../store/journal.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import type { RowWrite, Tables } from '../../../store/port.js';
import type { AnyTable } from '../../../store/table.js';
import type { Bus } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { VirtualClock } from '../time/virtual-clock.js';
import { notebook } from './notebook.js';

/** A placement under the control of a test. */
export class StagePlacement implements Placement {
  /** Epoch of all shards; undefined: this node owns none. */
  epoch: number | undefined = 1;
  /** Epoch in the requests to the owner of all shards, here or elsewhere; undefined: no epoch. */
  owner: number | undefined;
  floorMs = 0;
  /** The newest format that all nodes know. */
  activeFormat = FORMAT;
  epochOf(): number | undefined {
    return this.epoch;
  }
  format(): number {
    return this.activeFormat;
  }
  idFloorMs(): number {
    return this.floorMs;
  }
  steadyMs: () => number | undefined = () => undefined;
  ownerEpoch(): number | undefined {
    return this.owner;
  }
  /** True when the store knows a newer owner, while the node still believes in its epoch. */
  isSuperseded = false;
  async stillOwns(): Promise<boolean> {
    return !this.isSuperseded;
  }
}

/** One node's access to the shared store, which a test can delay or break. */
export class StageTables {
  /** True when deferred writes never reach the disk, as when the process ends before a later durable write. */
  losesDeferred = false;
  /** Called before each write; may throw or wait. */
  beforeWrite: (rows: readonly RowWrite[]) => Promise<void> | void = () => undefined;
  /** Called after each write; may throw or wait: the write has happened. */
  afterWrite: () => Promise<void> | void = () => undefined;
  readonly tables: Tables;

  constructor(shared: MemoryTables) {
    this.tables = {
      get: (table, key) => shared.get(table, key),
      getMany: (table, keys) => shared.getMany(table, keys),
      range: (table, partition, options) => shared.range(table, partition, options),
      removeRange: async (table, partition, bounds) => {
        await this.beforeWrite([]);
        await shared.removeRange(table, partition, bounds);
        await this.afterWrite();
      },
      compareAndSet: (table, key, expected, next) => shared.compareAndSet(table, key, expected, next),
      close: async () => undefined,
      write: async (rows, options) => {
        await this.beforeWrite(rows);
        if (!(this.losesDeferred && options?.deferred === true)) await shared.write(rows);
        await this.afterWrite();
      },
    };
  }

  /** Makes every write to the table fail from now on. */
  breakWrites(to: AnyTable): void {
    this.beforeWrite = (rows) => {
      if (rows.some((row) => row.table.name === to.name)) throw new Unavailable(`no writes to ${to.name}`);
    };
  }

  /** Makes writes to the table wait until the returned function is called. */
  holdWrites(to: AnyTable): () => void {
    const held: (() => void)[] = [];
    let open = false;
    this.beforeWrite = (rows) =>
      open || !rows.some((row) => row.table.name === to.name)
        ? undefined
        : new Promise((resolve) => void held.push(resolve));
    return () => {
      open = true;
      for (const proceed of held) proceed();
    };
  }

  mend(): void {
    this.beforeWrite = () => undefined;
    this.afterWrite = () => undefined;
  }
}

export interface StageNode {
  readonly runtime: Runtime;
  readonly placement: StagePlacement;
  readonly store: StageTables;
  readonly bus: Bus;
  /** Messages of its warnings and errors. */
  readonly log: string[];
  /** Receives the alarms that its actors set. A test that rings alarms replaces it. */
  alarmSet: (alarm: AlarmRow) => void;
}

const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);
/** The shards that tests use: acquiring all would take longer. */
export const STAGE_SHARDS = ALL_SHARDS.slice(0, 4);

/** Runtimes of one cluster with one store, one bus and one virtual clock. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly shared = new MemoryTables();
  private readonly hub = new InProcessHub(this.clock);
  private readonly nodes: StageNode[] = [];

  /** Starts a node that owns all shards under the epoch, or none if it is undefined. */
  async node(
    epoch: number | undefined,
    limits: Partial<RuntimeLimits> = {},
    kinds: readonly AnyKind[] = [notebook()],
    wrap: (tables: Tables) => Tables = (tables) => tables,
    heard: () => Promise<void> | undefined = () => undefined,
  ): Promise<StageNode> {
    const placement = new StagePlacement();
    placement.epoch = epoch;
    const store = new StageTables(this.shared);
    const tables = wrap(store.tables);
    const log: string[] = [];
    const note = (_fields: object, message: string) => void log.push(message);
    const bus = this.hub.bus(`node-${this.nodes.length}`);
    let drawn = 0;
    const runtime = new Runtime({
      kinds,
      // Otherwise snapshots are rare, and tests have few entries.
      limits: { snapshotWorth: 1, ...limits },
      placement,
      tables,
      journal: new Journal(tables),
      bus,
      clock: this.clock,
      stamps: new StampClock(this.clock, placement),
      random: { bytes: (count) => new Uint8Array(count), fraction: () => ((drawn++ * 7919) % 1000) / 1000 },
      logger: { info: () => undefined, warn: note, error: note },
      untilReceived: heard,
      alarmSet: (alarm) => node.alarmSet(alarm),
    });
    const node: StageNode = { runtime, placement, store, bus, log, alarmSet: () => undefined };
    this.nodes.push(node);
    this.clock.alsoIdle(() => runtime.idle());
    if (epoch !== undefined) await runtime.acquire(STAGE_SHARDS);
    await this.clock.settle();
    return node;
  }

  /** Returns the bus of another node. */
  bus(node: string): Bus {
    return this.hub.bus(node);
  }

  /** Ends the node like kill -9: it sends nothing more. */
  kill(node: StageNode): void {
    node.store.beforeWrite = () => new Promise(() => undefined);
    node.placement.epoch = undefined;
    node.runtime.close();
  }

  close(): void {
    for (const { runtime } of this.nodes) runtime.close();
  }
}
