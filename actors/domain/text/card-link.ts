import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { segments } from './segments.js';

/**
 * The address of the page that a status shows a card of: the first link of what anybody may read, without media or a
 * quote of its own. Source: Mastodon FetchLinkCardService.
 */
export function cardLink({ text, visibility, media, quote, deleted }: StoreStatusRecord): string | undefined {
  if (deleted || media !== undefined || quote !== undefined || (visibility !== 'public' && visibility !== 'unlisted'))
    return undefined;
  if (!/https?:\/\//i.test(text)) return undefined;
  const first = segments(text).find(({ kind }) => kind === 'link')?.raw;
  if (first === undefined || !URL.canParse(first)) return undefined;
  const url = new URL(first);
  url.hash = '';
  return url.username + url.password === '' ? url.href : undefined;
}
