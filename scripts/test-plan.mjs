// Decides which test files share a process, in which order processes start, and what each needs of the machine.

/** Cores that tests use; on more cores with more concurrent tests each would only be slower. */
export const CORES = 2;

/**
 * Files that take long, or measure how fast the machine is, have processes of their own. `seconds` is the duration on
 * an idle machine of two cores; the longest start first. `cores` is the share of `CORES` that a file needs: files that
 * mostly wait run beside files that compute. Only one of the files with `cluster` runs at a time: creating a keyspace,
 * or killing nodes, costs Cassandra time on which other tests' leases depend.
 */
const OWN = [
  // Measures the share of offered requests that is answered.
  { file: 'gateway/http/overload', seconds: 40, cores: 2 },
  // Measures how long the event loop stands still while other processes compute.
  { file: 'scenarios/hostile-bytes', seconds: 25, cores: 2 },
  { file: 'scenarios/cluster/faults', seconds: 140, cores: 1.5, cluster: true },
  { file: 'scenarios/cluster/stalls', seconds: 90, cores: 1, cluster: true },
  { file: 'scenarios/cluster/three-nodes', seconds: 75, cores: 1, cluster: true },
  { file: 'scenarios/cluster/upgrade', seconds: 45, cores: 1, cluster: true },
  { file: 'scenarios/cluster/bad-input', seconds: 45, cores: 1, cluster: true },
  { file: 'scenarios/restart', seconds: 40, cores: 1, cluster: true },
  { file: 'store/cassandra-ring', seconds: 30, cores: 1, cluster: true },
  { file: 'scenarios/cluster/load', seconds: 25, cores: 1, cluster: true },
  { file: 'scenarios/cluster/in-doubt', seconds: 20, cores: 1, cluster: true },
  { file: 'store/cassandra', seconds: 10, cores: 1, cluster: true },
  { file: 'cli/from-afar', seconds: 10, cores: 1, cluster: true },
  { file: 'scenarios/schemathesis', seconds: 110, cores: 1 },
  { file: 'scenarios/newer-nodes', seconds: 25, cores: 1 },
  { file: 'simulation/simulation', seconds: 60, cores: 1 },
  { file: 'load/rough-answers', seconds: 55, cores: 0.5 },
  { file: 'load/faults', seconds: 45, cores: 0.5 },
  { file: 'load/ending', seconds: 40, cores: 0.5 },
  { file: 'load/meddled', seconds: 20, cores: 0.5 },
  { file: 'load/own-server', seconds: 16, cores: 0.5 },
  { file: 'transport/nats/nats-bus', seconds: 14, cores: 0.5 },
  { file: 'gateway/streaming/streaming', seconds: 12, cores: 0.5 },
];

/** Number of other files per process: the first pays for the imports of all. */
const FILES_MAX = 14;
/** Estimated duration of a file with a server and some stories. */
const FILE_SECONDS = 1;

/** Checks the names above. @throws when one is not among all files */
export function checkPlan(files) {
  const unknown = OWN.filter(({ file }) => !files.includes(`dist/test/${file}.test.js`)).map(({ file }) => file);
  if (unknown.length > 0) throw new Error(`scripts/test-plan.mjs names ${unknown.join(', ')}, which does not exist`);
}

/**
 * Distributes files over processes.
 * @param files paths below dist
 * @returns processes to run, in the order in which they should start
 */
export function planOf(files) {
  const needsOf = (file) => OWN.find(({ file: path }) => file === `dist/test/${path}.test.js`);
  const own = files.filter(needsOf).map((file) => ({ ...needsOf(file), files: [file] }));
  const rest = files.filter((file) => !needsOf(file)).sort();
  const shared = Array.from({ length: Math.ceil(rest.length / FILES_MAX) }, (_, index) => {
    const some = rest.slice(index * FILES_MAX, (index + 1) * FILES_MAX);
    return { files: some, seconds: FILE_SECONDS * some.length, cores: 1 };
  });
  // First the processes that need the whole machine, then those that must run one by one, then the rest.
  const rank = ({ cores, cluster }) => (cores === CORES ? 0 : cluster === true ? 1 : 2);
  return [...own, ...shared].sort((a, b) => rank(a) - rank(b) || b.seconds - a.seconds);
}

/** Returns the next waiting process that fits beside the running ones; undefined if none fits. */
export function nextOf(waiting, running) {
  const used = running.reduce((sum, { cores }) => sum + cores, 0);
  const hasCluster = running.some(({ cluster }) => cluster === true);
  return waiting.find(({ cores, cluster }) => used + cores <= CORES && !(cluster === true && hasCluster));
}
