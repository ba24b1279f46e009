import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../cluster/local/process.js';
import { withoutSettings } from '../../kit/server-process.js';
import { until } from '../../kit/until.js';

const clusterProgram = fileURLToPath(new URL('../../../cluster/local/main.js', import.meta.url));
const START_MS_MAX = 240_000;
/** Services that were asked to end get 15 s before they are killed. */
const END_MS_MAX = 60_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-local-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Processes of this machine whose command line names `text`. */
async function processesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
    if (line.includes(text)) found.push(pid);
  }
  return found;
}

test('a program that is not there is told to who wanted it and does not end this process', async () => {
  const log = join(folder, 'none.log');
  assert.throws(() => startProcess(join(folder, 'no-such-program'), [], log), /could not be started/);
  await new Promise((resolve) => setImmediate(resolve));
});

test('SIGTERM while Cassandra is being started leaves no process behind', async () => {
  const dir = join(folder, 'cluster');
  const args = [clusterProgram, '--dir', dir, '--nodes', '1', '--cassandra', '2'];
  const cluster = spawn(process.execPath, args, { env: withoutSettings(), stdio: 'ignore' });
  const ended = once(cluster, 'exit');
  try {
    const begun = () => existsSync(join(dir, 'cassandra-1', 'cassandra.log')) || undefined;
    await until('Cassandra is being started', begun, START_MS_MAX);
    cluster.kill('SIGTERM');
    await until('the end', () => cluster.exitCode ?? undefined, END_MS_MAX);
    assert.deepEqual([cluster.exitCode, await processesNaming(dir)], [0, []]);
  } finally {
    cluster.kill('SIGKILL');
    await ended;
    for (const pid of await processesNaming(dir)) process.kill(Number(pid), 'SIGKILL');
  }
});

test('flags that npm run cluster does not know, or cannot use, end it with code 2 before anything starts', async () => {
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
