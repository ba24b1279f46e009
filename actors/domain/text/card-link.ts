import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { segments } from './segments.js';

/**
 * Returns the address of the page for a status's preview card: the first link of a public or unlisted status without
 * media or quote. Source: Mastodon FetchLinkCardService.
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
