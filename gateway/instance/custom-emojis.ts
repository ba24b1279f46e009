import { fileUrl } from '../../actors/domain/media.js';
import type { Clock } from '../../actors/domain/time.js';
import type { CachedTables } from '../../store/cached-tables.js';
import { instanceEntries } from '../../store/tables.js';
import type { CustomEmoji, EmojiLookup } from '../entities/custom-emoji.js';
import type { InstanceEntries } from './entries.js';

const COLLECTION = 'emojis';
/** When the store could not be read, it is tried again so much later; what was known holds meanwhile. */
const AGAIN_MS = 1_000;

/** The instance's emoji in memory, at most ENTRIES_MAX, kept in step with what is written, here and elsewhere. */
export class CustomEmojis implements EmojiLookup {
  all: ReadonlyMap<string, CustomEmoji> = new Map();
  readonly #entries: Pick<InstanceEntries, 'of'>;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #failed: (error: unknown) => void;
  #order: Promise<void> = Promise.resolve();

  private constructor(
    entries: Pick<InstanceEntries, 'of'>,
    baseUrl: string,
    clock: Clock,
    failed: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#entries = entries;
    this.#baseUrl = baseUrl;
    this.#failed = failed;
  }

  /**
   * `entries` must have been made of the same tables, so that it hears of a change first.
   * @throws Unavailable when the store cannot answer
   */
  static async open(
    entries: InstanceEntries,
    tables: Pick<CachedTables, 'onChanged'>,
    baseUrl: string,
    clock: Clock,
    failed: (error: unknown) => void,
  ): Promise<CustomEmojis> {
    const emojis = new CustomEmojis(entries, baseUrl, clock, failed);
    tables.onChanged((rows) => {
      const isOwn = rows?.some(({ table, key }) => table === instanceEntries.name && key[0] === COLLECTION) ?? true;
      if (isOwn) emojis.#later();
    });
    await emojis.#read();
    return emojis;
  }

  #later(): void {
    this.#order = this.#order
      .then(() => this.#read())
      .catch((error) => {
        this.#failed(error);
        this.#clock.after(AGAIN_MS, () => this.#later());
      });
  }

  async #read(): Promise<void> {
    const entries = await this.#entries.of(COLLECTION);
    this.all = new Map(
      entries.map(({ key, text }) => {
        const url = fileUrl(this.#baseUrl, text?.text ?? '');
        const emoji = { shortcode: key, url, static_url: url, visible_in_picker: true, category: text?.hint || null };
        return [key, emoji];
      }),
    );
  }
}
