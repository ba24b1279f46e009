import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import type { ActivityHandler, IncomingActivity, IncomingServices, Outcome } from '../inbox/port.js';
import { ACTOR_TYPES } from '../reading/authority.js';
import { isFeaturedCollection } from '../reading/featured-collection.js';
import { objectOf, timeOf, typeAmong } from '../reading/values.js';
import { isMissing } from '../remote/port.js';
import { create, outcomeWithQuote } from './create.js';
import { orderOfCollections, toldCollection } from './featured-collections.js';

/**
 * Age up to which an Update of an unknown status is taken as its Create. Source: Mastodon's OBJECT_AGE_THRESHOLD; its
 * Create is repeated for longer, but nobody here has asked for an older one.
 */
const UNKNOWN_AGE_MS_MAX = 86_400_000;

/**
 * The sender changes its profile, a status or a collection of its own. A profile that is only named is fetched from its server, at
 * most once in 5 min. An Update of a status that is not known yet is taken as its Create: servers deliver the two in any
 * order, and a Create that comes later changes nothing. Source: ActivityPub §7.3.
 */
export const update: ActivityHandler = {
  isRemembered: false,
  orderOf: ({ document, senderUri }) =>
    isFeaturedCollection(objectOf(document.object) ?? {}) ? orderOfCollections(senderUri) : undefined,
  async take(activity, services) {
    const { allowed, sender, senderUri, mayFetch } = activity;
    const { object, objectId } = allowed;
    if (objectId === senderUri || (object !== undefined && typeAmong(object, ACTOR_TYPES) !== undefined)) {
      if (objectId !== senderUri) return 'ignored';
      if (object !== undefined && typeAmong(object, ACTOR_TYPES) !== undefined)
        return isMissing(await services.people.told(object, sender)) ? 'ignored' : 'done';
      if (!mayFetch) return 'needs-fetch';
      const found = await services.people.find(senderUri, { fresh: true });
      if (!isMissing(found)) return 'done';
      return found.missing === 'later' ? 'later' : 'ignored';
    }
    if (object === undefined || objectId === undefined) return 'ignored';
    if (isFeaturedCollection(object)) return toldCollection(object, activity, services);
    const known = await services.notes.known(objectId);
    if (known === undefined) return takenAsCreate(object, activity, services);
    if (known.accountId !== sender.id) return 'ignored';
    return outcomeWithQuote(await services.notes.revised(object, sender), object, activity, services);
  },
};

async function takenAsCreate(
  object: JsonObject,
  activity: IncomingActivity,
  services: IncomingServices,
): Promise<Outcome> {
  const publishedMs = timeOf(object.published);
  const isOld = publishedMs !== undefined && publishedMs < services.clock.nowMs() - UNKNOWN_AGE_MS_MAX;
  if (isOld) return 'ignored';
  const outcome = await create.take(activity, services);
  // The Create may have come meanwhile.
  if (outcome === 'done') await services.notes.revised(object, activity.sender);
  return outcome;
}
