import type { ActivityHandler } from '../inbox/port.js';
import { ACTOR_TYPES } from '../reading/authority.js';
import { isFeaturedCollection } from '../reading/featured-collection.js';
import { objectOf, typeAmong } from '../reading/values.js';
import { isMissing } from '../remote/port.js';
import { outcomeWithQuote } from './create.js';
import { orderOfCollections, toldCollection } from './featured-collections.js';

/**
 * The sender changes its profile, a status or a collection of its own. A profile that is only named is fetched from its server, at
 * most once in 5 min. Source: ActivityPub §7.3.
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
    if (known?.accountId !== sender.id) return 'ignored';
    return outcomeWithQuote(await services.notes.revised(object, sender), object, activity, services);
  },
};
