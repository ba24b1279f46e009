import { INSTANCE_ID } from '../../instance/commands.js';
import { instanceActorUri } from '../documents/actor.js';
import type { ActivityHandler } from '../inbox/port.js';
import { localAccountAt, outcomeOf } from './local.js';

/**
 * The sender follows a local account, which decides as it does for local followers. A relay follows the actor of this
 * server. Source: ActivityPub §7.5; LitePub relays.
 */
export const follow: ActivityHandler = {
  isRemembered: true,
  async take({ allowed, sender, senderUri: uri }, services) {
    if (allowed.objectId === instanceActorUri(services.baseUrl))
      return outcomeOf(await services.askInstance(INSTANCE_ID, 'meetRelay', { uri, activityId: allowed.id ?? '' }));
    const target = await localAccountAt(allowed.objectId, services);
    if (target === undefined) return 'ignored';
    const asked = { target: target.id, targetLocked: target.profile?.locked === true, reblogs: true, notify: false };
    return outcomeOf(await services.askAccount(sender.id, 'follow', { ...asked, activityId: allowed.id }));
  },
};
