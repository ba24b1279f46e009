import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scanEntries } from './entry-scan.js';

/** Tests run at the root of the source tree, as `npm test` does. */
const root = process.cwd();
const FOLDERS = ['actors', 'compose', 'gateway', 'transport/web'];

/** Calls that fetch something else than an object: WebFinger, pages, block lists and files. */
const OTHER_FETCHES = /(?:\bclient\.(?:jrd|get|fetch)|#needs\.fetch)\(/g;

/** All places at which documents of other servers come in, each as file and function. */
export interface ForeignEntries {
  /** Entries that take objects. */
  readonly entries: readonly string[];
  /** Those that use an object before they ask `authority()`, with the reason. */
  readonly around: ReadonlyMap<string, string>;
  /** Calls that fetch something else, each as file and call. */
  readonly otherFetches: readonly string[];
}

/** Returns the source files that may take foreign documents, by name. */
export async function federationSources(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (name.endsWith('.ts')) texts.set(join(folder, name), await readFile(join(root, folder, name), 'utf8'));
    }
  }
  return texts;
}

/** Finds the entries of all source files. */
export async function foreignEntries(): Promise<ForeignEntries> {
  const entries = new Set<string>();
  const otherFetches = new Set<string>();
  const around = new Map<string, string>();
  for (const [name, text] of await federationSources()) {
    for (const [call] of text.matchAll(OTHER_FETCHES)) otherFetches.add(`${name} ${call.slice(0, -1)}`);
    if (!/\.object\(|\bparseObject\(|\bobjectOf\(/.test(text)) continue;
    const scanned = scanEntries(text);
    for (const entry of scanned.entries) entries.add(`${name} ${entry}`);
    for (const { entry, why } of scanned.around) around.set(`${name} ${entry}`, why);
  }
  return { entries: [...entries], around, otherFetches: [...otherFetches] };
}
