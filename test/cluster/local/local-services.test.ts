import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort, startProcess, tied } from '../../../cluster/local/process.js';
import { withoutSettings } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';

const clusterProgram = fileURLToPath(new URL('../../../cluster/local/main.js', import.meta.url));
const processModule = new URL('../../../cluster/local/process.js', import.meta.url).href;
const START_MS_MAX = 240_000;
/** Maximum duration of an end: services get 15 s before they are killed. */
const END_MS_MAX = 60_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-local-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Returns processes of this machine whose command line contains `text`. */
async function processesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
    if (line.includes(text)) found.push(pid);
  }
  return found;
}

test('a missing program is reported to the caller and does not end this process', async () => {
  const log = join(folder, 'none.log');
  assert.throws(() => startProcess(join(folder, 'no-such-program'), [], log), /failed to start/);
  await new Promise((resolve) => setImmediate(resolve));
});

/** Starts a cluster; resolves while its Cassandra is starting. */
async function begun(dir: string): Promise<ChildProcess> {
  const args = [clusterProgram, '--dir', dir, '--nodes', '1', '--cassandra', '2'];
  const cluster = spawn(...tied(process.execPath, args), { env: withoutSettings(), stdio: 'ignore' });
  await until('Cassandra is being started', async () => (await processesNaming(dir)).length > 1, START_MS_MAX);
  return cluster;
}

/** Asserts that the cluster ends without leaving a process. @param code its exit code, null if the signal ended it */
async function assertEndsWhole(dir: string, signal: NodeJS.Signals, code: number | null): Promise<void> {
  const cluster = await begun(dir);
  const ended = once(cluster, 'exit');
  try {
    cluster.kill(signal);
    const gone = () => cluster.exitCode !== null || cluster.signalCode !== null;
    await until('the end', gone, END_MS_MAX);
    // After SIGTERM the command ends the others first; otherwise the kernel does, in a moment.
    if (code === 0) assert.deepEqual(await processesNaming(dir), []);
    await until('nothing is left', async () => (await processesNaming(dir)).length === 0, END_MS_MAX);
    assert.equal(cluster.exitCode, code);
  } finally {
    cluster.kill('SIGKILL');
    await ended;
    for (const pid of await processesNaming(dir)) process.kill(Number(pid), 'SIGKILL');
  }
}

test('SIGTERM while Cassandra is being started leaves no process behind', async () => {
  await assertEndsWhole(join(folder, 'asked'), 'SIGTERM', 0);
});

test('SIGKILL while Cassandra is being started leaves no process behind either', async () => {
  await assertEndsWhole(join(folder, 'killed'), 'SIGKILL', null);
});

/** Prints its child's pid, and waits. */
const PARENT = `
const { startProcess } = await import(${JSON.stringify(processModule)});
console.log(startProcess(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'], process.argv[1]).pid);
setTimeout(() => undefined, 60_000);`;

test('a started process has the reported pid and ends with its parent, on any signal', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const args = ['--input-type=module', '-e', PARENT, join(folder, 'child.log')];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(parent, 'exit');
    const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
    const pid = Number(line);
    const name = await readFile(`/proc/${pid}/comm`, 'utf8');
    assert.match(name, /^(setpriv|node)/);
    parent.kill(signal);
    assert.deepEqual(await ended, [null, signal]);
    await until(`the end of ${pid}`, () => !existsSync(`/proc/${pid}`), END_MS_MAX);
  }
});

test('unknown or unusable flags of npm run cluster end it with code 2 before anything starts', async () => {
  const wrong = [['--prot', '1'], ['--nodes', '0'], ['--cassandra', 'three'], ['--port', '99999'], ['stop']];
  for (const flags of wrong) {
    const dir = join(folder, 'never');
    const child = spawn(process.execPath, [clusterProgram, ...flags, '--dir', dir], { env: withoutSettings() });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(child, 'close');
    assert.equal(child.exitCode, 2, said);
    assert.match(said, /^[^\n]+\nusage: [^\n]+\n$/);
    assert.equal(existsSync(dir), false);
  }
});

test('requested ports are distinct, free, and outside the range of outgoing connections', async () => {
  const host = '127.0.0.1';
  const [first, ...others] = await Promise.all(Array.from({ length: 40 }, () => freePort(host)));
  assert.ok(first !== undefined);
  assert.equal(new Set([first, ...others]).size, 40);
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  assert.ok(Math.max(first, ...others) < Number(range.trim().split(/\s+/)[0]), range);
  // After one round a port in use is skipped.
  const taken = first + 41;
  const server = createServer().listen(taken, host);
  // Another process may listen there already.
  await new Promise<void>((done) => void server.once('listening', done).once('error', () => done()));
  const next = [await freePort(host), await freePort(host), await freePort(host)];
  server.close();
  assert.ok(!next.includes(taken), `${next}`);
});
