/** The REST API's CustomEmoji. */
export interface CustomEmoji {
  readonly shortcode: string;
  readonly url: string;
  readonly static_url: string;
  readonly visible_in_picker: boolean;
  readonly category: string | null;
}

/** The instance's emoji as of now, answered at once: texts are rendered with it. */
export interface EmojiLookup {
  /** Another one when any has changed. */
  readonly all: ReadonlyMap<string, CustomEmoji>;
}

/** For where there are none. */
export const NO_EMOJI: readonly CustomEmoji[] = [];

/** A shortcode between colons, with nothing of a word beside it. Source: Mastodon CustomEmoji::SCAN_RE. */
const SHORTCODES = /(?<![\p{L}\p{N}:]):(\w{2,}):(?![\p{L}\p{N}:])/gu;

/** The emoji that these texts use, each once. */
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
