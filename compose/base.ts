import type { Logger as PinoLogger } from 'pino';
import type { Clock, Random } from '../actors/domain/time.js';
import { StampClock } from '../actors/runtime/placement/stamp-clock.js';
import { systemClock, systemRandom } from '../actors/runtime/system.js';
import type { Settings } from '../cli/settings.js';
import { Caches } from '../store/cache/cache.js';
import type { CachedTables } from '../store/cache/cached-tables.js';
import { WriteTimestamps } from '../store/write-timestamps.js';
import type { Bus } from '../transport/bus.js';
import { cachedAlone, cachedTogether } from './cached-rows.js';
import { InvalidationBarrier } from './invalidation-barrier.js';
import { openBus, openStore } from './parts.js';
import { PeerLiveness } from './peer-liveness.js';
import { PlacementSlot } from './placement-slot.js';

/** Keeps a node's caches true while other nodes write. */
export interface ClusterParts {
  readonly liveness: PeerLiveness;
  readonly barrier: InvalidationBarrier;
}

/** Foundation of a node below its actors: clocks, the bus, the store under its cache. */
export interface NodeBase {
  readonly settings: Settings;
  readonly logger: PinoLogger;
  readonly clock: Clock;
  readonly random: Random;
  readonly placement: PlacementSlot;
  /** Clock of ids. */
  readonly stamps: StampClock;
  readonly timestamps: WriteTimestamps;
  readonly bus: Bus;
  readonly tables: CachedTables;
  readonly caches: Caches;
  /** Undefined: the node is alone with an embedded store. */
  readonly cluster: ClusterParts | undefined;
}

/** Opens store and bus. @throws Unavailable when one of them cannot be reached */
export async function openBase(
  settings: Settings,
  logger: PinoLogger,
  isStopping: (() => boolean) | undefined,
): Promise<NodeBase> {
  const [clock, random] = [systemClock, systemRandom];
  const placement = new PlacementSlot();
  const stamps = new StampClock(clock, placement);
  const timestamps = new WriteTimestamps(() => stamps.nowMs());
  const store = await openStore(settings, { clock, log: logger.child({ part: 'store' }), isStopping }, timestamps);
  const bus = await openBus(settings, { clock, log: logger.child({ part: 'bus' }), isStopping });
  const caches = new Caches();
  const shared = { settings, logger, clock, random, placement, stamps, timestamps, bus, caches };
  if (settings.STORE === 'lmdb') return { ...shared, tables: cachedAlone(store, clock, caches), cluster: undefined };
  const liveness = await PeerLiveness.open(bus, clock, stamps);
  const tables = await cachedTogether(store, bus, settings.NODE_NAME, liveness, clock, caches);
  liveness.onUnheard(() => tables.forget(undefined));
  return { ...shared, tables, cluster: { liveness, barrier: await InvalidationBarrier.open(bus, clock, random) } };
}
