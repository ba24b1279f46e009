import { type LinkSurroundings, linkReactions } from '../reactions/link.js';
import type { ActorKind } from '../runtime/kind.js';
import { type Commands, type Events, initialLink, link, type State } from './link.js';

/** The kind of actor that is one address on the web: whoever shows it, its page is fetched once. */
export function linkKind(around: LinkSurroundings): ActorKind<State, Commands, Events> {
  return {
    name: 'link',
    initial: initialLink,
    slice: { decide: link.decide, apply: link.apply },
    commands: link.commands,
    events: link.events,
    stateVersion: 1,
    reactions: linkReactions(around),
  };
}
