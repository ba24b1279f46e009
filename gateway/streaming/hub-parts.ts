import type { Bus } from '../../transport/bus.js';
import type { GatewayLogger } from '../http/dispatcher.js';
import type { Services } from '../http/services.js';
import type { StreamClock } from './published-clock.js';
import type { StreamSources } from './sources.js';

/** Dependencies of a hub. */
export interface HubOptions {
  readonly services: Services;
  readonly bus: Bus;
  readonly sources: StreamSources;
  readonly logger: GatewayLogger;
  /**
   * Returns the age in ms up to which a viewer's relations are valid without a query. Infinite while all other nodes
   * are reachable, and on a single node.
   */
  readonly relationsAgeMaxMs?: () => number;
}
/** Dependencies that the viewers of a hub share. */
export interface HubParts extends HubOptions {
  /** Clock of ids. Its time of what is published does not pass statuses that wait to be rendered. */
  readonly published: StreamClock;
  /** Returns the id at which a catch-up starts at the earliest. */
  oldestId(): string;
}
