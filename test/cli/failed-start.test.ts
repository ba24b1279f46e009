import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { reportFailedStart } from '../../cli/failed-start.js';
import { tied } from '../../cluster/local/process.js';
import { prefixed, program, ServerProcess, withoutSettings } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';

const RUN_MS_MAX = 120_000;
/** Maximum duration of a start that cannot succeed: it fails before any wait. */
const AT_ONCE_MS = 10_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-failed-start-'));
});
after(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stderr: string;
  readonly tookMs: number;
}

function start(settings: Readonly<Record<string, string>>): Promise<Ended> {
  const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: join(folder, 'data'), PORT: '0', ...settings }) };
  const startedMs = performance.now();
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'start'], { env, timeout: RUN_MS_MAX }, (error, _stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stderr, tookMs: performance.now() - startedMs });
    });
  });
}

test('a data folder that cannot be made ends the start at once with one line that names the setting', async () => {
  const { code, stderr, tookMs } = await start({ DATA_DIR: '/proc/murmuration' });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^[^\n]*MURMURATION_DATA_DIR[^\n]*\n$/);
  assert.ok(tookMs < AT_ONCE_MS, `it took ${tookMs} ms`);
});

test('a missing TLS file is named with its setting before Cassandra or NATS is connected to', async () => {
  const { code, stderr, tookMs } = await start({
    STORE: 'cassandra',
    CASSANDRA_CONTACT_POINTS: '127.0.0.1:9',
    NATS_URL: 'nats://127.0.0.1:9',
    CLUSTER_SECRET: 'a secret',
    CLUSTER_TLS_CA: program,
    CLUSTER_TLS_CERT: '/nope.pem',
    CLUSTER_TLS_KEY: program,
  });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^[^\n]*MURMURATION_CLUSTER_TLS_CERT[^\n]*\/nope\.pem[^\n]*\n$/);
  assert.ok(tookMs < AT_ONCE_MS, `it took ${tookMs} ms`);
});

test('a start that fails is one line on a terminal and one line of JSON elsewhere; only a fault has a stack', () => {
  const lines: object[] = [];
  const written: string[] = [];
  const logger = { fatal: (fields: object, message: string) => void lines.push({ ...fields, message }) };
  const stream = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) > 0 });
  const refused = new Error('Cassandra refuses\n  the password', { cause: new Error('inner') });
  reportFailedStart(refused, logger as never, stream(true) as never);
  reportFailedStart(refused, logger as never, stream(false) as never);
  assert.deepEqual(written, ['murmuration: cannot start: Cassandra refuses the password\n']);
  assert.deepEqual(lines, [{ why: 'Cassandra refuses the password', message: 'cannot start' }]);
  const fault = new TypeError('x is undefined');
  reportFailedStart(fault, logger as never, stream(false) as never);
  assert.deepEqual(lines[1], { why: 'x is undefined', err: fault, message: 'cannot start' });
});

test('a node started while the previous one drains waits for the data folder, then serves; lines name node and process', async () => {
  const server = await ServerProcess.start({ NODE_NAME: 'first' });
  const settings = { DATA_DIR: server.dataDir, PORT: '0', NODE_NAME: 'second', LOG_LEVEL: 'info' };
  const env = { ...withoutSettings(), ...prefixed(settings) };
  const next = spawn(...tied(process.execPath, [program]), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  next.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  try {
    await until('the second node waits', () => said.includes('waiting for') || undefined, RUN_MS_MAX);
    assert.equal(await server.stop(), 0);
    await until('the second node serves', () => said.includes('"serving"') || undefined, RUN_MS_MAX);
    for (const line of said.trim().split('\n')) {
      const { node, pid } = JSON.parse(line) as { node: string; pid: number };
      assert.deepEqual([node, pid], ['second', next.pid]);
    }
  } finally {
    const ended = once(next, 'exit');
    next.kill('SIGTERM');
    await ended;
    await server.dispose();
  }
});
