// Installs and builds what is missing or out of date. Uses only Node's built-in modules: it runs on a fresh clone.
// `--install-only` stops before the build; `--compile-only` before the bundle; `--services` also fetches Cassandra and nats-server; `--test` also fetches
// what the tests drive: Mastodon.py, toot, schemathesis, http_ece, py-vapid, apsig, sample activities, Chromium, other servers
// (bovine-herd, and those of test/peers), and the newer Node versions that they run the server on.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const SOURCES = JSON.parse(readFileSync('tsconfig.json', 'utf8')).include;
const TEST_PY = [
  ...['Mastodon.py==2.3.3', 'toot==0.52.1', 'schemathesis==4.32.5'],
  ...['http_ece==1.2.1', 'py-vapid==1.9.2', 'cryptography==50.0.2', 'apsig==0.6.0'],
];
/** Needs an older `cryptography` than TEST_PY. */
const SAMPLES_PY = ['fediverse-pasture-inputs==0.3.0'];
/** Another server of ActivityPub, which needs older versions than TEST_PY. Its parts must be of one version. */
const BOVINE_PY = ['bovine', 'bovine-herd', 'bovine-process', 'bovine-store'].map((name) => `${name}==0.5.19`);

function run(command, args) {
  execFileSync(command, args, { stdio: ['ignore', 2, 2] });
}

/** Runs `action` unless it has completed for the same inputs before. */
function once(name, inputs, product, action) {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(input);
  const digest = hash.digest('hex');
  const stamp = join('.cache', `${name}.stamp`);
  if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  action();
  mkdirSync('.cache', { recursive: true });
  writeFileSync(stamp, digest);
}

/** Yields the sources of a folder, or the one file. */
function* sources(folder) {
  if (statSync(folder).isFile()) {
    yield folder;
    return;
  }
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(tsx?|proto)$/.test(entry.name)) yield path;
  }
}

function sourceInputs() {
  const files = SOURCES.flatMap((source) => [...sources(source)]);
  return [...files, 'scripts/bundle.mjs', 'tsconfig.json', 'package-lock.json'].flatMap((path) => [
    path,
    readFileSync(path),
  ]);
}

/** Deletes the outputs of sources that were deleted or moved: tests would run them, and the node could load them. */
function removeStale() {
  if (!existsSync('dist')) return;
  for (const name of readdirSync('dist', { recursive: true })) {
    const stem = /^(.+)\.js(\.map)?$/.exec(name)?.[1];
    if (stem !== undefined && !existsSync(`${stem}.ts`) && !existsSync(`${stem}.tsx`)) rmSync(join('dist', name));
  }
}

/** Installs packages into an environment of this name. */
function python(name, packages) {
  const interpreter = join('.cache', name, 'bin', 'python');
  once(name, packages, interpreter, () => {
    run('python3', ['-m', 'venv', join('.cache', name)]);
    run(interpreter, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  });
}

/** Installs other implementations of ActivityPub, apart from this project: they need a newer Node. */
function peers() {
  const [from, to] = [join('test', 'peers'), join('.cache', 'peers')];
  const files = ['package.json', 'package-lock.json'];
  const contents = files.map((file) => readFileSync(join(from, file)));
  once('peers', contents, join(to, 'node_modules'), () => {
    mkdirSync(to, { recursive: true });
    for (const [index, file] of files.entries()) writeFileSync(join(to, file), contents[index]);
    run('npm', ['install', '--prefix', to, '--no-save', '--no-audit', '--no-fund', '--loglevel', 'error']);
  });
}

function chromium() {
  if (existsSync('/usr/bin/chromium')) return;
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
}

once('install', [readFileSync('package-lock.json')], 'node_modules', () => {
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
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']);
}

if (process.argv.includes('--compile-only')) {
  once('compiled', sourceInputs(), 'dist/.tsbuildinfo', compile);
  process.exit(0);
}
once('build', sourceInputs(), 'dist/command-line.cjs.compiled', () => {
  compile();
  run(process.execPath, ['scripts/bundle.mjs']);
});
if (process.argv.includes('--services') || process.argv.includes('--test')) {
  const { fetchServices } = await import('./services.mjs');
  await fetchServices();
}
if (process.argv.includes('--test')) {
  python('python', TEST_PY);
  python('samples', SAMPLES_PY);
  python('bovine', BOVINE_PY);
  peers();
  chromium();
  const { fetchNewerNodes } = await import('./newer-nodes.mjs');
  await fetchNewerNodes();
}
