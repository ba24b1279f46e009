import { Type } from '@sinclair/typebox';
import { accountUri, collectionUri, isLocal } from '../../actors/domain/addresses.js';
import { storedId } from '../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isSuspended } from '../../actors/domain/standing.js';
import { actorAddresses } from '../../actors/federation/documents/actor.js';
import { featuredCollectionDocument } from '../../actors/federation/documents/featured-collection.js';
import { type Answer, type AnyRoute, route } from '../http/route.js';
import type { Services } from '../http/services.js';
import { idText } from '../paging/bounds.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { answered, notFound } from '../viewing/visible.js';
import { collectionsById, visibleCollection } from '../viewing/visible-collections.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { authorized } from './signer.js';

/** Addresses of a person's discoverable collections, newest first: there are at most COLLECTIONS_MAX. */
const ofPerson = route({
  method: 'GET',
  path: '/users/:name/featured_collections',
  auth: 'none',
  params: Type.Object(nameParams),
  handle: authorized(async ({ services, params }) => {
    const owner = await ownerNamed(services, params.name);
    if (isProblem(owner)) return owner;
    const { baseUrl } = services.instance;
    const ids = isSuspended(owner) ? [] : answered(await services.askAccount(owner.id, 'collections', {})).ids;
    const seen = await collectionsById(services, undefined, ids);
    const shown = seen.flatMap((one) => (one?.record.text?.discoverable === true ? [one.record.id] : [])).reverse();
    const id = actorAddresses(accountUri(baseUrl, owner)).featuredCollections;
    const orderedItems = shown.map((one) => collectionUri(baseUrl, owner, one));
    return activityAnswer({ id, type: 'OrderedCollection', totalItems: orderedItems.length, orderedItems });
  }),
});

/**
 * Returns a collection as everybody sees it, with its members; a 404 for one of another owner than `owner`. Source:
 * FEP-7aa9, FeaturedCollection.
 */
export async function collectionDocument(services: Services, id: string, owner?: string): Promise<Answer | Problem> {
  const seen = await visibleCollection(services, undefined, storedId(id));
  if (isProblem(seen)) return seen;
  if (owner !== undefined && seen.owner.id !== owner) return notFound();
  const accounts = await loadAccounts(
    services,
    seen.items.map(({ account }) => account),
  );
  const featured = seen.items.flatMap(({ id: item, account: of, createdAtMs: atMs, stampUri }) => {
    const account = accounts.get(of);
    return account !== undefined && (isLocal(account) || stampUri !== undefined)
      ? [{ id: item, account, atMs, stampUri }]
      : [];
  });
  return activityAnswer(featuredCollectionDocument(services.instance.baseUrl, seen.record, seen.owner, featured));
}

const collection = route({
  method: 'GET',
  path: '/users/:name/collections/:id',
  auth: 'none',
  params: Type.Object({ ...nameParams, id: idText() }),
  handle: authorized(async ({ services, params }) => {
    const owner = await ownerNamed(services, params.name);
    return isProblem(owner) ? owner : collectionDocument(services, params.id, owner.id);
  }),
});

export const featuredCollectionRoutes: readonly AnyRoute[] = [ofPerson, collection];
