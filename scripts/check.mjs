// Runs all checks at once, in some seconds: format, lint, types, import directions, dead code, generated files, documents,
// file lengths.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

execFileSync(process.execPath, ['scripts/prepare.mjs', '--install-only'], { stdio: 'inherit' });

/** Maximum length of a file: a longer one contains more than one concept. */
const LINES_MAX = 500;

const tools = {
  'format and lint': ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off', '.'],
  types: ['node_modules/typescript/bin/tsc', '-p', '.'],
  imports: [
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.mjs',
    ...JSON.parse(readFileSync('tsconfig.json', 'utf8')).include.filter((source) => source !== 'test'),
  ],
  'types of scripts': ['node_modules/typescript/bin/tsc', '-p', 'gateway/html/browser'],
  'dead code': ['node_modules/knip/bin/knip.js', '--no-progress'],
  'generated messages': ['proto/generate.mjs', '--check'],
  'generated scripts': ['scripts/browser.mjs', '--check'],
  'generated effects': ['scripts/effects.mjs', '--check'],
  'generated contracts': ['scripts/contracts.mjs', '--check'],
  documents: ['scripts/checks/documents.mjs'],
  'regular expressions': ['scripts/checks/regular-expressions.mjs'],
};

function check(name, args) {
  return new Promise((resolve) => {
    const startedMs = Date.now();
    const child = spawn(process.execPath, args, {
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (code) => {
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - startedMs) / 1000).toFixed(1)} s)`);
      if (code !== 0) console.log(output);
      resolve(code === 0);
    });
  });
}

function lengths() {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
  const long = files
    .filter((file) => !file.startsWith('proto/gen/'))
    .map((file) => [file, readFileSync(file, 'utf8').split('\n').length])
    .filter(([, lines]) => lines > LINES_MAX);
  for (const [file, lines] of long) console.log(`FAIL ${file} has ${lines} lines, at most ${LINES_MAX}`);
  return long.length === 0;
}

const results = await Promise.all(Object.entries(tools).map(([name, args]) => check(name, args)));
process.exit(results.every(Boolean) && lengths() ? 0 : 1);
