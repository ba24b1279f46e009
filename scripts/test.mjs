// Runs the tests of dist/test against one Cassandra and one nats-server that all files share.
// `node scripts/test.mjs PATTERN…` runs the files whose path contains one of the patterns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startCassandra } from '../dist/cluster/local/cassandra.js';
import { startNats } from '../dist/cluster/local/nats.js';

/** One file may take this long, on a slow machine too: the slowest starts a whole cluster and breaks it six times. */
const FILE_MS_MAX = 45 * 60_000;
/** Cassandra shares the two cores: more files at a time only make each slower. */
const FILES_AT_A_TIME = 2;
/** Files that start servers, browsers or whole clusters, or compute for long, have the machine to themselves. */
const alone = /scenarios|simulation|overload/;

const patterns = process.argv.slice(2);
const files = readdirSync('dist/test', { recursive: true })
  .filter((name) => name.endsWith('.test.js') && patterns.every((pattern) => name.includes(pattern)))
  .map((name) => join('dist/test', name))
  .sort();
if (files.length === 0) {
  console.error('no test file');
  process.exit(1);
}

const dir = mkdtempSync(join(tmpdir(), 'murmuration-test-'));
const started = [];
let runner;
let stopping = false;
/** The runner's files have servers of their own: its whole process group is ended, so that nothing stays behind. */
const end = () => {
  stopping = true;
  try {
    if (runner?.pid !== undefined) process.kill(-runner.pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
};
process.on('SIGINT', end);
process.on('SIGTERM', end);

let code = 1;
try {
  const nats = await startNats({ dir });
  started.push(nats);
  const cassandra = await startCassandra({ dir, nodes: 1, heapMb: 512 });
  started.push(cassandra);
  const env = {
    ...process.env,
    TEST_CASSANDRA: cassandra.contactPoints.join(','),
    TEST_CASSANDRA_DC: 'datacenter1',
    TEST_NATS_URL: nats.url,
    TEST_PYTHON: resolve('.cache/python/bin/python'),
  };
  code = 0;
  for (const [batch, atATime] of [
    [files.filter((file) => !alone.test(file)), FILES_AT_A_TIME],
    [files.filter((file) => alone.test(file)), 1],
  ]) {
    if (batch.length === 0 || stopping) continue;
    const options = [`--test-concurrency=${atATime}`, `--test-timeout=${FILE_MS_MAX}`, '--test-reporter=spec'];
    runner = spawn(process.execPath, ['--test', ...options, ...batch], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const [status, signal] = await once(runner, 'exit');
    if (status !== 0 || signal !== null) code = status ?? 1;
  }
} finally {
  await Promise.all(started.map((service) => service.stop()));
  rmSync(dir, { recursive: true, force: true });
}
process.exit(stopping ? 1 : code);
