import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { ActivityHandler } from '../inbox/port.js';
import { audienceOf } from '../reading/values.js';
import { isMissing } from '../remote/port.js';
import { outcomeOf } from './local.js';
import { shownStatus } from './status.js';

/**
 * The sender reblogs a status. An embedded status is never believed; one that is not known is fetched if somebody here
 * follows the sender. A relay makes statuses known, and reblogs nothing. Source: ActivityPub §7.11; Mastodon's relays.
 */
export const announce: ActivityHandler = {
  isRemembered: true,
  async take({ document, allowed, sender, senderUri, mayFetch }, services) {
    const uri = allowed.objectId;
    const known = uri === undefined ? undefined : await services.notes.known(uri);
    const isRelay = services.relays.accepts(senderUri);
    if (uri !== undefined && known === undefined) {
      if (!isRelay && !isFollowedHere(sender)) return 'ignored';
      if (!mayFetch) return isRelay && !services.relays.admits() ? 'ignored' : 'needs-fetch';
      const found = await services.notes.find(uri);
      if (isMissing(found)) return found.missing === 'later' ? 'later' : 'ignored';
    }
    if (isRelay) return 'done';
    const status = await shownStatus(uri, sender, services);
    if (status === undefined) return 'ignored';
    const followers = sender.remote?.followersUri || `${senderUri}/followers`;
    const { visibility } = audienceOf(document.to, document.cc, followers);
    const reblog = { statusId: status.id, by: sender.id, visibility: visibility === 'direct' ? 'private' : visibility };
    return outcomeOf(await services.askConversation(status.conversationId, 'reblog', reblog));
  },
};

/** Returns true if somebody of this server follows an account of another. */
export const isFollowedHere = ({ followers }: StoreAccountRecord): boolean => followers > 0;
