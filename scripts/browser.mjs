// Bundles the scripts of the pages (gateway/html/browser) into gateway/html/scripts.ts, so that the program contains them.
// `--check` compares the file with what it must contain. Each entry is minified: browsers load it, people read its source.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'gateway', 'html', 'scripts.ts');
const ENTRIES = ['web', 'passkeys', 'cluster'];

async function bundled(name) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`gateway/html/browser/${name}.ts`],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'ascii',
    tsconfigRaw: {},
    logLevel: 'warning',
  });
  return outputFiles[0].text.trim();
}

const scripts = await Promise.all(ENTRIES.map(async (name) => [name, await bundled(name)]));
const text = `// Made by scripts/browser.mjs from gateway/html/browser; do not edit.

/** Scripts of pages by name, as browsers load them. */
export const SCRIPTS = {
${scripts.map(([name, script]) => `  ${name}: ${JSON.stringify(script)},\n`).join('')}} as const;
`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('gateway/html/scripts.ts is out of date: run node scripts/browser.mjs');
  process.exit(1);
}
