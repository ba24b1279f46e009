import { actorAddresses } from '../documents/actor.js';

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
