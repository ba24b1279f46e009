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
/** Columns that are read: twice those of the known formats. */
const CELLS_MAX = 16;
const HEADER = '#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate';

/**
 * Reads a list as Mastodon exports it. Columns may be missing; without a severity a domain is suspended.
 * @param linesMax lines that are read at most; default: all
 */
export function readBlocks(text: string, linesMax?: number): ListedBlock[] {
  const rows = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/, linesMax)
    .map((line) => cellsOf(line.slice(0, LINE_CHARS_MAX)));
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

/** Returns the cells of one line: plain, or in quotes with doubled quotes within (RFC 4180 without line breaks). */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (cells.length === CELLS_MAX) break;
  }
  return cells;
}

/** Writes a list as Mastodon imports it. */
export function writeBlocks(blocks: readonly ListedBlock[]): string {
  const lines = blocks.map(({ domain, severity, rejectMedia, rejectReports, publicComment, obfuscate }) => {
    const comment = publicComment.replace(/\s+/g, ' ').replaceAll('"', '""');
    return [domain, severity, rejectMedia, rejectReports, comment && `"${comment}"`, obfuscate].join(',');
  });
  return `${[HEADER, ...lines].join('\n')}\n`;
}
