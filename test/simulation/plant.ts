import type { Placement } from '../../actors/runtime/placement/placement.js';
import type { ActorJournal } from '../../actors/runtime/state/recovery.js';
import type { Tables } from '../../store/port.js';
import type { Bus } from '../../transport/bus.js';
import type { Process, World } from './world.js';

/** The node that a fault is planted in. */
export interface Soil {
  readonly world: World;
  readonly process: Process;
}

/** A fault: wraps the parts that a node is made of. */
export interface Plant {
  /** The store as the cluster's code sees it. */
  readonly clusterTables?: (tables: Tables, soil: Soil) => Tables;
  /** The store as the actors see it. */
  readonly tables?: (tables: Tables, soil: Soil) => Tables;
  readonly journal?: (journal: ActorJournal, soil: Soil) => ActorJournal;
  readonly placement?: (placement: Placement, soil: Soil) => Placement;
  readonly bus?: (bus: Bus, soil: Soil) => Bus;
}
