import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { operatorClient } from '../../cli/operator-socket.js';
import { freePort, tied } from '../../cluster/local/process.js';
import { prefixed, program, withoutSettings } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';

const run = promisify(execFile);
const START_MS_MAX = 120_000;
/** The promised duration of a drain after SIGTERM. */
const TERM_MS_MAX = 15_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-start-'));
});
after(() => rm(folder, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
}

function start(settings: Readonly<Record<string, string>>): Started {
  const env = { ...withoutSettings(), ...prefixed({ PORT: '0', ...settings }) };
  const child = spawn(...tied(process.execPath, [program]), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  return { child, said: () => written };
}

/** Sends SIGTERM; returns the exit code. */
async function end({ child, said }: Started): Promise<number | null> {
  const ended = child.exitCode === null ? once(child, 'exit') : undefined;
  const late = setTimeout(() => child.kill('SIGKILL'), 2 * TERM_MS_MAX);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(late);
  assert.equal(child.signalCode, null, said());
  return child.exitCode;
}

/** Starts a server that accepts connections on loopback and never answers. */
async function silentServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { server, port: address.port };
}

/** Returns true if something listens on the port. */
function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

test('a data folder with a long path has its operators’ socket in it, for its owner only', async () => {
  const dataDir = join(folder, 'deep'.repeat(30));
  await mkdir(dataDir);
  const node = start({ DATA_DIR: dataDir });
  try {
    await until('the node serves', () => node.said().includes('"serving"') || undefined, START_MS_MAX);
    const socket = await stat(join(dataDir, 'node.sock'));
    assert.deepEqual([socket.isSocket(), socket.mode & 0o777], [true, 0o600]);
    const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: dataDir }) };
    const { stdout } = await run(process.execPath, [program, 'status'], { env });
    assert.equal(JSON.parse(stdout).state, 'up');
  } finally {
    assert.equal(await end(node), 0, node.said());
  }
  await assert.rejects(stat(join(dataDir, 'node.sock')), { code: 'ENOENT' });
});

test('a node that listens can be operated and has metrics', async () => {
  const [port, metricsPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const dataDir = join(folder, 'operable');
  const node = start({ DATA_DIR: dataDir, PORT: String(port), METRICS_LISTEN: `127.0.0.1:${metricsPort}` });
  try {
    const deadline = performance.now() + START_MS_MAX;
    // Without a pause, because the test is about the first moment.
    while (!(await isOpen(port))) assert.ok(performance.now() < deadline, node.said());
    assert.ok(await isOpen(metricsPort));
    await (await fetch(`http://127.0.0.1:${port}/api/v1/timelines/public?limit=1`)).text();
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    assert.match(metrics, /^murmuration_cache_misses\{cache="parsed_queries"\} [1-9]/m);
    assert.match(metrics, /^murmuration_cache_entries_max\{cache="status_fragments"\} \d+$/m);
    assert.match(metrics, /^murmuration_cache_weight_max\{cache="newest_rows"\} \d+$/m);
    const status = await operatorClient(dataDir)('status', {});
    assert.equal((status as { state?: string }).state, 'up');
  } finally {
    assert.equal(await end(node), 0, node.said());
  }
});

test('SIGTERM ends a node that is still waiting for its store, with code 0', async () => {
  const { server, port } = await silentServer();
  const store = { STORE: 'cassandra', CASSANDRA_CONTACT_POINTS: `127.0.0.1:${port}` };
  const node = start({ DATA_DIR: join(folder, 'waiting'), ...store });
  try {
    await once(server, 'connection');
    const askedMs = performance.now();
    assert.equal(await end(node), 0, node.said());
    assert.ok(performance.now() - askedMs < TERM_MS_MAX);
  } finally {
    server.close();
    node.child.kill('SIGKILL');
  }
});

test('an address that is taken ends the start with one line and code 1, and the folder is free again', async () => {
  const { server, port } = await silentServer();
  const dataDir = join(folder, 'taken');
  for (const taken of [{ PORT: String(port) }, { METRICS_LISTEN: `127.0.0.1:${port}` }]) {
    const node = start({ DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...taken });
    await once(node.child, 'exit');
    assert.equal(node.child.exitCode, 1);
    assert.match(node.said(), /^[^\n]*cannot start[^\n]*\n$/);
    await assert.rejects(stat(join(dataDir, 'node.sock')), { code: 'ENOENT' });
  }
  server.close();
});
