import type { ActivityHandler } from '../inbox/port.js';
import { localAccountAt, outcomeOf } from './local.js';

/** The sender blocks a local account. Source: ActivityPub §6.9. */
export const block: ActivityHandler = {
  isRemembered: true,
  async take({ allowed, sender }, services) {
    const target = await localAccountAt(allowed.objectId, services);
    if (target === undefined) return 'ignored';
    return outcomeOf(await services.askAccount(sender.id, 'block', { target: target.id }));
  },
};
