import { PUBLIC } from '../documents/context.js';

interface Addressed {
  readonly id: string;
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
}

/**
 * Renders a change of a status or of a profile. `part`: unique among the changes of the object. Source: ActivityPub
 * §7.3.
 */
export const updateActivity = <O extends Addressed>(actor: string, object: O, part: string) => ({
  id: `${object.id}#updates/${part}`,
  type: 'Update',
  actor,
  to: object.to ?? [PUBLIC],
  cc: object.cc ?? [],
  object,
});
