import type { ActivityHandler } from '../../inbox/port.js';
import { isSameOrigin } from '../../reading/uris.js';
import { idOf } from '../../reading/values.js';
import { localAccountAt, outcomeOf } from '../local.js';

/**
 * The sender asks to feature a local account in a collection of its own server. The account's actor decides and answers;
 * an account that blocks the sender gives no answer. Source: FEP-7aa9, FeatureRequest.
 */
export const featureRequest: ActivityHandler = {
  isRemembered: false,
  async take({ document, allowed, sender, senderUri }, services) {
    const featured = await localAccountAt(allowed.objectId, services);
    const uri = idOf(document.instrument);
    if (featured === undefined || uri === undefined || !isSameOrigin(uri, senderUri)) return 'ignored';
    const { following: follows } = await services.relationsOf(sender.id, featured.id);
    const asked = { by: sender.id, uri, requestId: allowed.id ?? '', follows };
    return outcomeOf(await services.askAccount(featured.id, 'requestFeature', asked));
  },
};
