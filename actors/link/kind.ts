import { type LinkSurroundings, linkReactions } from '../reactions/link.js';
import { proofReaction } from '../reactions/proof.js';
import type { ActorKind } from '../runtime/kind.js';
import { initialLink, link, type Commands as PageCommands, type Events as PageEvents } from './link.js';
import { type Commands as ProofCommands, type Events as ProofEvents, proof } from './proof.js';
import type { LinkState } from './state.js';

export interface Commands extends PageCommands, ProofCommands {}
interface Events extends PageEvents, ProofEvents {}

/** The kind of actor that is one address on the web: whoever shows it, its page is fetched once. */
export function linkKind(around: LinkSurroundings): ActorKind<LinkState, Commands, Events> {
  return {
    name: 'link',
    initial: () => ({ ...initialLink(), proof: undefined }),
    slice: { decide: { ...link.decide, ...proof.decide }, apply: { ...link.apply, ...proof.apply } },
    commands: { ...link.commands, ...proof.commands },
    events: { ...link.events, ...proof.events },
    stateVersion: 4,
    queries: ['cardNow'],
    reactions: [...linkReactions(around), proofReaction(around)],
  };
}
