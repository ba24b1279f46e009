// Fetches what the tests drive: Cassandra and nats-server, Mastodon.py, toot, schemathesis, http_ece, py-vapid, apsig, sample
// activities, Chromium, other servers (bovine-herd, and those of test/peers), and newer Node versions that they run the
// server on. Uses only Node's built-in modules: it runs on a fresh clone, while scripts/prepare.mjs builds.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchNewerNodes } from './newer-nodes.mjs';
import { once } from './once.mjs';
import { fetchServices } from './services.mjs';

const TEST_PY = [
  ...['Mastodon.py==2.3.3', 'toot==0.52.1', 'schemathesis==4.32.5'],
  ...['http_ece==1.2.1', 'py-vapid==1.9.2', 'cryptography==50.0.2', 'apsig==0.6.0'],
];
/** Needs an older `cryptography` than TEST_PY. */
const SAMPLES_PY = ['fediverse-pasture-inputs==0.3.0'];
/** Another server of ActivityPub, which needs older versions than TEST_PY. Its parts must be of one version. */
const BOVINE_PY = ['bovine', 'bovine-herd', 'bovine-process', 'bovine-store'].map((name) => `${name}==0.5.19`);
/** The browser, and the one without windows: packages and programs. */
const CHROMIUM = ['chromium', 'chromium-headless-shell'];
/** Output of a fetch, of which only that of a failed one is shown. */
const OUTPUT_BYTES_MAX = 2 ** 26;

const call = promisify(execFile);
const run = (command, args) => call(command, args, { maxBuffer: OUTPUT_BYTES_MAX });

/** Installs packages into an environment of this name. */
function python(name, packages) {
  const interpreter = join('.cache', name, 'bin', 'python');
  return once(name, packages, interpreter, async () => {
    await run('python3', ['-m', 'venv', join('.cache', name)]);
    await run(interpreter, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  });
}

const pythons = () =>
  Promise.all([python('python', TEST_PY), python('samples', SAMPLES_PY), python('bovine', BOVINE_PY)]);

/** Installs other implementations of ActivityPub, apart from this project: they need a newer Node. */
function peers() {
  const [from, to] = [join('test', 'peers'), join('.cache', 'peers')];
  const files = ['package.json', 'package-lock.json'];
  const contents = files.map((file) => readFileSync(join(from, file)));
  return once('peers', contents, join(to, 'node_modules'), async () => {
    mkdirSync(to, { recursive: true });
    for (const [index, file] of files.entries()) writeFileSync(join(to, file), contents[index]);
    await run('npm', ['install', '--prefix', to, '--no-save', '--no-audit', '--no-fund', '--loglevel', 'error']);
  });
}

async function chromium() {
  if (CHROMIUM.every((name) => existsSync(join('/usr/bin', name)))) return;
  await run('apt-get', ['update', '-qq']);
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...CHROMIUM]);
}

/** Both use the system's package manager, which works for one at a time. */
async function systemPackages() {
  await chromium();
  await fetchNewerNodes();
}

await Promise.all([fetchServices(), pythons(), peers(), systemPackages()]);
