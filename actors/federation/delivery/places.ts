import { type InTurn, inTurns } from '../../runtime/effects/in-turns.js';
import { type Pace, pacedTurns } from './pace.js';

/** Places that are given in the order of asking. */
export interface Places {
  readonly deliveries: InTurn;
  /** Pages of passes in memory. */
  readonly pages: InTurn;
}

/** Places of hosts that have taken an activity and do not fail, and those of all other hosts. */
export interface DeliveryPlaces {
  readonly proven: Places;
  readonly others: Places;
}

/**
 * Concurrent deliveries of one node to proven hosts. Each holds a socket, and one core signs 1,500 a second. A host takes
 * a few of them, so one with a long queue delays no other.
 */
export const PROVEN_MAX = 96;
/**
 * Concurrent deliveries to other hosts. A host that does not answer holds its place for 10 s, and somebody may make up any
 * number of hosts. They wait for each other, and no proven host waits for them.
 */
export const OTHERS_MAX = 32;
/**
 * Pages for each delivery: the next rows are read before a place is free. A post to thousands of hosts begins as many
 * passes at once, and each would hold a page of some 4 KB until its turn.
 */
const PAGES_PER_DELIVERY = 2;

/** @param pace bounds how fast deliveries begin; absent: at once */
export function deliveryPlaces(pace?: Pace): DeliveryPlaces {
  const of = (max: number): Places => {
    const turns = inTurns(max);
    return {
      deliveries: pace === undefined ? turns : pacedTurns(turns, pace),
      pages: inTurns(PAGES_PER_DELIVERY * max),
    };
  };
  return { proven: of(PROVEN_MAX), others: of(OTHERS_MAX) };
}
