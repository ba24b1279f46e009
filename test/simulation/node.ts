import type { AnyKind } from '../../actors/runtime/kind.js';
import type { ShardHost } from '../../actors/runtime/placement/placement.js';
import { StampClock } from '../../actors/runtime/placement/stamp-clock.js';
import { Runtime } from '../../actors/runtime/runtime.js';
import type { HomeRings } from '../../actors/timelines/home-rings.js';
import { ClusterNode } from '../../cluster/cluster-node.js';
import type { LeaseRules } from '../../cluster/lease.js';
import { fanOut, makeHomeRings, makePublicRing, withRings } from '../../compose/home-rings.js';
import { Hearing } from '../../compose/peer-liveness.js';
import { Journal } from '../../store/journal.js';
import type { Tables } from '../../store/port.js';
import { WriteTimestamps } from '../../store/write-timestamps.js';
import type { LastWriteWins } from './last-write.js';
import type { Network } from './network.js';
import type { SimulatedPeers } from './peers.js';
import type { Plant } from './plant.js';
import { type StoreFaults, simulatedStore } from './store.js';
import type { Watch } from './watch.js';
import { Process, type SeededRandom, type World } from './world.js';

/** Parts that all simulated nodes share. */
export interface Ground {
  readonly world: World;
  readonly network: Network;
  readonly peers: SimulatedPeers;
  readonly shared: Tables;
  readonly writes: LastWriteWins;
  readonly storeFaults: StoreFaults;
  readonly kinds: (tables: Tables, rings: HomeRings) => readonly AnyKind[];
  readonly rules: LeaseRules;
  readonly log: (line: string) => void;
  readonly watch: Watch;
  /** Returns the fault of a node; empty without a planted fault. */
  readonly plant: () => Plant;
}

/** Maximum offset of wall clocks between nodes. */
const SKEW_MS_MAX = 2_000;
/** Maximum deviation of clock speed. */
export const DRIFT_MAX = 0.01;

/** One run of one node: the runtime and cluster code of production in a simulated environment. */
export class SimulatedNode {
  readonly process: Process;
  readonly runtime: Runtime;
  readonly cluster: ClusterNode;
  private readonly host: ShardHost;

  constructor(
    readonly name: string,
    ground: Ground,
    random: SeededRandom,
  ) {
    const { world, network, peers } = ground;
    const skewMs = Math.round((random.fraction() * 2 - 1) * SKEW_MS_MAX);
    this.process = new Process(name, skewMs, 1 + (random.fraction() * 2 - 1) * DRIFT_MAX);
    const clock = world.clockOf(this.process);
    const stamps = new StampClock(clock, {
      idFloorMs: () => this.cluster.idFloorMs(),
      idCeilingMs: () => this.cluster.idCeilingMs(),
      clusterMs: () => this.cluster.clusterMs(),
    });
    const timestamps = new WriteTimestamps(() => stamps.nowMs());
    const store = simulatedStore(
      ground.shared,
      ground.writes,
      timestamps,
      world,
      this.process,
      random.fork(),
      ground.storeFaults,
    );
    const soil = { world, process: this.process };
    const plant = ground.plant();
    const planted = plant.tables?.(store, soil) ?? store;
    const written = new Journal(planted);
    const journal = ground.watch.journal(plant.journal?.(written, soil) ?? written);
    const honestBus = network.busOf(this.process);
    const bus = plant.bus?.(honestBus, soil) ?? honestBus;
    const say = (level: string) => (fields: object, message: string) => {
      const why = (fields as { err?: Error }).err?.message ?? '';
      ground.log(`${world.now.toFixed(0)} ${name} ${level} ${message} ${why}`);
    };
    const log = { info: say('info'), warn: say('warn'), error: say('error') };
    const context = {
      tables: plant.clusterTables?.(store, soil) ?? store,
      clock,
      random: random.fork(),
      log,
      cluster: 'simulated',
      name,
      program: { version: '0', format: 1 },
      rules: ground.rules,
      stampedMs: () => Math.max(this.runtime.mintedMs(), timestamps.reachedMs),
    };
    this.cluster = new ClusterNode(context, bus, peers.of(this.process));
    const tables = ground.watch.tables(name, planted, this.cluster);
    const placement = ground.watch.placement(name, plant.placement?.(this.cluster, soil) ?? this.cluster);
    const rings = makeHomeRings({ tables, clock, placement: this.cluster, bus, log });
    void fanOut([rings], makePublicRing(tables, log), bus);
    this.runtime = new Runtime({
      kinds: ground.kinds(tables, rings),
      tables,
      journal,
      bus,
      placement,
      clock,
      random: random.fork(),
      logger: log,
      limits: {
        idleMs: 5_000,
        snapshotEntriesMin: 3,
        snapshotEntriesMax: 6,
        trimEntriesMin: 6,
        snapshotWorth: 3,
        cursorEvery: 5,
        rescanMs: 20_000,
      },
    });
    this.host = withRings(this.runtime, rings);
    void Hearing.open(bus, clock).then((hearing) => hearing.watch(() => this.cluster.company()));
    peers.register(this.process, this.cluster.service);
  }

  /** Starts the node; readiness reports when shards have arrived. The start retries while the store is down. */
  start(): Promise<void> {
    return this.cluster.start({ host: this.host, grpcAddress: this.name, baseUrl: `http://${this.name}` });
  }

  get ready(): boolean {
    return this.process.alive && this.cluster.readiness().ready;
  }

  /** Crashes like kill -9: nothing that the node scheduled happens any more; its sent messages travel on. */
  crash(): void {
    this.process.alive = false;
  }

  async drain(): Promise<void> {
    await this.cluster.drain();
    this.crash();
  }
}
