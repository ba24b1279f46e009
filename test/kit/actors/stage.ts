import { SHARDS } from '../../../actors/domain/ids.js';
import { Unavailable } from '../../../actors/domain/problem.js';
import type { AnyKind } from '../../../actors/runtime/kind.js';
import type { RuntimeLimits } from '../../../actors/runtime/limits.js';
import type { Placement } from '../../../actors/runtime/placement/placement.js';
import { Runtime } from '../../../actors/runtime/runtime.js';
import { Journal } from '../../../store/journal.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import type { RowWrite, Tables } from '../../../store/port.js';
import type { AnyTable } from '../../../store/table.js';
import type { Bus } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { VirtualClock } from '../time/virtual-clock.js';
import { notebook } from './notebook.js';

/** Says whatever the test wants of the shards. */
export class StagePlacement implements Placement {
  /** Of all shards; undefined: this node owns none. */
  epoch: number | undefined = 1;
  /** Under which the owner of all shards, here or elsewhere, is asked; undefined: without one. */
  owner: number | undefined;
  floorMs = 0;
  /** The newest that all nodes know. */
  activeFormat = 1;
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
  /** As the store knows it, while the node still believes in its epoch. */
  isSuperseded = false;
  async stillOwns(): Promise<boolean> {
    return !this.isSuperseded;
  }
}

/** One node's way to the shared store, which a test can hold up or break. */
export class StageTables {
  /** Deferred writes never reach the disk: as when the process ends before anything durable is written behind them. */
  losesDeferred = false;
  /** Called before each write; may throw, or wait. */
  beforeWrite: (rows: readonly RowWrite[]) => Promise<void> | void = () => undefined;
  /** Called after each write; may throw, or wait: the write has happened. */
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

  /** Every write to the table fails from now on. */
  breakWrites(to: AnyTable): void {
    this.beforeWrite = (rows) => {
      if (rows.some((row) => row.table.name === to.name)) throw new Unavailable(`no writes to ${to.name}`);
    };
  }

  /** Writes to the table wait until the answer is called. */
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
  /** What it logged as warnings and errors. */
  readonly log: string[];
}

const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);
/** The shards that tests use: acquiring all would only take time. */
export const STAGE_SHARDS = ALL_SHARDS.slice(0, 4);

/** Runtimes of one cluster on one store, one bus, one virtual clock. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly shared = new MemoryTables();
  private readonly hub = new InProcessHub(this.clock);
  private readonly nodes: StageNode[] = [];

  /** A node that owns all shards under the epoch, unless that is undefined. */
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
      // Snapshots are rare otherwise, and tests have few entries.
      limits: { snapshotWorth: 1, ...limits },
      placement,
      tables,
      journal: new Journal(tables),
      bus,
      clock: this.clock,
      random: { bytes: (count) => new Uint8Array(count), fraction: () => ((drawn++ * 7919) % 1000) / 1000 },
      logger: { info: () => undefined, warn: note, error: note },
      heard,
    });
    const node = { runtime, placement, store, bus, log };
    this.nodes.push(node);
    this.clock.alsoIdle(() => runtime.idle());
    if (epoch !== undefined) await runtime.acquire(STAGE_SHARDS);
    await this.clock.settle();
    return node;
  }

  /** The bus as another node sees it. */
  bus(node: string): Bus {
    return this.hub.bus(node);
  }

  /** The node ends as by kill -9: nothing more leaves it. */
  kill(node: StageNode): void {
    node.store.beforeWrite = () => new Promise(() => undefined);
    node.placement.epoch = undefined;
    node.runtime.close();
  }

  close(): void {
    for (const { runtime } of this.nodes) runtime.close();
  }
}
