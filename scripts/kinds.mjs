// Composes every kind of actor of the sources, for the generated documents.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const KINDS = [
  'account',
  'archive',
  'conversation',
  'imports',
  'instance',
  'mail',
  'push',
  'remote-host',
  'report',
  'web-page',
];

/** Stands for whatever a factory of a kind takes: reactions keep it and use none of it before an event. */
const context = new Proxy(() => context, { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : context) });

/**
 * Returns the kinds in the order of their names.
 * @param name names the script's own folder of the cache, since checks run side by side
 */
export async function composed(name) {
  const bundle = join(root, '.cache', name, 'kinds.mjs');
  mkdirSync(dirname(bundle), { recursive: true });
  const kinds = KINDS.map((kind) => `export * from './actors/kinds/${kind}.ts';`);
  await build({
    stdin: { contents: kinds.join('\n'), resolveDir: root },
    outfile: bundle,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const exported = await import(pathToFileURL(bundle).href);
  const factories = Object.entries(exported).filter(([one]) => /Kind$/.test(one));
  const made = factories.map(([, make]) => make(context, context));
  return made.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Writes a generated document; with `--check` only compares it. */
export function writeOrCheck(path, text, script) {
  const file = join(root, path);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is stale: run \`node ${script}\``);
    process.exitCode = 1;
  }
}
