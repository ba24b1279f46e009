import { Type } from '@sinclair/typebox';
import type { StoreRemoteEmoji } from '../../proto/gen/types.js';
import { entity, nullable, type Shape, uri } from '../http/entity.js';
import { type MediaOwner, remoteMediaUrl } from './remote-media.js';

/** The REST API's CustomEmoji. */
export const CustomEmoji = entity('CustomEmoji', {
  shortcode: Type.String(),
  url: uri(),
  static_url: uri(),
  visible_in_picker: Type.Boolean(),
  category: nullable(Type.String()),
});
export type CustomEmoji = Shape<typeof CustomEmoji>;

/** Current emoji of the instance, available synchronously for rendering texts. */
export interface EmojiLookup {
  /** A new map after each change. */
  readonly all: ReadonlyMap<string, CustomEmoji>;
}

/** Returns emoji of another server as clients get them. They are not offered when writing. */
export const remoteEmoji = (
  instance: { readonly baseUrl: string },
  owner: MediaOwner,
  emojis: readonly StoreRemoteEmoji[],
): readonly CustomEmoji[] =>
  emojis.length === 0
    ? NO_EMOJI
    : emojis.map(({ shortcode, url: remote }) => {
        const url = remoteMediaUrl(instance, owner, remote);
        return { shortcode, url, static_url: url, visible_in_picker: false, category: null };
      });

/** Result for texts without emoji. */
export const NO_EMOJI: readonly CustomEmoji[] = [];

/** A shortcode between colons, without word characters beside it. Source: Mastodon CustomEmoji::SCAN_RE. */
const SHORTCODES = /(?<![\p{L}\p{N}:]):(\w{2,}):(?![\p{L}\p{N}:])/gu;

/** Returns the emoji that these texts use, each once. */
export function emojiIn(
  { emojis }: { readonly emojis?: EmojiLookup | undefined },
  ...texts: readonly string[]
): readonly CustomEmoji[] {
  if (emojis === undefined || emojis.all.size === 0) return NO_EMOJI;
  const found = new Set<CustomEmoji>();
  for (const text of texts) {
    if (!text.includes(':')) continue;
    for (const [, shortcode = ''] of text.matchAll(SHORTCODES)) {
      const emoji = emojis.all.get(shortcode);
      if (emoji !== undefined) found.add(emoji);
    }
  }
  return found.size === 0 ? NO_EMOJI : [...found];
}
