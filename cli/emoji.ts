import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isProblem } from '../actors/domain/problem.js';
import type { Node } from '../compose/node.js';
import { putEntry, removeEntry } from '../gateway/settings/changes.js';
import { Refused } from './refused.js';
import { type Declare, printLine, type WithRun } from './running.js';

/** Operations of the command line on custom emoji. */
export interface EmojiOperations {
  /** `path`: absolute; the node reads it. */
  'emoji.add': { in: { shortcode: string; path: string; category?: string }; out: { shortcode: string } };
  'emoji.remove': { in: { shortcode: string }; out: object };
  'emoji.list': { in: object; out: { emojis: readonly object[] } };
}

/** Pixels of a side. Source: Mastodon CustomEmoji; clients show a fifth of it. */
const SIDE_MAX = 128;
/** Maximum size of an uploaded file. Source: Mastodon CustomEmoji::LIMIT, 256 KB. */
const FILE_BYTES_MAX = 256 * 1_024;
/** Source: Mastodon CustomEmoji::SHORTCODE_RE_FRAGMENT. */
const SHORTCODE = /^[a-zA-Z0-9_]{2,100}$/;
const CATEGORY_CHARS_MAX = 100;

/** Implements the operations on a node. */
export const emojiOperations: {
  readonly [K in keyof EmojiOperations]: (
    node: Node,
    input: EmojiOperations[K]['in'],
  ) => Promise<EmojiOperations[K]['out']>;
} = {
  async 'emoji.add'({ services }, { shortcode, path, category = '' }) {
    if (!SHORTCODE.test(String(shortcode))) throw new Refused('a shortcode is two or more letters, digits and _');
    if (String(category).length > CATEGORY_CHARS_MAX) throw new Refused('the category is too long');
    const bytes = await picture(String(path));
    const made = await services.workshop.emoji(bytes, SIDE_MAX);
    if (made === undefined) throw new Refused(`${path} is not a readable image`);
    const before = (await services.entries.of('emojis')).find(({ key }) => key === shortcode)?.text?.text;
    const text = { text: made.name, hint: category };
    const put = await putEntry(services, '', { collection: 'emojis', key: shortcode, replace: true, text });
    if (isProblem(put)) throw new Refused(put.detail);
    if (before !== undefined) await services.workshop.remove(before);
    return { shortcode };
  },
  async 'emoji.remove'({ services }, { shortcode }) {
    const entry = (await services.entries.of('emojis')).find(({ key }) => key === shortcode);
    if (entry === undefined) throw new Refused(`there is no emoji ${shortcode}`);
    const gone = await removeEntry(services, '', 'emojis', entry.id);
    if (isProblem(gone)) throw new Refused(gone.detail);
    if (entry.text !== undefined) await services.workshop.remove(entry.text.text);
    return {};
  },
  async 'emoji.list'({ services }) {
    const emojis = await services.entries.of('emojis');
    return { emojis: emojis.map(({ key, text }) => ({ shortcode: key, category: text?.hint ?? '' })) };
  },
};

async function picture(path: string): Promise<Uint8Array> {
  try {
    if ((await stat(path)).size > FILE_BYTES_MAX) throw new Refused(`${path} is larger than 256 KB`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${path} cannot be read`);
  }
}

/** Adds `emoji add|remove|list` to the program. */
export function addEmojiCommands(command: Declare, withRun: WithRun<EmojiOperations>): void {
  command('add <shortcode> <file>', 'add a custom emoji, or change its picture')
    .option('--category <name>', 'the category in pickers')
    .action((shortcode: string, file: string, flags) =>
      withRun(flags, async (run) => {
        const category = typeof flags.category === 'string' ? { category: flags.category } : {};
        printLine(await run('emoji.add', { shortcode, path: resolve(file), ...category }));
      }),
    );
  command('remove <shortcode>', 'remove one').action((shortcode: string, flags) =>
    withRun(flags, async (run) => printLine(await run('emoji.remove', { shortcode }))),
  );
  command('list', 'print all of them').action((flags) =>
    withRun(flags, async (run) => printLine((await run('emoji.list', {})).emojis)),
  );
}
