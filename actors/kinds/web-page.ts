import { proofReaction } from '../reactions/account/proof.js';
import { linkReactions, type WebPageContext } from '../reactions/web-page.js';
import type { ActorKind } from '../runtime/kind.js';
import { joined } from '../runtime/slice.js';
import { type Commands as ProofCommands, type Events as ProofEvents, proof } from '../web-page/proof.js';
import type { LinkState } from '../web-page/state.js';
import {
  initialLink,
  type Commands as PageCommands,
  type Events as PageEvents,
  webPage,
} from '../web-page/web-page.js';

export interface Commands extends PageCommands, ProofCommands {}
interface Events extends PageEvents, ProofEvents {}

/**
 * The kind of actor that represents one web address, whose page is fetched once for all statuses and profiles that link
 * to it.
 */
export function webPageKind(around: WebPageContext): ActorKind<LinkState, Commands, Events> {
  return {
    name: 'link',
    initial: () => ({ ...initialLink(), proof: undefined }),
    ...joined([webPage, proof]),
    stateVersion: 4,
    reactions: [...linkReactions(around), proofReaction(around)],
  };
}
