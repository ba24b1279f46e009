import { readCsv, writeCsv } from '../../../../actors/domain/text/csv.js';
import type { Kind } from './own-lists.js';

/** Largest file: 10,000 rows of 90 bytes. With the form's other fields it must fit a body of 1 MB. */
export const IMPORT_BYTES_MAX = 900_000;
/** Rows of a file: more than anybody can follow, block or mute. */
export const IMPORT_ROWS_MAX = 10_000;
/** Characters of a line that are read: the title of a list and an address, or the address of a post. */
const LINE_CHARS_MAX = 2_000;

/** First rows of files as Mastodon writes them. The other files have none. */
const HEADERS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  follows: ['Account address', 'Show boosts', 'Notify on new posts', 'Languages'],
  mutes: ['Account address', 'Hide notifications'],
};
/** Cells of a first row that names the columns. */
const NAMES = /^#?(?:account address|domain|uri|list name)$/i;

/** Returns the text of a file; undefined if it is too large or no text. */
export function csvText(bytes: Uint8Array): string | undefined {
  if (bytes.length > IMPORT_BYTES_MAX) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns a list as Mastodon exports it. */
export const fileOf = (kind: Kind, rows: readonly (readonly string[])[]): string => headOf(kind) + writeCsv(rows);

/** Returns the first row of such a file; empty if it has none. */
export const headOf = (kind: Kind): string => writeCsv([HEADERS[kind] ?? []].filter((row) => row.length > 0));

/**
 * Returns the rows of a file with their cells in Mastodon's order; empty and repeated rows are left out. Undefined: there
 * are more than IMPORT_ROWS_MAX.
 */
export function rowsOf(kind: Kind, text: string): readonly (readonly string[])[] | undefined {
  const rows = readCsv(text, LINE_CHARS_MAX, 2 * IMPORT_ROWS_MAX).map((cells) => cells.map((cell) => cell.trim()));
  const [first = []] = rows;
  if (first.some((cell) => NAMES.test(cell))) rows.shift();
  const columns = HEADERS[kind]?.map((name) => first.findIndex((cell) => cell.toLowerCase() === name.toLowerCase()));
  const isNamed = columns !== undefined && columns[0] !== -1;
  const known = new Map<string, readonly string[]>();
  for (const cells of rows) {
    const row = isNamed ? columns.map((column) => cells[column] ?? '') : cells;
    const key = keyOf(kind, row);
    if (key !== '' && !known.has(key)) known.set(key, row);
  }
  return known.size > IMPORT_ROWS_MAX ? undefined : [...known.values()];
}

/** Returns the text by which two rows name the same entry; empty for a row that names none. */
export function keyOf(kind: Kind, [first = '', second = '']: readonly string[]): string {
  if (kind === 'bookmarks') return first;
  if (kind === 'lists') return first === '' || second === '' ? '' : `${first}\n${bare(second)}`;
  return bare(first);
}

const bare = (address: string) => address.replace(/^@/, '').toLowerCase();

/** Reads a cell of yes or no. */
export const isYes = (cell: string | undefined, absent: boolean): boolean =>
  cell === undefined || cell === '' ? absent : /^(?:true|1|yes|t)$/i.test(cell);
