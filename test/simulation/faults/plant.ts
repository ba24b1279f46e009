import type { AlarmsNeeds } from '../../../actors/runtime/effects/alarms.js';
import type { AnyKind } from '../../../actors/runtime/kind.js';
import type { Placement } from '../../../actors/runtime/placement/placement.js';
import type { ActorJournal } from '../../../actors/runtime/state/recovery.js';
import type { Session } from '../../../store/cassandra/session.js';
import type { Tables } from '../../../store/port.js';
import type { Bus } from '../../../transport/bus.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import type { PushSender } from '../../../transport/push-sender.js';
import type { LogDevice } from '../services/simulated-disk.js';
import type { Process, World } from '../world.js';

/** The node in which a fault is planted. */
export interface Soil {
  readonly world: World;
  readonly process: Process;
}

type Deliverer = Pick<FederationClient, 'deliver'>;

/** A fault: wraps components of a node. */
export interface Plant {
  /** The disk of an embedded store. */
  readonly device?: (device: LogDevice) => LogDevice;
  readonly session?: (session: Session, soil: Soil) => Session;
  /** Wraps the store of the cluster's code. */
  readonly clusterTables?: (tables: Tables, soil: Soil) => Tables;
  /** Wraps the store of the actors. */
  readonly tables?: (tables: Tables, soil: Soil) => Tables;
  readonly journal?: (journal: ActorJournal, soil: Soil) => ActorJournal;
  readonly placement?: (placement: Placement, soil: Soil) => Placement;
  readonly alarms?: (needs: AlarmsNeeds, soil: Soil) => AlarmsNeeds;
  readonly bus?: (bus: Bus, soil: Soil) => Bus;
  readonly sender?: (sender: PushSender, soil: Soil) => PushSender;
  readonly client?: (client: Deliverer, soil: Soil) => Deliverer;
  readonly kinds?: (kinds: readonly AnyKind[]) => readonly AnyKind[];
}
