// Bundles each program (cli/bundle.ts) into one file, and saves the code that V8 compiles during a start, so that
// later starts need not find, read, link and compile hundreds of modules. Usage after `node scripts/build/compile.mjs`:
// `node scripts/bundle.mjs [FOLDER] [--define NAME=VALUE]…`. With definitions (see cluster/format.ts) it is a build for
// tests, without compiled code. Nothing is renamed, lines are short, and each file has a source map: stack traces show
// functions by name.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { asciiOf } from './ascii.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { warm: { type: 'string' }, define: { type: 'string', multiple: true, default: [] } },
});
const folder = resolve(root, positionals[0] ?? 'dist');
/** Names and their values, in the form that esbuild takes. */
const definitions = Object.fromEntries(
  options.define.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
);

/** Packages with native code, or that only some nodes and commands load. */
const APART = [
  '@grpc/grpc-js',
  '@node-rs/argon2',
  '@simplewebauthn/server',
  'cassandra-driver',
  'lmdb',
  'nats',
  'nodemailer',
  'pino-pretty',
  'prom-client',
  'sharp',
  'tinyld',
  'undici',
  'uWebSockets.js',
  'web-push',
];
const START_MS_MAX = 60_000;
/** Length of a line: short enough to find a place by its line number. */
const LINE_CHARS = 160;

async function bundle() {
  const { build } = await import('esbuild');
  // V8 checks only the length of the source to match compiled code with it.
  for (const name of Object.keys(warmed)) rmSync(compiledOf(name), { force: true });
  // Parser processes, and the load command, start from files of their own, without the rest of the program.
  await bundleOne(build, 'cli/command-line.ts', 'command-line.cjs', APART);
  await bundleOne(build, 'parsers/parser-process.ts', 'parser-process.cjs', APART);
  // Every load uses this package: as a part of the bundle it is compiled, too.
  const apart = APART.filter((name) => name !== 'undici');
  // It names this class of Node's own fetch, which loads all of that: 20 ms.
  const unused = { 'globalThis.Headers': 'undefined' };
  await bundleOne(build, 'load/command.ts', 'load-command.cjs', apart, unused);
}

async function bundleOne(build, entry, file, external, defined = {}) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, file),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    charset: 'ascii',
    external,
    // The package's index also loads what serializes and queries documents, which is a fiftieth of a start.
    alias: { htmlparser2: join(root, 'node_modules/htmlparser2/dist/esm/Parser.js') },
    // `import()` of an external package becomes `require()`: V8's saved code has no module loader.
    supported: { 'dynamic-import': false },
    // CommonJS has no `import.meta.url`, by which modules find files beside them.
    define: { 'import.meta.url': 'bundleUrl', ...defined, ...definitions },
    // A node keeps this text in memory: without indentation and comments it takes 3.5 MB instead of 4.9.
    minifyWhitespace: true,
    lineLimit: LINE_CHARS,
    banner: { js: "'use strict'; const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    sourcemap: true,
    logLevel: 'warning',
  });
  const path = join(folder, file);
  writeFileSync(path, asciiOf(readFileSync(path, 'utf8')));
}

/** The code that V8 has compiled of a program. */
const compiledOf = (name) => join(folder, `${name}.cjs.compiled`);

/** Runs a program on a temporary folder by its function below, and writes the code that V8 has compiled by its end. */
async function warm(name) {
  const { runBundle } = await import(pathToFileURL(join(folder, 'cli', 'bundle.js')).href);
  const { exports, script } = runBundle(folder, name);
  const dataDir = mkdtempSync(join(tmpdir(), 'murmuration-build-'));
  process.on('exit', (code) => {
    rmSync(dataDir, { recursive: true, force: true });
    if (code !== 0) return;
    const compiled = compiledOf(name);
    // Renaming gives a concurrent start either the old file or the new one.
    writeFileSync(`${compiled}.new`, script.createCachedData());
    renameSync(`${compiled}.new`, compiled);
  });
  const patience = setTimeout(() => process.exit(1), START_MS_MAX);
  await warmed[name](exports.commandLine, dataDir);
  clearTimeout(patience);
}

const warmed = {
  /** Starts a node, lets the load command load it, and ends it. */
  'command-line': async (commandLine, dataDir) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const ended = commandLine(['--port', String(port), '--data-dir', dataDir, '--log-level', 'warn']);
    await Promise.race([ended, answers(url)]);
    const users = join(dataDir, 'users.jsonl');
    writeFileSync(users, await newUsers(dataDir));
    await run([fileURLToPath(import.meta.url), '--warm', 'load-command', folder, url, users]);
    process.kill(process.pid, 'SIGTERM');
  },
  /** Loads that node. */
  'load-command': async (commandLine, dataDir) => {
    const [, url, users] = positionals;
    const files = ['--json', join(dataDir, 'result.json'), '--report', join(dataDir, 'report.html')];
    const plan = ['--count', '100', '--in-flight', '2', '--for', '5s', '--streams', '1', '--late', '20s'];
    const code = await commandLine(['load', '--users', users, ...files, ...plan, url]);
    // A load on a slow machine may be past a limit, and has run all the same.
    if (code > 1) process.exit(code);
  },
};

/** Runs a script of Node; resolves with its output. @throws when it fails, with what it has written to stderr */
async function run(args) {
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

/** Creates two accounts on a running node; returns lines with their tokens. */
async function newUsers(dataDir) {
  const lines = ['ada', 'bob'].map((username) => {
    const account = { username, email: `${username}@example.org`, password: 'correct horse battery', role: 'user' };
    return JSON.stringify({ ...account, confirmed: true, token: { scopes: 'read write follow' } });
  });
  const file = join(dataDir, 'new.jsonl');
  writeFileSync(file, lines.join('\n'));
  return run([join(folder, 'main.js'), 'account', 'create', '--from', file, '--test-passwords', '--data-dir', dataDir]);
}

async function answers(url) {
  for (;;) {
    const answer = await fetch(`${url}/api/v1/instance`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((again) => setTimeout(again, 20));
  }
}

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

if (options.warm !== undefined) {
  await warm(options.warm);
} else {
  await bundle();
}
if (options.warm === undefined && options.define.length === 0) {
  const settings = Object.keys(process.env).filter((name) => /^(MURMURATION_|NODE_OPTIONS$)/.test(name));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.includes(name)));
  // An error includes what the program has written to stderr.
  const stdio = ['ignore', 'ignore', 'pipe'];
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--warm', 'command-line', folder], { env, stdio });
}
