import { open } from 'node:fs/promises';
import { isProblem } from '../../actors/domain/problem.js';
import { type ListedBlock, readBlocks, writeBlocks } from '../../actors/domain/servers/block-list.js';
import type { Node } from '../../compose/node.js';
import {
  addListedBlocks,
  BLOCK_LIST_BYTES_MAX,
  listedBlocks,
  tooMany,
} from '../../gateway/moderation/listed-blocks.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on limits of other servers. */
export interface BlockOperations {
  'federation.blocks': { in: object; out: { blocks: readonly ListedBlock[] } };
  /** Adds limits of domains that have none. Our own domain and allowed ones are skipped. */
  'federation.block': {
    in: { blocks: readonly ListedBlock[] };
    out: { added: number; skipped: readonly string[] };
  };
}

/** Domains of one operation, whose input is bounded. */
const AT_ONCE = 50;

/** Implements the operations on a node. */
export const blockOperations: {
  readonly [K in keyof BlockOperations]: (
    node: Node,
    input: BlockOperations[K]['in'],
  ) => Promise<BlockOperations[K]['out']>;
} = {
  async 'federation.blocks'({ services }) {
    return { blocks: await listedBlocks(services) };
  },
  async 'federation.block'({ services }, { blocks }) {
    const done = await addListedBlocks(services, '', blocks);
    if (isProblem(done)) throw new Refused(done.detail);
    return done;
  },
};

async function textOf(path: string): Promise<string> {
  const file = await open(path).catch((error: Error) => {
    throw new Refused(error.message);
  });
  try {
    if ((await file.stat()).size > BLOCK_LIST_BYTES_MAX) throw new Refused(`${path} is larger than 10 MB`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Adds `federation export-blocks|import-blocks` to the program. */
export function addBlockCommands(command: Declare, withRun: WithRun<BlockOperations>): void {
  command('export-blocks', 'print the limits of domains as CSV').action((flags) =>
    withRun(flags, async (run) => {
      process.stdout.write(writeBlocks((await run('federation.blocks', {})).blocks));
    }),
  );
  command('import-blocks <file>', 'add limits from CSV to domains that have none').action((path: string, flags) =>
    withRun(flags, async (run) => {
      const blocks = readBlocks(await textOf(path));
      const refusal = tooMany(blocks);
      if (refusal !== undefined) throw new Refused(refusal.detail);
      let added = 0;
      const skipped: string[] = [];
      for (let at = 0; at < blocks.length; at += AT_ONCE) {
        const done = await run('federation.block', { blocks: blocks.slice(at, at + AT_ONCE) });
        added += done.added;
        skipped.push(...done.skipped);
      }
      printLine({ added, skipped: skipped.length });
    }),
  );
}
