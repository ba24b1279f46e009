import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { BLOCK_LISTS, LIST_POLICIES } from '../../actors/instance/block-lists.js';
import type { Node } from '../../compose/node.js';
import { readingOf } from '../../gateway/moderation/block-lists.js';
import { putEntry } from '../../gateway/settings/changes.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on subscriptions to lists of domain blocks. */
export interface BlockListOperations {
  'blockList.add': { in: { url: string; policy: string }; out: ListState };
  /** `keep`: the limits that the list brought become the operator's own; otherwise they end. */
  'blockList.remove': { in: { url: string; keep: boolean }; out: { limits: number } };
  'blockList.list': { in: object; out: { lists: readonly ListState[] } };
  /** Fetches the list and returns what it would change. */
  'blockList.diff': { in: { url: string }; out: { changes: readonly ListedChange[]; skipped: number } };
  /** Fetches the list and applies it, whatever its policy. */
  'blockList.apply': { in: { url: string }; out: ListState };
}

interface ListState {
  readonly url: string;
  readonly policy: string;
  /** Time of the last successful reading, or null. */
  readonly read: string | null;
  /** The changes of the last reading have taken effect. */
  readonly applied: boolean;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Domains of the list whose limit an operator has ended. */
  readonly lifted: number;
  readonly problem: string | null;
}
interface ListedChange {
  readonly act: 'add' | 'change' | 'remove';
  readonly domain: string;
  readonly severity: string;
}

/** Lists of a server: each is a fetch a day. */
const LISTS_MAX = 20;
const URL_CHARS_MAX = 2_000;

/** Implements the operations on a node. */
export const blockListOperations: {
  readonly [K in keyof BlockListOperations]: (
    node: Node,
    input: BlockListOperations[K]['in'],
  ) => Promise<BlockListOperations[K]['out']>;
} = {
  async 'blockList.add'({ services, blockLists }, { url, policy }) {
    const address = String(url);
    if (!LIST_POLICIES.includes(policy)) throw new Refused(`a policy is ${LIST_POLICIES.join(' or ')}`);
    const isAddress = address.length <= URL_CHARS_MAX && URL.canParse(address);
    if (!isAddress || !services.addressGuard.maySend(new URL(address)))
      throw new Refused('the address of a list begins with https:// and names a public host');
    const known = await services.entries.of(BLOCK_LISTS);
    if (known.some(({ key }) => key === address)) throw new Refused('the list is added already');
    if (known.length >= LISTS_MAX) throw new Refused(`there may be ${LISTS_MAX} lists`);
    const blockList = { policy, lifted: [] };
    const made = accepted(await putEntry(services, '', { collection: BLOCK_LISTS, key: address, blockList }));
    return stateOf(made, await blockLists.read(made));
  },
  async 'blockList.remove'({ services, blockLists }, { url, keep }) {
    return { limits: accepted(await blockLists.end(await listAt(services, url), keep === true)) };
  },
  async 'blockList.list'({ services }) {
    return { lists: (await services.entries.of(BLOCK_LISTS)).map((entry) => stateOf(entry)) };
  },
  async 'blockList.diff'({ services, blockLists }, { url }) {
    const { added, changed, removed, skipped } = accepted(await blockLists.changes(await listAt(services, url)));
    const shown = (act: ListedChange['act'], some: readonly Pick<InstanceEntry, 'key' | 'domain'>[]) =>
      some.map(({ key, domain }) => ({ act, domain: key, severity: domain?.severity ?? '' }));
    return { changes: [...shown('add', added), ...shown('change', changed), ...shown('remove', removed)], skipped };
  },
  async 'blockList.apply'({ services, blockLists }, { url }) {
    const list = await listAt(services, url);
    return stateOf(list, await blockLists.read(list, true));
  },
};

async function listAt({ entries }: Pick<Node['services'], 'entries'>, url: unknown): Promise<InstanceEntry> {
  const list = (await entries.of(BLOCK_LISTS)).find(({ key }) => key === url);
  if (list === undefined) throw new Refused(`there is no list ${url}`);
  return list;
}

function stateOf(entry: InstanceEntry, reading = readingOf(entry)): ListState {
  const { readAtMs, applied, added, changed, removed, problem } = reading;
  const { policy = '', lifted = [] } = entry.blockList ?? {};
  const read = readAtMs > 0 ? new Date(readAtMs).toISOString() : null;
  const counts = { added, changed, removed, lifted: lifted.length };
  return { url: entry.key, policy, read, applied, ...counts, problem: problem || null };
}

function accepted<T>(answer: T | Problem): T {
  if (isProblem(answer)) throw new Refused(answer.detail);
  return answer;
}

/** Adds `block-list add|remove|list|diff|apply` to the program. */
export function addBlockListCommands(command: Declare, withRun: WithRun<BlockListOperations>): void {
  command('add <url>', 'subscribe to limits of domains as CSV')
    .option('--policy <policy>', 'apply: changes take effect by themselves; draft: after `apply`', 'draft')
    .action((url, flags) =>
      withRun(flags, async (run) => printLine(await run('blockList.add', { url, policy: String(flags.policy) }))),
    );
  command('remove <url>', 'end a subscription, and the limits that only it brought')
    .option('--keep', 'keep the limits as your own')
    .action((url, flags) =>
      withRun(flags, async (run) => printLine(await run('blockList.remove', { url, keep: flags.keep === true }))),
    );
  command('list', 'print the lists, one per line').action((flags) =>
    withRun(flags, async (run) => {
      for (const list of (await run('blockList.list', {})).lists) printLine(list);
    }),
  );
  command('diff <url>', 'fetch a list and print what it would change, one domain per line').action((url, flags) =>
    withRun(flags, async (run) => {
      const { changes, skipped } = await run('blockList.diff', { url });
      for (const change of changes) printLine(change);
      printLine({ skipped });
    }),
  );
  command('apply <url>', 'fetch a list and apply it').action((url, flags) =>
    withRun(flags, async (run) => printLine(await run('blockList.apply', { url }))),
  );
}
