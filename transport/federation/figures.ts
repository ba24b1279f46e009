import type { DeliveryOutcome, FetchOutcome } from './port.js';

/** Counts of this node's requests to other servers since it started, by outcome. */
export class FederationFigures {
  readonly fetches: Record<FetchOutcome['kind'], number> = {
    ...{ object: 0, gone: 0, missing: 0, refused: 0, unusable: 0, failed: 0 },
  };
  readonly deliveries: Record<DeliveryOutcome['kind'], number> = { delivered: 0, gone: 0, refused: 0, later: 0 };
}
