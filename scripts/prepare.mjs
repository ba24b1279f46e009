// Installs and builds what is missing or out of date. Uses only Node's built-in modules: it runs on a fresh clone.
// `--install-only` stops before the build; `--compile-only` before the bundle; `--services` also fetches Cassandra and
// nats-server; `--test` also fetches what the tests drive, at the same time (scripts/test-tools.mjs).
import { execFileSync, spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './build/source-files.mjs';
import { once } from './once.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

function run(command, args) {
  execFileSync(command, args, { stdio: ['ignore', 2, 2] });
}

function buildInputs() {
  const files = [...sourceFiles(/\.(tsx?|json|proto)$/), 'scripts/build/compile.mjs', 'scripts/bundle.mjs'];
  return [...files, 'tsconfig.json', 'package-lock.json'].flatMap((path) => [path, readFileSync(path)]);
}

/** Returns true if npm has installed what package-lock.json names; it writes its own list after everything else. */
function isInstalled() {
  const listOf = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;
  const list = 'node_modules/.package-lock.json';
  if (!existsSync(list)) return false;
  const installed = listOf(list);
  return Object.entries(listOf('package-lock.json')).every(([path, { version, integrity, optional }]) => {
    const found = installed[path];
    if (path === '' || (found === undefined && optional === true)) return true;
    return found?.version === version && found.integrity === integrity;
  });
}

/** Deletes the outputs of sources that were deleted or moved: tests would run them, and the node could load them. */
function removeStale() {
  if (!existsSync('dist')) return;
  for (const name of readdirSync('dist', { recursive: true })) {
    const stem = /^(.+)\.js(\.map)?$/.exec(name)?.[1];
    if (stem !== undefined && !existsSync(`${stem}.ts`) && !existsSync(`${stem}.tsx`)) rmSync(join('dist', name));
  }
}

const tools = process.argv.includes('--test')
  ? spawn(process.execPath, ['scripts/test-tools.mjs'], { stdio: ['ignore', 2, 2] })
  : undefined;
const toolsEnded = tools && event(tools, 'exit');
// A build that fails does not leave the fetches behind.
process.on('exit', () => tools?.kill());

once('install', [readFileSync('package-lock.json')], 'node_modules', () => {
  if (isInstalled()) return;
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  try {
    execFileSync('npm', ['ci', ...quiet], { stdio: 'ignore' });
  } catch {
    // A registry without other platforms' builds omits them from the lock, and `ci` then fails; `install` takes the
    // locked versions all the same and does not change the lock.
    run('npm', ['install', '--no-save', ...quiet]);
  }
});
if (process.argv.includes('--install-only')) process.exit(0);
function compile() {
  removeStale();
  run(process.execPath, ['proto/generate.mjs']);
  run(process.execPath, ['scripts/browser.mjs']);
  run(process.execPath, ['scripts/build/compile.mjs']);
}

const inputs = buildInputs();
once('compiled', inputs, 'dist/.modules', compile);
if (process.argv.includes('--compile-only')) process.exit(0);
// A bundle that is older than the modules is not run, even if it has the same inputs.
const compiledMs = String(statSync('dist/.modules').mtimeMs);
once('build', [...inputs, compiledMs], 'dist/command-line.cjs.compiled', () => {
  run(process.execPath, ['scripts/bundle.mjs']);
});
if (process.argv.includes('--services')) {
  const { fetchServices } = await import('./services.mjs');
  await fetchServices();
}
const [failed] = (await toolsEnded) ?? [0];
if (failed !== 0) process.exit(1);
