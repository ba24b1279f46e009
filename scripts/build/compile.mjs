// Compiles the sources file by file to dist, without checking their types: that takes ten times as long, and
// `npm run check` does it. Each file can be compiled without the others (isolatedModules in tsconfig.json).
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { sourceFiles } from './source-files.mjs';

const files = sourceFiles(/\.(tsx?|json)$/);
await build({
  entryPoints: files.filter((file) => !file.endsWith('.json')),
  outdir: 'dist',
  outbase: '.',
  platform: 'node',
  format: 'esm',
  target: 'node20.15',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
for (const file of ['package.json', 'tsconfig.json', ...files.filter((name) => name.endsWith('.json'))]) {
  mkdirSync(dirname(join('dist', file)), { recursive: true });
  copyFileSync(file, join('dist', file));
}
// cli/bundle.ts compares the time of this file with that of the bundle.
writeFileSync(join('dist', '.modules'), '');
