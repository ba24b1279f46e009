import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadCommandLine, NODE_FLAGS, runBundle } from '../../cli/bundle.js';

const run = promisify(execFile);
/** The built tree to which this file belongs. */
const built = fileURLToPath(new URL('../..', import.meta.url));
const root = process.cwd();
let folder = '';

/** Copies what a bundle needs from the built tree, and nothing else, into the checkout, where packages are found. */
before(async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  folder = await mkdtemp(join(root, '.cache', 'bundle-'));
  await mkdir(join(folder, 'cli'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['main.js', 'cli/bundle.js']) await cp(join(built, name), join(folder, name));
  await run(process.execPath, ['scripts/bundle.mjs', folder], { cwd: root });
});

after(() => rm(folder, { recursive: true, force: true }));

test('the bundle is the whole program: it needs no module of ours beside it', async () => {
  const { stdout } = await run(process.execPath, [join(folder, 'main.js'), 'config', '--port', '4321']);
  assert.match(stdout, /^MURMURATION_PORT=4321$/m);
  const version = await run(process.execPath, [join(folder, 'main.js'), '--version']);
  assert.equal(version.stdout.trim(), JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version);
});

test('external packages are found when they are first needed, also by compiled code', async () => {
  const source = await readFile(join(folder, 'command-line.cjs'), 'latin1');
  assert.doesNotMatch(source, /[^.\w]import\(/);
  const account = ['account', 'create', 'ada', '--email', 'ada@example.org', '--password', 'long enough'];
  const data = ['--data-dir', join(folder, 'data')];
  const made = await run(process.execPath, [join(folder, 'main.js'), ...account, ...data]);
  assert.equal(JSON.parse(made.stdout).username, 'ada', made.stderr);
});

test('the load command starts from a file of its own, which needs no other package', async () => {
  const source = await readFile(join(folder, 'load-command.cjs'), 'latin1');
  const packages = [...source.matchAll(/[^.\w]require\("(?!node:)([^"]+)"\)/g)].map(([, name]) => name ?? '');
  assert.deepEqual(
    packages.filter((name) => !isBuiltin(name)),
    [],
  );
  const { stdout } = await run(process.execPath, [join(folder, 'main.js'), 'load', '--help']);
  assert.match(stdout, /^Usage: murmuration load /);
});

for (const name of ['command-line', 'load-command'] as const) {
  test(`the compiled code of the build is used, and a truncated file is not: ${name}`, async () => {
    const compiled = await readFile(join(folder, `${name}.cjs.compiled`));
    assert.equal(runBundle(folder, name, compiled).script.cachedDataRejected, false);
    const { script, exports } = runBundle(folder, name, compiled.subarray(0, compiled.length / 2));
    assert.equal(script.cachedDataRejected, true);
    assert.equal(typeof exports.commandLine, 'function');
  });
}

test('every start of a node uses the same options of Node, and starts with other options also accept the compiled code', async () => {
  for (const name of ['package.json', 'Dockerfile', 'bin/murmuration.mjs']) {
    const starts = (await readFile(join(root, name), 'utf8'))
      .split('\n')
      .filter((line) => /"start"|"cluster"|^CMD|^#!/.test(line));
    assert.ok(starts.length > 0, name);
    for (const option of NODE_FLAGS)
      assert.ok(
        starts.every((line) => line.includes(option)),
        `${name} lacks ${option}`,
      );
  }
  const bundle = JSON.stringify(join(folder, 'cli/bundle.js'));
  const program = `const { runBundle } = await import(${bundle}); const { readFileSync } = await import('node:fs');
    const compiled = readFileSync(${JSON.stringify(join(folder, 'command-line.cjs.compiled'))});
    console.log(runBundle(${JSON.stringify(folder)}, 'command-line', compiled).script.cachedDataRejected);`;
  for (const options of [[], [...NODE_FLAGS]]) {
    const { stdout } = await run(process.execPath, [...options, '--input-type=module', '-e', program], { cwd: root });
    assert.equal(stdout.trim(), 'false');
  }
});

test('a bundle that is older than the modules is ignored', async () => {
  const other = await mkdtemp(join(folder, 'other-'));
  const bundle = join(other, 'command-line.cjs');
  await writeFile(bundle, 'module.exports = { isBundle: true };');
  assert.ok('isBundle' in (await loadCommandLine(other)));
  await writeFile(join(other, '.modules'), '{}');
  await utimes(bundle, 1_000, 1_000);
  const { commandLine } = await loadCommandLine(other);
  assert.equal(typeof commandLine, 'function');
});
