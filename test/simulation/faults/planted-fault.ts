import type { LeaseRules } from '../../../cluster/lease.js';
import type { Invariant } from '../invariants/violations.js';
import type { Profile } from '../profiles.js';
import type { Plant } from './plant.js';

export interface PlantedFault {
  readonly profile: Profile;
  /** The invariant that must report it. */
  readonly invariant: Invariant;
  /** The first seed of the profile that finds it: `npm run simulate -- --planted` searches for it. */
  readonly seed: number;
  /** Called for each node. */
  readonly plant?: () => Plant;
  readonly rules?: Partial<LeaseRules>;
}
