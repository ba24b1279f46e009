import { idAfter } from '../../domain/ids.js';
import { PUBLIC } from '../documents/context.js';

/** A relay to which the actor of this server subscribes. */
export interface Subscription {
  /** Address of the actor of this server. */
  readonly actor: string;
  /** Id of the relay's entry. */
  readonly id: string;
  /** Address of the relay's actor. */
  readonly relay: string;
  readonly style: string;
}

/** Returns the address of the Follow of a relay. */
const followId = (actor: string, id: string): string => `${actor}#relays/${id}`;

/**
 * Renders a subscription: a Follow of everything that is public, or of the relay's actor. Source: Mastodon's relays;
 * LitePub relays.
 */
export const relayFollowActivity = ({ actor, id, relay, style }: Subscription) => ({
  id: followId(actor, id),
  type: 'Follow',
  actor,
  object: style === 'litepub' ? relay : PUBLIC,
});

/** Returns the id of the entry whose Follow has this address; undefined for any other address. */
export const readRelayFollow = (actor: string, uri: string): string | undefined => idAfter(followId(actor, ''), uri);
