import { deliveryFaults } from './planted-deliveries.js';
import type { PlantedFault } from './planted-fault.js';
import { fencingFaults } from './planted-fencing.js';
import { historyFaults } from './planted-histories.js';
import { ownerFaults } from './planted-owners.js';
import { pushFaults } from './planted-pushes.js';
import { scheduleFaults } from './planted-schedules.js';
import { storeFaults } from './planted-stores.js';

/** Faults that the simulation exists to find, by name; each must be found. */
export const plantedFaults: Readonly<Record<string, PlantedFault>> = {
  ...deliveryFaults,
  ...fencingFaults,
  ...historyFaults,
  ...ownerFaults,
  ...pushFaults,
  ...scheduleFaults,
  ...storeFaults,
};
