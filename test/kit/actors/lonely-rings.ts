import type { Clock } from '../../../actors/domain/time.js';
import { HomeRings } from '../../../actors/timelines/home-rings.js';
import { recentIds } from '../../../gateway/timelines/recent.js';
import type { ReadTables } from '../../../store/port.js';

/** Rings of a node that owns everything, and to which nothing is delivered but what its accounts do. */
export function lonelyRings(tables: ReadTables, clock: Clock): HomeRings {
  return new HomeRings({ clock, recent: recentIds(tables, clock), epochOf: () => 1, log: { warn: () => undefined } });
}
