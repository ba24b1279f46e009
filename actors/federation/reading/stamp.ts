import type { StampDocument } from '../documents/stamp.js';
import { authority, isRefused } from './authority.js';
import { isSameOrigin } from './uris.js';
import { idOf, idsOf, type JsonObject, typesOf } from './values.js';

/** Returns true if a stamp can be that of its author: it lies on the author's origin. */
export const mayStamp = ({ id, attributedTo }: Pick<StampDocument, 'id' | 'attributedTo'>): boolean =>
  isSameOrigin(id, attributedTo);

/**
 * Returns true if a fetched document is exactly this stamp: it has its type and the requested id, on its author's origin,
 * and is attributed to that author. A stamp for another pair proves nothing. Source: FEP-044f, QuoteAuthorization;
 * FEP-7aa9, FeatureAuthorization.
 */
export function isStampOf(document: JsonObject, finalUrl: string, stamped: StampDocument): boolean {
  const verdict = authority(document, { finalUrl, expected: stamped.id });
  if (isRefused(verdict) || !mayStamp(stamped) || !typesOf(document).includes(stamped.type)) return false;
  const [author, ...others] = idsOf(document.attributedTo);
  return (
    author === stamped.attributedTo &&
    others.length === 0 &&
    idOf(document.interactingObject) === stamped.interactingObject &&
    idOf(document.interactionTarget) === stamped.interactionTarget
  );
}
