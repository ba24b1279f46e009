import type { Bus } from '../../transport/bus.js';
import type { GatewayLogger } from '../http/dispatcher.js';
import type { Services } from '../services.js';
import type { StreamSources } from './sources.js';

/** What a hub is made of. */
export interface HubOptions {
  readonly services: Services;
  readonly bus: Bus;
  readonly sources: StreamSources;
  readonly logger: GatewayLogger;
}
/** What viewers share. */
export interface HubParts extends HubOptions {
  /** Catching up starts no earlier. */
  oldestId(): string;
}
