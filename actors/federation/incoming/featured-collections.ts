import type { IncomingActivity, IncomingServices, Outcome } from '../inbox/port.js';
import { isFeaturedCollection } from '../reading/featured-collection.js';
import { isSameOrigin } from '../reading/uris.js';
import { asList, idOf, isObject, type JsonObject, objectOf, typesOf } from '../reading/values.js';
import { isFollowedHere } from './announce.js';
import { localAccountAt } from './local.js';

/** Changes of the collections of one account take effect in their order: they wait for stamps. */
export const orderOfCollections = (senderUri: string): string => `${senderUri}#collections`;

/** Accounts of a collection that are looked at to find one of here. */
const ITEMS_LOOKED_AT_MAX = 50;

/**
 * The sender adds a collection of people to those that it shows, or an account to one of them, or removes it. `target`:
 * the list of its collections, or one of them. Source: FEP-7aa9, Add and Remove.
 */
export async function changedCollection(
  isAdded: boolean,
  target: string,
  activity: IncomingActivity,
  services: IncomingServices,
): Promise<Outcome> {
  const { document, allowed, sender, senderUri, mayFetch } = activity;
  const { objectId } = allowed;
  const { collections } = services;
  if (objectId === undefined || !isSameOrigin(target, senderUri) || !isSameOrigin(objectId, senderUri))
    return 'ignored';
  const object = objectOf(document.object);
  if (target === sender.remote?.featuredCollectionsUri) {
    if (isAdded && allowed.object !== undefined) return toldCollection(allowed.object, activity, services);
    if (isAdded && !isFollowedHere(sender)) return 'ignored';
    if (!mayFetch) return 'needs-fetch';
    if (isAdded) return collections.find(objectId, sender);
    await collections.forget(objectId, sender);
    return 'done';
  }
  if (isAdded && (object === undefined || !typesOf(object).includes('FeaturedItem'))) return 'ignored';
  if (isAdded && !isFollowedHere(sender) && !(await isOfHere(object, services))) return 'ignored';
  if (!mayFetch) return 'needs-fetch';
  return isAdded && object !== undefined
    ? collections.joined(object, target, sender)
    : collections.parted(objectId, target, sender);
}

/** Stores a collection that the sender has embedded, if somebody here follows the sender or is in it. */
export async function toldCollection(
  collection: JsonObject,
  { sender, mayFetch }: IncomingActivity,
  services: IncomingServices,
): Promise<Outcome> {
  if (!isFeaturedCollection(collection)) return 'ignored';
  if (!isFollowedHere(sender) && !(await hasSomebodyOfHere(collection, services))) return 'ignored';
  return mayFetch ? services.collections.told(collection, sender) : 'needs-fetch';
}

async function hasSomebodyOfHere({ orderedItems }: JsonObject, services: IncomingServices): Promise<boolean> {
  for (const item of asList(orderedItems, ITEMS_LOOKED_AT_MAX)) if (await isOfHere(item, services)) return true;
  return false;
}

const isOfHere = async (item: unknown, services: IncomingServices): Promise<boolean> =>
  isObject(item) && (await localAccountAt(idOf(item.featuredObject), services)) !== undefined;
