import { actorAddresses } from '../documents/actor.js';
import type { Hashtag } from '../documents/hashtag.js';

/**
 * Renders a pinned status, or the end of the pin. `part`: unique among the pins of the account. Source: ActivityPub §7.8,
 * §7.9; Mastodon's `featured`.
 */
export const pinActivity = (type: 'Add' | 'Remove', actor: string, object: string, part: string) => ({
  id: `${actor}#pins/${part}`,
  type,
  actor,
  object,
  target: actorAddresses(actor).featured,
});

/**
 * Renders a featured account, or the end of it. `part`: unique among the featured accounts of the account. The collection
 * is an extension of this server.
 */
export const endorsementActivity = (type: 'Add' | 'Remove', actor: string, object: string, part: string) => ({
  id: `${actor}#featured-accounts/${part}`,
  type,
  actor,
  object,
  target: actorAddresses(actor).featuredAccounts,
});

/**
 * Renders a featured hashtag, or the end of it. `part`: unique among the featured hashtags of the account. The target is
 * the collection of pinned statuses: Mastodon looks for hashtags there, too. Source: Mastodon AddHashtagSerializer.
 */
export const tagActivity = (type: 'Add' | 'Remove', actor: string, object: Hashtag, part: string) => ({
  id: `${actor}#featured-tags/${part}`,
  type,
  actor,
  object,
  target: actorAddresses(actor).featured,
});
