/** Columns that are read: twice those of the known formats. */
const CELLS_MAX = 16;
/** A cell and the comma after it. Each begins where the one before it ends. */
const CELL = /(?:"((?:[^"]|"")*)"|([^,]*)),/gy;

/**
 * Returns the rows of a CSV file: one for each line, cells plain or in quotes with doubled quotes within (RFC 4180
 * without line breaks).
 * @param lineCharsMax characters of a line that are read
 * @param linesMax lines that are read; default: all
 */
export function readCsv(text: string, lineCharsMax: number, linesMax?: number): string[][] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/, linesMax)
    .map((line) => cellsOf(line.slice(0, lineCharsMax)));
}

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of `${line},`.matchAll(CELL)) {
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (cells.length === CELLS_MAX) break;
  }
  return cells;
}

/** Returns the text in quotes for a cell; line breaks become blanks. An empty text needs no quotes. */
export const quotedCell = (text: string): string =>
  text === '' ? '' : `"${text.replace(/\s+/g, ' ').replaceAll('"', '""')}"`;

/** Returns the rows as lines. Cells with commas, quotes or line breaks get quotes. */
export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map((cell) => (/[",\r\n]/.test(cell) ? quotedCell(cell) : cell)).join(',')}\n`).join('');
