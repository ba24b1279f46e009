import { Type } from '@sinclair/typebox';
import { accountUri, collectionUri, featureStampUri, isLocal } from '../../actors/domain/addresses.js';
import { eraOfId, storedId } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import { featureStampDocument } from '../../actors/federation/documents/stamp.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts, featuredIn } from '../../store/tables.js';
import { type AnyRoute, route } from '../http/route.js';
import type { Services } from '../http/services.js';
import { idText } from '../paging/bounds.js';
import { notFound } from '../viewing/visible.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { authorized } from './signer.js';

/**
 * Serves the stamp by which an account permits its place in a collection of another server, while the permission lasts,
 * or in one of this server, while it is in it. No cache keeps it. Source: FEP-7aa9, FeatureAuthorization.
 */
const stamp = route({
  method: 'GET',
  path: '/users/:name/feature_authorizations/:id',
  auth: 'none',
  params: Type.Object({ ...nameParams, id: idText() }),
  handle: authorized(async ({ services, params }) => {
    const featured = await ownerNamed(services, params.name);
    if (isProblem(featured)) return featured;
    const id = storedId(params.id);
    const collection = isSuspended(featured) ? undefined : await collectionOf(services, featured, id);
    if (collection === undefined) return notFound();
    const { baseUrl } = services.instance;
    const uri = featureStampUri(baseUrl, featured, id);
    return activityAnswer(featureStampDocument({ uri, featured: accountUri(baseUrl, featured), collection }), false);
  }),
});

/** Returns the address of the collection that a stamp permits: of another server, or the one with this item. */
async function collectionOf(
  { tables, askAccount, instance }: Services,
  { id: account }: StoreAccountRecord,
  id: string,
): Promise<string | undefined> {
  const elsewhere = await askAccount(account, 'featureStamp', { id });
  if (!isProblem(elsewhere)) return elsewhere.uri;
  const here = await tables.get(featuredIn, { account, era: eraOfId(id), item: id });
  const owner = here && (await tables.get(accounts, { account: here.owner }));
  // Other servers have stamps of their own.
  return here && owner && isLocal(owner) ? collectionUri(instance.baseUrl, owner, here.collectionId) : undefined;
}

export const featureStampRoutes: readonly AnyRoute[] = [stamp];
