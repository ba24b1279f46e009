import type { IncomingActivity } from '../../inbox/port.js';
import { idOf, objectOf, typesOf } from '../../reading/values.js';

/** The request of this server that an Accept or a Reject answers. */
export interface AnsweredRequest {
  /** Address of what asked: it is read from the request's id, or else it is the `instrument` of the embedded request. */
  readonly instrument: string | undefined;
  /** Address of what was asked for; undefined if the answer gives only the request's id. */
  readonly object: string | undefined;
}

/**
 * Returns the answered request; undefined if the activity answers none of this type. `instrumentIn` reads the address
 * of the instrument from the id of a request.
 */
export function answeredRequest(
  { document, allowed }: IncomingActivity,
  type: 'QuoteRequest' | 'FeatureRequest',
  instrumentIn: (id: string) => string | undefined,
): AnsweredRequest | undefined {
  const request = objectOf(document.object);
  const named = instrumentIn(allowed.objectId ?? '');
  if (named === undefined && (request === undefined || !typesOf(request).includes(type))) return undefined;
  return { instrument: named ?? idOf(request?.instrument), object: idOf(request?.object) };
}
