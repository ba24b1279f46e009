import { PUBLIC } from '../documents/context.js';
import { type Stamped, stampDocument } from '../documents/stamp.js';

/** Renders the deletion of a status. Source: ActivityPub §7.4. */
export const deleteActivity = (actor: string, object: string) => ({
  id: `${object}#delete`,
  type: 'Delete',
  actor,
  to: [PUBLIC],
  object: { id: object, type: 'Tombstone' },
});

/** Renders the revocation of a quote. Source: FEP-044f, Delete of a QuoteAuthorization. */
export const deleteStampActivity = (stamped: Stamped) => ({
  id: `${stamped.uri}#delete`,
  type: 'Delete',
  actor: stamped.quotedAuthor,
  to: [PUBLIC],
  object: stampDocument(stamped),
});
