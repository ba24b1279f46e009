// Which test files share a process, in which order processes begin, and what each needs of the machine.

/** Tests are made for two cores; with more of them at a time each would only be slower. */
export const CORES = 2;

/**
 * Files that take long, or judge how fast the machine is, have processes of their own; `seconds` on an idle machine of
 * two cores say which should begin first. `cores` it may count on, of `CORES`: those that mostly wait go beside those that
 * compute. Of the files with `cluster`, one is run at a time: a keyspace that is made, or nodes that are killed, cost
 * Cassandra what others' leases depend on.
 */
const OWN = [
  // Judges the share of what was offered that is answered.
  { file: 'gateway/http/overload', seconds: 40, cores: 2 },
  // Judges how long the event loop stands still while other processes compute.
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

/** So many of the others share a process: the first pays for what all of them import. */
const FILES_MAX = 14;
/** Of a file with a server and some stories. */
const FILE_SECONDS = 1;

/** @throws when a name above is none of all files */
export function checkPlan(files) {
  const unknown = OWN.filter(({ file }) => !files.includes(`dist/test/${file}.test.js`)).map(({ file }) => file);
  if (unknown.length > 0) throw new Error(`scripts/test-plan.mjs names ${unknown.join(', ')}, which there is not`);
}

/**
 * @param files paths below dist
 * @returns processes to run, those first that should begin first
 */
export function planOf(files) {
  const needsOf = (file) => OWN.find(({ file: path }) => file === `dist/test/${path}.test.js`);
  const own = files.filter(needsOf).map((file) => ({ ...needsOf(file), files: [file] }));
  const rest = files.filter((file) => !needsOf(file)).sort();
  const shared = Array.from({ length: Math.ceil(rest.length / FILES_MAX) }, (_, index) => {
    const some = rest.slice(index * FILES_MAX, (index + 1) * FILES_MAX);
    return { files: some, seconds: FILE_SECONDS * some.length, cores: 1 };
  });
  // What has the machine to itself, then what can only follow one another, then the rest.
  const rank = ({ cores, cluster }) => (cores === CORES ? 0 : cluster === true ? 1 : 2);
  return [...own, ...shared].sort((a, b) => rank(a) - rank(b) || b.seconds - a.seconds);
}

/** The next of the waiting for which there is room beside those that run; undefined: none. */
export function nextOf(waiting, running) {
  const used = running.reduce((sum, { cores }) => sum + cores, 0);
  const hasCluster = running.some(({ cluster }) => cluster === true);
  return waiting.find(({ cores, cluster }) => used + cores <= CORES && !(cluster === true && hasCluster));
}
