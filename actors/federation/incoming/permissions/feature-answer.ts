import type { StoreAccountRecord } from '../../../../proto/gen/types.js';
import { featureStamps } from '../../../../store/federation-tables.js';
import { accounts, collections } from '../../../../store/tables.js';
import { collectionUri, isLocal, readCollectionUri } from '../../../domain/addresses.js';
import { storedId } from '../../../domain/ids.js';
import { uriKey } from '../../../domain/text/uri-key.js';
import { featureStampDocument } from '../../documents/stamp.js';
import type { IncomingActivity, IncomingServices, Outcome } from '../../inbox/port.js';
import { placeAsked } from '../../outgoing/feature-request.js';
import { outcomeOf } from '../local.js';
import { answeredRequest } from './answered-request.js';
import { stampIn } from './stamp.js';

/**
 * Settles the place of the sender in a collection of a local account by the answer to its FeatureRequest. Only the
 * featured account answers, and its stamp is fetched first. Undefined: the activity answers no FeatureRequest. Source:
 * FEP-7aa9, Accept and Reject.
 */
export async function answeredFeature(
  activity: IncomingActivity,
  isAccepted: boolean,
  services: IncomingServices,
): Promise<Outcome | undefined> {
  const request = answeredRequest(activity, 'FeatureRequest', placeAsked);
  if (request === undefined) return undefined;
  const { sender, senderUri, mayFetch } = activity;
  const place = await placeAt(request.instrument ?? '', sender, services);
  if (place === undefined || (request.object !== undefined && request.object !== senderUri)) return 'ignored';
  const { id, item, owner, collection } = place;
  const settled = { id, item, by: sender.id };
  if (!isAccepted) return outcomeOf(await services.askAccount(owner, 'settleFeature', settled));
  const stampUri = await stampIn('FeatureAuthorization', activity, services);
  if (stampUri === undefined) return 'ignored';
  if (!mayFetch) return 'needs-fetch';
  const stamp = featureStampDocument({ uri: stampUri, featured: senderUri, collection });
  const proof = await services.stamps.prove(stamp);
  if (proof === 'later') return 'later';
  if (proof === 'rejected') return 'ignored';
  return outcomeOf(await services.askAccount(owner, 'settleFeature', { ...settled, stampUri }));
}

/** Ends the place in a collection that a deleted stamp of the sender has permitted, if there is one. */
export async function endedFeature(
  stampUri: string,
  { id: by }: StoreAccountRecord,
  { tables, askAccount }: IncomingServices,
): Promise<void> {
  const known = await tables.get(featureStamps, { account: by, stamp: uriKey(stampUri) });
  if (known !== undefined)
    outcomeOf(await askAccount(known.owner, 'endFeature', { id: known.collectionId, by, stampUri }));
}

/** Returns the place of the sender at the address of a local collection, or of the place itself. Nothing is fetched. */
async function placeAt(uri: string, sender: StoreAccountRecord, { baseUrl, tables }: IncomingServices) {
  const read = readCollectionUri(baseUrl, uri);
  const record = read && (await tables.get(collections, { collection: storedId(read.id) }));
  const owner = record && (await tables.get(accounts, { account: record.owner }));
  if (owner === undefined || !isLocal(owner)) return undefined;
  const item = record?.items.find(
    ({ id, account }) => account === sender.id && (read?.item === undefined || storedId(read.item) === id),
  );
  const collection = collectionUri(baseUrl, owner, record?.id ?? '');
  const isNamed = uri === collection || uri.startsWith(`${collection}/items/`);
  return item && isNamed ? { id: record?.id ?? '', item: item.id, owner: owner.id, collection } : undefined;
}
