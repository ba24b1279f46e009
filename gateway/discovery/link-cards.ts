import { isProblem } from '../../actors/domain/problem.js';
import type { TypedAsk } from '../../actors/runtime/kind.js';
import type { WebPageCommands } from '../../actors/web-page/slices.js';
import { linkId } from '../../actors/web-page/web-page.js';
import type { LinkCard } from '../../proto/gen/types.js';

/** Returns the preview card of a page, if known. */
export type LinkCards = (url: string) => Promise<LinkCard | undefined>;

/**
 * Reads cards from the pages' actors. A page that was never fetched is fetched in the background, for later requests.
 */
export function linkCards(ask: TypedAsk<WebPageCommands>): LinkCards {
  return async (url) => {
    const { username, password } = new URL(url);
    if (username !== '' || password !== '') return undefined;
    const id = linkId(url);
    const now = await ask(id, 'cardNow', { url });
    if (isProblem(now)) return undefined;
    if (!now.known) await ask(id, 'wantCard', { url });
    return now.card;
  };
}
