import { PINS_MAX } from '../../account/pin.js';
import type { ActivityHandler } from '../inbox/port.js';
import { idOf } from '../reading/values.js';
import { outcomeOf } from './local.js';

/**
 * The sender adds a status of its own to its pinned ones, or removes it. Other collections are not kept. A status that
 * is not known here is not fetched for this. Source: ActivityPub §7.8, §7.9; Mastodon's `featured`.
 */
const pinning = (command: 'pin' | 'unpin'): ActivityHandler => ({
  isRemembered: true,
  async take({ document, allowed, sender }, services) {
    const target = idOf(document.target);
    if (target === undefined || target !== sender.remote?.featuredUri || allowed.objectId === undefined)
      return 'ignored';
    const status = await services.notes.known(allowed.objectId);
    if (status?.accountId !== sender.id) return 'ignored';
    if (command === 'pin' && sender.pinnedIds.length >= PINS_MAX) return 'ignored';
    return outcomeOf(await services.askAccount(sender.id, command, { statusId: status.id }));
  },
});

export const add = pinning('pin');
export const removeFrom = pinning('unpin');
