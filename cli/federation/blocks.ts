import { open } from 'node:fs/promises';
import { isProblem } from '../../actors/domain/problem.js';
import { domainName } from '../../actors/domain/servers/domain-name.js';
import type { Node } from '../../compose/node.js';
import { putEntry } from '../../gateway/settings/changes.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on limits of other servers. */
export interface BlockOperations {
  'federation.blocks': { in: object; out: { blocks: readonly Block[] } };
  /** Adds limits of domains that have none. Our own domain and allowed ones are skipped. */
  'federation.block': { in: { blocks: readonly Block[] }; out: { added: number; skipped: readonly string[] } };
}
interface Block {
  readonly domain: string;
  readonly severity: string;
  readonly rejectMedia: boolean;
  readonly rejectReports: boolean;
  readonly publicComment: string;
  readonly obfuscate: boolean;
}

/** Largest file: ten times the largest public lists. */
const FILE_BYTES_MAX = 10_000_000;
/** Domains of one operation, whose input is bounded. */
const AT_ONCE = 50;
/** Characters of a line that are read: a domain, a comment and short words. */
const LINE_CHARS_MAX = 1_000;
/** Longest comment that is taken; more is cut. */
const COMMENT_CHARS_MAX = 500;
const SEVERITIES = ['noop', 'silence', 'suspend'];
const HEADER = '#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate';

/** Implements the operations on a node. */
export const blockOperations: {
  readonly [K in keyof BlockOperations]: (
    node: Node,
    input: BlockOperations[K]['in'],
  ) => Promise<BlockOperations[K]['out']>;
} = {
  async 'federation.blocks'({ services }) {
    const entries = await services.entries.of('domain_blocks');
    return {
      blocks: entries.flatMap(({ key, domain }) => {
        if (domain === undefined) return [];
        const { severity, rejectMedia, rejectReports, publicComment, obfuscate } = domain;
        return [{ domain: key, severity, rejectMedia, rejectReports, publicComment, obfuscate }];
      }),
    };
  },
  async 'federation.block'({ services }, { blocks }) {
    const keysOf = async (name: 'domain_blocks' | 'domain_allows') =>
      new Set((await services.entries.of(name)).map(({ key }) => key));
    const [known, allowed] = await Promise.all([keysOf('domain_blocks'), keysOf('domain_allows')]);
    const { domain: own, baseUrl } = services.instance;
    const ours = [own, new URL(baseUrl).host, new URL(baseUrl).hostname].map((one) => domainName(one));
    const skipped: string[] = [];
    let added = 0;
    for (const { domain: text, severity, rejectMedia, rejectReports, publicComment, obfuscate } of blocks) {
      const key = domainName(String(text));
      // A limit also holds for subdomains, of which ours may be one.
      const isOurs = key === undefined || ours.some((one) => one === key || one?.endsWith(`.${key}`) === true);
      const isWanted = [...allowed].some((one) => one === key || one.endsWith(`.${key}`));
      if (isOurs || isWanted || known.has(key) || !SEVERITIES.includes(severity)) {
        skipped.push(String(text).slice(0, 300));
        continue;
      }
      const limits = { rejectMedia: rejectMedia === true, rejectReports: rejectReports === true };
      const comments = { privateComment: '', publicComment: String(publicComment).slice(0, COMMENT_CHARS_MAX) };
      const domain = { severity, ...limits, ...comments, obfuscate: obfuscate === true };
      const made = await putEntry(services, '', { collection: 'domain_blocks', key, domain });
      if (isProblem(made)) throw new Refused(made.detail);
      known.add(key);
      added += 1;
    }
    return { added, skipped };
  },
};

/** Reads a list as Mastodon exports it. Columns may be missing; without a severity a domain is suspended. */
export function readBlocks(text: string): Block[] {
  const rows = text.split(/\r?\n/).map((line) => cellsOf(line.slice(0, LINE_CHARS_MAX)));
  const isHeader = (rows[0]?.[0] ?? '').replace('#', '') === 'domain';
  const names = isHeader ? (rows.shift() ?? []).map((name) => name.replace(/^#/, '')) : ['domain', 'severity'];
  return rows.flatMap((cells) => {
    const cell = (name: string) => (cells[names.indexOf(name)] ?? '').trim();
    const isTrue = (name: string) => /^(true|1|yes)$/i.test(cell(name));
    if (cell('domain') === '') return [];
    const limits = { rejectMedia: isTrue('reject_media'), rejectReports: isTrue('reject_reports') };
    const severity = cell('severity') || 'suspend';
    const publicComment = cell('public_comment').slice(0, COMMENT_CHARS_MAX);
    return [{ domain: cell('domain'), severity, ...limits, publicComment, obfuscate: isTrue('obfuscate') }];
  });
}

/** Returns the cells of one line: plain, or in quotes with doubled quotes within (RFC 4180 without line breaks). */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
  return cells;
}

/** Writes a list as Mastodon imports it. */
export function writeBlocks(blocks: readonly Block[]): string {
  const lines = blocks.map(({ domain, severity, rejectMedia, rejectReports, publicComment, obfuscate }) => {
    const comment = publicComment.replace(/\s+/g, ' ').replaceAll('"', '""');
    return [domain, severity, rejectMedia, rejectReports, comment && `"${comment}"`, obfuscate].join(',');
  });
  return `${[HEADER, ...lines].join('\n')}\n`;
}

async function textOf(path: string): Promise<string> {
  const file = await open(path).catch((error: Error) => {
    throw new Refused(error.message);
  });
  try {
    if ((await file.stat()).size > FILE_BYTES_MAX) throw new Refused(`${path} is larger than 10 MB`);
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
