import type { Bus } from '../../transport/bus.js';
import type { GatewayLogger } from '../http/dispatcher.js';
import type { Services } from '../http/services.js';
import type { StreamSources } from './sources.js';

/** What a hub is made of. */
export interface HubOptions {
  readonly services: Services;
  readonly bus: Bus;
  readonly sources: StreamSources;
  readonly logger: GatewayLogger;
  /**
   * For how long the relations of a viewer are believed now, ms; without end while all other nodes are heard, and where
   * there never are others.
   */
  readonly relationsAgeMaxMs?: () => number;
}
/** What viewers share. */
export interface HubParts extends HubOptions {
  /** Catching up starts no earlier. */
  oldestId(): string;
}
