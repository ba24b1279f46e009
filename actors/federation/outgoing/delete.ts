import { PUBLIC } from '../documents/context.js';

/** Renders the deletion of a status. Source: ActivityPub §7.4. */
export const deleteActivity = (actor: string, object: string) => ({
  id: `${object}#delete`,
  type: 'Delete',
  actor,
  to: [PUBLIC],
  object: { id: object, type: 'Tombstone' },
});
