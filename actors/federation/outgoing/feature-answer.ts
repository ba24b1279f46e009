import { PUBLIC } from '../documents/context.js';
import { featureStampDocument, type StampedFeature } from '../documents/stamp.js';

/** A request of another server to feature a local account. */
export interface ReceivedFeatureRequest {
  /** Address of the local account, and of the account that asks. */
  readonly featured: string;
  readonly by: string;
  readonly collection: string;
  /** Id of the activity; empty if it had none. */
  readonly requestId: string;
}

const received = ({ featured, by, collection, requestId }: ReceivedFeatureRequest) => ({
  ...(requestId === '' ? {} : { id: requestId }),
  type: 'FeatureRequest',
  actor: by,
  object: featured,
  instrument: collection,
});

/** Renders the permission to feature a local account. `stamp`: its address. Source: FEP-7aa9, Accept. */
export const acceptFeatureActivity = (request: ReceivedFeatureRequest, stamp: string, round: number) => ({
  id: `${request.featured}#accepts/features/${round}`,
  type: 'Accept',
  actor: request.featured,
  to: [request.by],
  object: received(request),
  result: stamp,
});

/** Renders the refusal to be featured. Source: FEP-7aa9, Reject. */
export const rejectFeatureActivity = (request: ReceivedFeatureRequest, round: number) => ({
  id: `${request.featured}#rejects/features/${round}`,
  type: 'Reject',
  actor: request.featured,
  to: [request.by],
  object: received(request),
});

/** Renders the revocation of a permission to feature. Source: FEP-7aa9, Delete of a FeatureAuthorization. */
export const deleteFeatureStampActivity = (stamped: StampedFeature) => ({
  id: `${stamped.uri}#delete`,
  type: 'Delete',
  actor: stamped.featured,
  to: [PUBLIC],
  object: featureStampDocument(stamped),
});
