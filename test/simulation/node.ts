import { isProblem } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import type { DeliveryContext } from '../../actors/federation/delivery/pass.js';
import { DeliveryPlaces } from '../../actors/federation/delivery/places.js';
import type { Alerts } from '../../actors/push/alerts.js';
import { PushFigures } from '../../actors/push/figures.js';
import type { PushContext } from '../../actors/reactions/push.js';
import { Alarms } from '../../actors/runtime/effects/alarms.js';
import type { AnyKind } from '../../actors/runtime/kind.js';
import type { ShardHost } from '../../actors/runtime/placement/placement.js';
import { StampClock } from '../../actors/runtime/placement/stamp-clock.js';
import { Runtime } from '../../actors/runtime/runtime.js';
import type { HomeRings } from '../../actors/timelines/home-rings.js';
import { Publications } from '../../actors/timelines/publications.js';
import { ClusterNode } from '../../cluster/cluster-node.js';
import { FORMAT } from '../../cluster/format.js';
import type { LeaseRules } from '../../cluster/lease.js';
import { cachedTogether, rowCarrier } from '../../compose/cached-rows.js';
import { fanOut, makeHomeRings, makePublicRing, withRings } from '../../compose/home-rings.js';
import { InvalidationBarrier } from '../../compose/invalidation-barrier.js';
import { PeerLiveness } from '../../compose/peer-liveness.js';
import { withAlarms } from '../../compose/shard-hosts.js';
import type { AccountPushTarget } from '../../proto/gen/types.js';
import type { CachedTables } from '../../store/cache/cached-tables.js';
import { Journal } from '../../store/journal.js';
import type { Tables } from '../../store/port.js';
import { WriteTimestamps } from '../../store/write-timestamps.js';
import { silentDeliveries } from '../kit/actors/silent-deliveries.js';
import type { Plant, Soil } from './faults/plant.js';
import {
  adapter,
  pacingOf,
  type SimulatedCassandra,
  SimulatedSession,
  type StoreFaults,
} from './services/cassandra-session.js';
import type { Network } from './services/network.js';
import type { SimulatedPeers } from './services/peers.js';
import type { SimulatedPushServices } from './services/push-services.js';
import type { SimulatedServer } from './services/remote-server.js';
import type { Watch } from './watch.js';
import { Process, SeededRandom, type World } from './world.js';

/** Parts that all simulated nodes share. */
export interface Ground {
  readonly world: World;
  readonly network: Network;
  readonly peers: SimulatedPeers;
  readonly shared: Tables;
  readonly writes: SimulatedCassandra;
  readonly storeFaults: StoreFaults;
  readonly kinds: (
    tables: Tables,
    rings: HomeRings,
    pushes: PushContext,
    deliveries: DeliveryContext,
  ) => readonly AnyKind[];
  readonly pushServices: SimulatedPushServices;
  readonly server: SimulatedServer;
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

/** Small, so that each life has snapshots, trims and passivated accounts. */
const LIMITS = {
  idleMs: 5_000,
  snapshotEntriesMin: 3,
  snapshotEntriesMax: 6,
  trimEntriesMin: 6,
  snapshotWorth: 3,
  cursorEvery: 5,
  rescanMs: 20_000,
};
const PROGRAM = { version: '0', format: FORMAT };

interface Parts {
  readonly name: string;
  readonly process: Process;
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly cluster: ClusterNode;
  readonly tables: CachedTables;
  readonly alarms: Alarms;
  readonly host: ShardHost;
}

/** One run of one node: the code of production, composed in the same way, in a simulated environment. */
export class SimulatedNode {
  readonly name: string;
  readonly process: Process;
  readonly clock: Clock;
  readonly runtime: Runtime;
  /** The cached store of this node. */
  readonly tables: CachedTables;
  private readonly cluster: ClusterNode;

  private constructor(private readonly parts: Parts) {
    const { name, process, clock, runtime, cluster, tables } = parts;
    this.name = name;
    this.process = process;
    this.clock = clock;
    this.runtime = runtime;
    this.tables = tables;
    this.cluster = cluster;
  }

  /** Builds a node; waits only for microtasks. */
  static async open(name: string, ground: Ground, random: SeededRandom): Promise<SimulatedNode> {
    const { world, network, peers, watch } = ground;
    const process = processOf(name, random);
    const clock = world.clockOf(process);
    const log = logOf(name, ground);
    const soil = { world, process };
    const plant = ground.plant();
    const placed = new Placed();
    const stamps = new StampClock(clock, placed);
    const timestamps = new WriteTimestamps(() => stamps.nowMs());
    const honest = new SimulatedSession(ground.writes.landed, world, process, random.fork(), ground.storeFaults);
    const session = plant.session?.(honest, soil) ?? honest;
    const store = adapter(session, timestamps, pacingOf(world, process));
    const honestBus = network.busOf(process);
    const bus = plant.bus?.(honestBus, soil) ?? honestBus;
    const hearing = await PeerLiveness.open(bus, clock, stamps);
    const watched = watch.tables(name, plant.tables?.(store, soil) ?? store, placed);
    const tables = await cachedTogether(watched, bus, name, hearing, clock);
    hearing.onUnheard(() => tables.forget(undefined));
    const audience = await InvalidationBarrier.open(bus, clock, random.fork());
    const written = new Journal(tables);
    const cluster = new ClusterNode(
      {
        tables: plant.clusterTables?.(store, soil) ?? store,
        clock,
        random: random.fork(),
        log,
        cluster: 'simulated',
        name,
        program: PROGRAM,
        rules: ground.rules,
        stampedMs: () => Math.max(runtime.mintedMs(), timestamps.reachedMs),
      },
      bus,
      peers.of(process),
    );
    placed.cluster = cluster;
    const rings = makeHomeRings({ tables, clock, placement: cluster, bus, log });
    await fanOut([rings], makePublicRing(tables, log), new Publications(stamps), bus);
    const placement = watch.placement(name, plant.placement?.(cluster, soil) ?? cluster);
    const outer = outsideOf(ground, { process, clock, tables, plant, soil }, () => runtime);
    const kinds = ground.kinds(tables, rings, outer.pushes, outer.deliveries);
    const runtime: Runtime = new Runtime({
      kinds: plant.kinds?.(kinds) ?? kinds,
      tables,
      journal: watch.journal(plant.journal?.(written, soil) ?? written),
      bus,
      placement,
      clock,
      stamps: new StampClock(clock, placement),
      random: random.fork(),
      logger: log,
      limits: LIMITS,
      carrier: rowCarrier(tables),
      untilReceived: () => audience.untilReceived(),
      alarmSet: (alarm) => alarms.wasSet(alarm),
    });
    const called = { tables, asker: runtime, placement, clock, logger: log };
    const alarms = new Alarms(plant.alarms?.(called, soil) ?? called);
    hearing.watch(() => cluster.members());
    audience.watch(() => cluster.members());
    peers.register(process, cluster.service);
    const host = withAlarms(withRings(runtime, rings), alarms);
    return new SimulatedNode({ name, process, clock, runtime, cluster, tables, alarms, host });
  }

  /** Starts the node; readiness reports when shards have arrived. The start retries while the store is down. */
  async start(): Promise<void> {
    const { host, alarms } = this.parts;
    await this.cluster.start({ host, grpcAddress: this.name, baseUrl: `http://${this.name}` });
    alarms.start();
  }

  /** The reason why the node is not ready; undefined when it is. */
  get unreadyFor(): string | undefined {
    if (!this.process.alive) return 'it has ended';
    const readiness = this.cluster.readiness();
    return readiness.ready ? undefined : readiness.why;
  }

  get ready(): boolean {
    return this.unreadyFor === undefined;
  }

  /** Crashes like kill -9: nothing that the node scheduled happens any more; its sent messages travel on. */
  crash(): void {
    this.process.alive = false;
  }

  async drain(): Promise<void> {
    this.parts.alarms.close();
    await this.cluster.drain();
    this.crash();
  }
}

/** A placement that exists before the node has joined the cluster. */
class Placed {
  cluster: ClusterNode | undefined;
  idFloorMs = () => this.cluster?.idFloorMs() ?? 0;
  idCeilingMs = () => this.cluster?.idCeilingMs() ?? Number.POSITIVE_INFINITY;
  clusterMs = () => this.cluster?.clusterMs();
  epochOf = (shard: number) => this.cluster?.epochOf(shard);
}

interface Opening {
  readonly process: Process;
  readonly clock: Clock;
  readonly tables: Tables;
  readonly plant: Plant;
  readonly soil: Soil;
}

/** Returns the way of a node to push services and to the other server. */
function outsideOf(
  { pushServices, server }: Ground,
  { process, clock, tables, plant, soil }: Opening,
  runtime: () => Runtime,
): { readonly pushes: PushContext; readonly deliveries: DeliveryContext } {
  const sender = pushServices.senderOf(process);
  const client = server.clientOf(process);
  return {
    pushes: {
      ...{ clock, random: new SeededRandom(1), figures: new PushFigures(), alerts: alertsOf(runtime) },
      sender: plant.sender?.(sender, soil) ?? sender,
    },
    deliveries: silentDeliveries({
      ...{ tables, clock, places: new DeliveryPlaces({ clock }) },
      client: plant.client?.(client, soil) ?? client,
    }),
  };
}

/** Decides about pushes by the account alone. Visibility has tests of its own. */
const alertsOf = (runtime: () => Runtime): Alerts => ({
  async of(account, id, notificationId) {
    const target = await runtime().ask('account', account, 'pushTarget', { id, notificationId });
    if (isProblem(target)) return 'stopped';
    const { subscription, current, locale } = target as AccountPushTarget;
    if (subscription === undefined || !current) return 'hidden';
    return { subscription, locale, accessToken: '', icon: '', title: '', body: '' };
  },
});

function processOf(name: string, random: SeededRandom): Process {
  const skewMs = Math.round((random.fraction() * 2 - 1) * SKEW_MS_MAX);
  return new Process(name, skewMs, 1 + (random.fraction() * 2 - 1) * DRIFT_MAX);
}

function logOf(name: string, { world, log }: Ground) {
  const say = (level: string) => (fields: object, message: string) => {
    const why = (fields as { err?: Error }).err?.message ?? '';
    log(`${world.now.toFixed(0)} ${name} ${level} ${message} ${why}`);
  };
  return { info: say('info'), warn: say('warn'), error: say('error') };
}
