import { fileUrl } from '../../actors/domain/media.js';
import type { CustomEmoji, EmojiLookup } from './custom-emoji.js';
import { type EntrySource, keepRefreshed } from './refreshed.js';

/** The instance's emoji in memory, at most ENTRIES_MAX, updated with each write on this and on other nodes. */
export class CustomEmojis implements EmojiLookup {
  all: ReadonlyMap<string, CustomEmoji> = new Map();

  private constructor() {}

  /** Loads the emoji. @throws Unavailable when the store cannot answer */
  static async open(source: EntrySource, baseUrl: string): Promise<CustomEmojis> {
    const emojis = new CustomEmojis();
    await keepRefreshed('emojis', source, (entries) => {
      emojis.all = new Map(
        entries.map(({ key, text }) => {
          const url = fileUrl(baseUrl, text?.text ?? '');
          const emoji = { shortcode: key, url, static_url: url, visible_in_picker: true, category: text?.hint || null };
          return [key, emoji];
        }),
      );
    });
    return emojis;
  }
}
