import { proofReaction } from '../reactions/account/proof.js';
import { linkReactions, type WebPageContext } from '../reactions/web-page.js';
import type { ActorKind } from '../runtime/kind.js';
import { joined } from '../runtime/slice.js';
import { type WebPageCommands, type WebPageEvents, webPageSlices } from '../web-page/slices.js';
import type { LinkState } from '../web-page/state.js';
import { initialLink } from '../web-page/web-page.js';

/**
 * The kind of actor that represents one web address, whose page is fetched once for all statuses and profiles that link
 * to it.
 */
export function webPageKind(around: WebPageContext): ActorKind<LinkState, WebPageCommands, WebPageEvents> {
  return {
    name: 'link',
    initial: () => ({ ...initialLink(), proof: undefined }),
    ...joined(webPageSlices),
    stateVersion: 4,
    reactions: [...linkReactions(around), proofReaction(around)],
  };
}
