// Runs the tests of dist/test against one Cassandra and one nats-server that all files share. `node scripts/test.mjs
// PATTERN…` runs the files whose path contains one of the patterns. `--record` stores the durations for the next runs.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startCassandra } from '../dist/cluster/local/cassandra.js';
import { startNats } from '../dist/cluster/local/nats.js';
import { newerNodes } from './newer-nodes.mjs';
import { checkPlan, planOf, record } from './test-plan.mjs';
import { slackenTimers } from './turns/timer-slack.mjs';
import { Turns } from './turns/turns.mjs';

const recording = process.argv.includes('--record');
const patterns = process.argv.slice(2).filter((one) => one !== '--record');
const all = readdirSync('dist/test', { recursive: true })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join('dist/test', name));
checkPlan(all);
const files = all.filter((name) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)));
if (files.length === 0) {
  console.error('no test file');
  process.exit(1);
}

// A Cassandra node flushes several system tables to disk after each definition: 2.5 of the 3.5 s that a keyspace takes.
// Only a restart after kill -9 needs that, and test/kit/services/shared-cluster.ts, which restarts nodes, flushes them once.
// The options are also those of the nodes that test files start.
const javaOptions = [
  '-Dcassandra.test.flush_local_schema_changes=false',
  // Each table registers some hundred management beans, for nodetool and JMX, which no test uses: a quarter of the time
  // of a start, and a fifth of that of a keyspace.
  '-Dorg.apache.cassandra.disable_mbean_registration=true',
];
process.env.JAVA_TOOL_OPTIONS = [process.env.JAVA_TOOL_OPTIONS, ...javaOptions].filter(Boolean).join(' ');
slackenTimers();

const dir = mkdtempSync(join(tmpdir(), 'murmuration-test-'));
const started = [];
let turns;
let stopping = false;
const end = () => {
  stopping = true;
  turns?.stop();
};
process.on('SIGINT', end);
process.on('SIGTERM', end);

let passed = false;
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
    TEST_PEERS: resolve('.cache/peers'),
    TEST_BOVINE: resolve('.cache/bovine/bin/python'),
    TEST_SAMPLES: resolve('.cache/samples/bin/python'),
    TEST_NODES: JSON.stringify(newerNodes()),
  };
  turns = new Turns(planOf(files), env, [nats.pid, ...cassandra.nodes.map(({ pid }) => pid)]);
  passed = !stopping && (await turns.run());
  if (passed && recording) record(turns.measured);
} finally {
  await Promise.all(started.map((service) => service.kill()));
  rmSync(dir, { recursive: true, force: true });
}
process.exit(passed ? 0 : 1);
