// Bundles the program into one file beside its modules, and saves the code that V8 compiles during a start, so that
// later starts need not find, read, link and compile hundreds of modules. Usage after `node scripts/build/compile.mjs`:
// `node scripts/bundle.mjs [FOLDER] [--define NAME=VALUE]…`. With definitions (see cluster/format.ts) it is a build for
// tests, without compiled code. The file stays readable (nothing is renamed or shortened) and has a source map.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { asciiOf } from './ascii.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { warm: { type: 'boolean', default: false }, define: { type: 'string', multiple: true, default: [] } },
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

async function bundle() {
  const { build } = await import('esbuild');
  // V8 checks only the length of the source to match compiled code with it.
  rmSync(join(folder, 'command-line.cjs.compiled'), { force: true });
  // Parser processes start from a file of their own, without the rest of the program.
  for (const [entry, file] of [
    ['cli/command-line.ts', 'command-line.cjs'],
    ['parsers/parser-process.ts', 'parser-process.cjs'],
  ]) {
    await bundleOne(build, entry, file);
  }
}

async function bundleOne(build, entry, file) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: join(folder, file),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    charset: 'ascii',
    external: APART,
    // `import()` of an external package becomes `require()`: V8's saved code has no module loader.
    supported: { 'dynamic-import': false },
    // CommonJS has no `import.meta.url`, by which modules find files beside them.
    define: { 'import.meta.url': 'bundleUrl', ...definitions },
    banner: { js: "'use strict'; const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    sourcemap: true,
    logLevel: 'warning',
  });
  const path = join(folder, file);
  writeFileSync(path, asciiOf(readFileSync(path, 'utf8')));
}

/**
 * Starts a node on a temporary folder, sends it a request, ends it, and writes the code that V8 has compiled by then.
 */
async function warm() {
  const { runBundle } = await import(pathToFileURL(join(folder, 'cli', 'bundle.js')).href);
  const { exports, script } = runBundle(folder, undefined);
  const dataDir = mkdtempSync(join(tmpdir(), 'murmuration-build-'));
  const port = await freePort();
  process.on('exit', (code) => {
    rmSync(dataDir, { recursive: true, force: true });
    if (code !== 0) return;
    const compiled = join(folder, 'command-line.cjs.compiled');
    // Renaming gives a concurrent start either the old file or the new one.
    writeFileSync(`${compiled}.new`, script.createCachedData());
    renameSync(`${compiled}.new`, compiled);
  });
  const ended = exports.commandLine(['--port', String(port), '--data-dir', dataDir, '--log-level', 'warn']);
  const patience = setTimeout(() => process.exit(1), START_MS_MAX);
  await Promise.race([ended, answers(`http://127.0.0.1:${port}/api/v1/instance`)]);
  clearTimeout(patience);
  process.kill(process.pid, 'SIGTERM');
}

async function answers(url) {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
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

if (options.warm) {
  await warm();
} else {
  await bundle();
}
if (!options.warm && options.define.length === 0) {
  const settings = Object.keys(process.env).filter((name) => /^(MURMURATION_|NODE_OPTIONS$)/.test(name));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.includes(name)));
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--warm', folder], { env, stdio: ['ignore', 2, 2] });
}
