// Decides which test files share a process, in which order processes start, and what each needs of the machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { isFast, isTimed } from './fast/files.mjs';

/** Cores that tests use; on more cores with more concurrent tests each would only be slower. */
export const CORES = 2;

/**
 * Files that take long, or measure how fast the machine is, have processes of their own; those of a list `files` run one
 * after the other in one process. `cores` is the share of `CORES` that a process needs: files that mostly wait run beside
 * files that compute. Only one of the processes with `cluster` runs at a time: creating a keyspace, or killing nodes,
 * costs Cassandra time on which other tests' leases depend. Files with `background` run in virtual time, or wait long for
 * every answer: at a low priority they use the time that the others leave.
 */
const OWN = [
  // Measures the share of offered requests that is answered.
  { file: 'gateway/http/overload', cores: 2 },
  // Measures how long the event loop stands still while other processes compute.
  { file: 'scenarios/hostile-bytes', cores: 2 },
  // These share a cluster on three Cassandra nodes, whose start takes 45 CPU seconds: test/kit/services/shared-cluster.ts.
  {
    files: ['store/cassandra-ring', 'scenarios/cluster/pushes', 'scenarios/cluster/faults'],
    cores: 1.5,
    cluster: true,
  },
  { file: 'scenarios/cluster/stalls', cores: 0.5, cluster: true },
  { file: 'scenarios/cluster/three-nodes', cores: 0.75, cluster: true },
  { file: 'scenarios/cluster/upgrade', cores: 1, cluster: true },
  { file: 'scenarios/cluster/shared-nodes', cores: 0.75, cluster: true },
  { file: 'scenarios/federation/ours/two-clusters', cores: 0.75, cluster: true },
  { file: 'scenarios/cluster/restart', cores: 0.75, cluster: true },
  { file: 'scenarios/cluster/in-doubt', cores: 1, cluster: true },
  { file: 'store/cassandra', cores: 1, cluster: true },
  { file: 'cli/from-afar', cores: 1, cluster: true },
  { file: 'scenarios/schemathesis', cores: 0, background: true },
  { file: 'scenarios/long-texts', cores: 0, background: true },
  { file: 'scenarios/newer-nodes', cores: 1 },
  { file: 'scenarios/pages/walk', cores: 1.25 },
  { file: 'scenarios/push/deliveries', cores: 0.25 },
  // Waits for repeated deliveries, and for counts of polls.
  { file: 'scenarios/federation/ours/two-servers', cores: 0.25 },
  // Waits for servers that never answer.
  { file: 'scenarios/federation/every-entry/every-entry', cores: 0.5 },
  { file: 'simulation/simulation', cores: 0, background: true },
  { file: 'simulation/planted', cores: 0, background: true },
  { files: ['cluster/clock-watch', 'cluster/cluster-node', 'cluster/slow-store'], cores: 0, background: true },
  { files: ['load/rough-answers', 'load/meddled', 'load/own-server'], cores: 0.5 },
  { files: ['load/faults', 'load/ending'], cores: 0.25 },
  { file: 'transport/nats/nats-bus', cores: 0.5 },
  { file: 'gateway/streaming/streaming', cores: 0.5 },
  // Waits for bounds of time.
  { file: 'gateway/http/lingering', cores: 0.25 },
];

/** Background processes at a time: one for each core. */
const BACKGROUND_MAX = CORES;

/**
 * Durations of files, and the CPU time of their processes, in whole seconds, as `node scripts/test.mjs --record` measured
 * them in a run of all files.
 */
const SECONDS = JSON.parse(readFileSync(new URL('./test-seconds.json', import.meta.url), 'utf8'));
/** Duration from which on a file is recorded; the others take about FILE_SECONDS. */
const RECORDED_SECONDS_MIN = 2;
const FILE_SECONDS = 0.5;
/** Smallest share of `CORES` that is reserved for a process whose files mostly wait: it computes at its start. */
const CORES_MIN = 0.25;
/** Longest duration of a fast file: one that is not recorded. */
const FAST_SECONDS_MAX = 1;
/** Bounds of a process for several files: the first pays for the imports of all, and the last processes run alone. */
const SHARED_MAX = { files: 72, seconds: 60 };
/** The same for a run of the fast files alone, which has fewer files to distribute. */
const SHARED_FAST_MAX = { files: 36, seconds: 30 };

/** Returns the paths of an entry's files below dist. */
const filesOf = ({ file, files = [file] }) => files.map((path) => `dist/test/${path}.test.js`);
const nameOf = (file) => file.slice('dist/test/'.length, -'.test.js'.length);
const measuredOf = (file) => SECONDS[nameOf(file)] ?? [FILE_SECONDS, FILE_SECONDS];
const secondsOf = (file) => measuredOf(file)[0];
const sum = (files, timeOf = secondsOf) => files.reduce((total, file) => total + timeOf(file), 0);

/** Returns the share of `CORES` that a process for these files needs: they run one after the other. */
function coresOf(files) {
  const used = sum(files, (file) => measuredOf(file)[1]) / sum(files);
  return Math.min(1, Math.max(CORES_MIN, used));
}

/** Writes the measured durations, for the next runs. @param measured seconds and CPU seconds by file */
export function record(measured) {
  const long = Object.entries(measured).filter(([, [seconds]]) => seconds >= RECORDED_SECONDS_MIN);
  const lines = long
    .map(([file, times]) => [nameOf(file), times.map(Math.round)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, times]) => `  ${JSON.stringify(name)}: [${times.join(', ')}]`);
  writeFileSync(new URL('./test-seconds.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}

/** Returns true for a file that is no longer than fast files are. */
export const isShort = (file) => secondsOf(file) <= FAST_SECONDS_MAX;

/** Checks the names above. @throws when one is not among all files */
export function checkPlan(files) {
  const unknown = OWN.flatMap(filesOf).filter((file) => !files.includes(file));
  if (unknown.length > 0) throw new Error(`scripts/test-plan.mjs names ${unknown.join(', ')}, which does not exist`);
}

/**
 * Distributes files over processes.
 * @param files paths below dist
 * @returns processes to run, in the order in which they should start
 */
export function planOf(files) {
  const needsOf = (file) => OWN.find((one) => filesOf(one).includes(file));
  const isBehind = files.some((file) => needsOf(file)?.background !== true);
  const own = OWN.flatMap((one) => {
    const { cores, cluster, background } = one;
    const chosen = filesOf(one).filter((file) => files.includes(file));
    // With nothing else to run, other work on this machine would take all the time.
    const planned = { cores, cluster, ...(isBehind && { background }), seconds: sum(chosen), files: chosen };
    return chosen.length === 0 ? [] : [planned];
  });
  const rest = files.filter((file) => !needsOf(file)).sort();
  const isPatient = (file) => isBehind && isFast(file) && !isTimed(file);
  const patient = processesOf(rest.filter(isPatient), SHARED_MAX);
  const shared = [
    ...patient.map((one) => ({ ...one, cores: 0, background: true })),
    ...processesOf(
      rest.filter((file) => !isPatient(file)),
      SHARED_MAX,
    ),
  ];
  // First the processes that need the whole machine, then those that must run one by one, then the rest. Among these the
  // ones that need more cores come first: later they would wait until enough others have ended.
  const rank = ({ cores, cluster }) => (cores === CORES ? 0 : cluster === true ? 1 : 2);
  return [...own, ...shared].sort((a, b) => rank(a) - rank(b) || b.cores - a.cores || b.seconds - a.seconds);
}

/** Distributes fast files over processes. */
export function fastPlanOf(files) {
  return processesOf([...files].sort(), SHARED_FAST_MAX).sort((a, b) => b.seconds - a.seconds);
}

/** Puts neighbours, which share imports, into one process each. */
function processesOf(files, max) {
  const processes = [];
  let some = [];
  for (const file of files) {
    if (some.length === max.files || (some.length > 0 && sum([...some, file]) > max.seconds)) {
      processes.push(some);
      some = [];
    }
    some.push(file);
  }
  if (some.length > 0) processes.push(some);
  return processes.map((all) => ({ files: all, seconds: sum(all), cores: coresOf(all) }));
}

/** Returns the next waiting process that fits beside the running ones; undefined if none fits. */
export function nextOf(waiting, running) {
  const used = running.reduce((sum, { cores }) => sum + cores, 0);
  const hasCluster = running.some(({ cluster }) => cluster === true);
  const behind = running.filter(({ background }) => background === true).length;
  const fits = ({ cores, cluster, background }) => {
    // A test that needs the whole machine measures it.
    if (running.some((one) => one.cores === CORES)) return false;
    if (background === true) return behind < BACKGROUND_MAX;
    return used + cores <= CORES && !(cores === CORES && running.length > 0) && !(cluster === true && hasCluster);
  };
  return waiting.find(fits);
}
