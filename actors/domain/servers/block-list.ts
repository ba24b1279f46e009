import { quotedCell, readCsv } from '../text/csv.js';

/** A limit of a domain as lists of blocks contain it. */
export interface ListedBlock {
  readonly domain: string;
  /** `noop`, `silence` or `suspend`; in a list that others wrote, any text. */
  readonly severity: string;
  readonly rejectMedia: boolean;
  readonly rejectReports: boolean;
  readonly publicComment: string;
  readonly obfuscate: boolean;
}

/** Kinds of limits. `noop`: only the flags count. */
export const SEVERITIES: readonly string[] = ['noop', 'silence', 'suspend'];

/** Characters of a line that are read: a domain, a comment and short words. */
const LINE_CHARS_MAX = 1_000;
/** Longest comment that is taken; more is cut. */
export const COMMENT_CHARS_MAX = 500;
const HEADER = '#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate';

/**
 * Reads a list as Mastodon exports it. Columns may be missing; without a severity a domain is suspended.
 * @param linesMax lines that are read at most; default: all
 */
export function readBlocks(text: string, linesMax?: number): ListedBlock[] {
  const rows = readCsv(text, LINE_CHARS_MAX, linesMax);
  const isHeader = rows[0]?.some((name) => name.replace('#', '') === 'domain') === true;
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

/** Writes a list as Mastodon imports it. */
export function writeBlocks(blocks: readonly ListedBlock[]): string {
  const lines = blocks.map(({ domain, severity, rejectMedia, rejectReports, publicComment, obfuscate }) => {
    return [domain, severity, rejectMedia, rejectReports, quotedCell(publicComment), obfuscate].join(',');
  });
  return `${[HEADER, ...lines].join('\n')}\n`;
}

/** Writes domains without limits as Mastodon imports them. */
export const writeDomains = (domains: readonly string[]): string => `${['#domain', ...domains].join('\n')}\n`;
