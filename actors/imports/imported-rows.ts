import { readCsv } from '../domain/text/csv.js';

/** Longer than any line that the server writes: cells of a line of a form, with quotes. */
const LINE_CHARS_MAX = 10_000;

/** Returns the rows of an import's file, which the server has written itself. */
export const importedRows = (bytes: Uint8Array): string[][] =>
  readCsv(Buffer.from(bytes).toString(), LINE_CHARS_MAX).filter((cells) => cells.some((cell) => cell !== ''));
