import { invalidField, isProblem, type Problem } from '../../actors/domain/problem.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { putEntry, removeEntry } from '../settings/changes.js';

/** Pixels of a side. Source: Mastodon CustomEmoji; clients show a fifth of it. */
const SIDE_MAX = 128;
/** Maximum size of an uploaded file. Source: Mastodon CustomEmoji::LIMIT, 256 KB. */
export const EMOJI_BYTES_MAX = 256 * 1_024;
/** Source: Mastodon CustomEmoji::SHORTCODE_RE_FRAGMENT. */
const SHORTCODE = /^[a-zA-Z0-9_]{2,100}$/;
const CATEGORY_CHARS_MAX = 100;

type Needed = Pick<Services, 'askInstance' | 'entries' | 'workshop'>;

/** A custom emoji to write. */
export interface NewEmoji {
  readonly shortcode: string;
  readonly category: string;
  /** File of its picture, of any type. */
  readonly bytes: Uint8Array;
}

/**
 * Adds an emoji, or changes the picture of the one with this name, for `by` (an account's id, or empty for the operator);
 * durable when resolved. @throws Unavailable
 */
export async function addEmoji(
  services: Needed,
  by: string,
  { shortcode, category, bytes }: NewEmoji,
): Promise<InstanceEntry | Problem> {
  if (!SHORTCODE.test(shortcode))
    return invalidField('shortcode', 'Shortcode', 'must have two or more letters, digits and _');
  if (category.length > CATEGORY_CHARS_MAX) return invalidField('category', 'Category', 'is too long');
  if (bytes.length > EMOJI_BYTES_MAX) return invalidField('picture', 'Picture', 'is larger than 256 KB');
  const made = await services.workshop.emoji(bytes, SIDE_MAX);
  if (made === undefined) return invalidField('picture', 'Picture', 'is not a readable image');
  const before = (await services.entries.of('emojis')).find(({ key }) => key === shortcode)?.text?.text;
  const text = { text: made.name, hint: category };
  const put = await putEntry(services, by, { collection: 'emojis', key: shortcode, replace: true, text });
  if (!isProblem(put) && before !== undefined) await services.workshop.remove(before);
  return put;
}

/** Removes an emoji and its picture; durable when resolved. @throws Unavailable */
export async function removeEmoji(services: Needed, by: string, id: string): Promise<InstanceEntry | Problem> {
  const gone = await removeEntry(services, by, 'emojis', id);
  if (!isProblem(gone) && gone.text !== undefined) await services.workshop.remove(gone.text.text);
  return gone;
}
