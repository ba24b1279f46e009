import type { ActivityHandler } from '../inbox/port.js';
import { localAccountAt, outcomeOf } from './local.js';

/** The sender follows a local account, which decides as it does for local followers. Source: ActivityPub §7.5. */
export const follow: ActivityHandler = {
  isRemembered: true,
  async take({ allowed, sender }, services) {
    const target = await localAccountAt(allowed.objectId, services);
    if (target === undefined) return 'ignored';
    const asked = { target: target.id, targetLocked: target.profile?.locked === true, reblogs: true, notify: false };
    return outcomeOf(await services.askAccount(sender.id, 'follow', { ...asked, activityId: allowed.id }));
  },
};
