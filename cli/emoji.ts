import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isProblem } from '../actors/domain/problem.js';
import type { Node } from '../compose/node.js';
import { addEmoji, EMOJI_BYTES_MAX, removeEmoji } from '../gateway/moderation/emoji.js';
import { Refused } from './refused.js';
import { type Declare, printLine, type WithRun } from './running.js';

/** Operations of the command line on custom emoji. */
export interface EmojiOperations {
  /** `path`: absolute; the node reads it. */
  'emoji.add': { in: { shortcode: string; path: string; category?: string }; out: { shortcode: string } };
  'emoji.remove': { in: { shortcode: string }; out: object };
  'emoji.list': { in: object; out: { emojis: readonly object[] } };
}

/** Implements the operations on a node. */
export const emojiOperations: {
  readonly [K in keyof EmojiOperations]: (
    node: Node,
    input: EmojiOperations[K]['in'],
  ) => Promise<EmojiOperations[K]['out']>;
} = {
  async 'emoji.add'({ services }, { shortcode, path, category = '' }) {
    const bytes = await picture(String(path));
    const put = await addEmoji(services, '', { shortcode: String(shortcode), category: String(category), bytes });
    if (isProblem(put)) throw new Refused(put.detail);
    return { shortcode };
  },
  async 'emoji.remove'({ services }, { shortcode }) {
    const entry = (await services.entries.of('emojis')).find(({ key }) => key === shortcode);
    if (entry === undefined) throw new Refused(`there is no emoji ${shortcode}`);
    const gone = await removeEmoji(services, '', entry.id);
    if (isProblem(gone)) throw new Refused(gone.detail);
    return {};
  },
  async 'emoji.list'({ services }) {
    const emojis = await services.entries.of('emojis');
    return { emojis: emojis.map(({ key, text }) => ({ shortcode: key, category: text?.hint ?? '' })) };
  },
};

async function picture(path: string): Promise<Uint8Array> {
  try {
    if ((await stat(path)).size > EMOJI_BYTES_MAX) throw new Refused(`${path} is larger than 256 KB`);
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
