// Names the sources of the program. Uses only Node's built-in modules.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Yields the files of a folder, or the one file, in a fixed order. */
function* filesOf(folder) {
  if (statSync(folder).isFile()) {
    yield folder;
    return;
  }
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOf(path);
    else yield path;
  }
}

/** Returns the files below what tsconfig.json includes. @param kind matches their names */
export function sourceFiles(kind) {
  const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  return include.flatMap((source) => [...filesOf(source)]).filter((file) => kind.test(file));
}
