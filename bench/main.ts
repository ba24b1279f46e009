import { execFileSync } from 'node:child_process';
import { mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benchBulk } from './accounts.js';
import { benchAsk } from './ask.js';
import { benchBarePage } from './bare/bare-page.js';
import { comparison, runBeside } from './beside.js';
import { benchCluster } from './cluster/cluster.js';
import { benchClusterOfOne } from './cluster/cluster-of-one.js';
import { benchClusterWarm } from './cluster/cluster-warm.js';
import { benchDeliveries } from './crowd/deliveries.js';
import { benchGrowth } from './crowd/growth.js';
import { benchHttpDeliveries } from './crowd/http-deliveries.js';
import { benchRemoteDeliveries } from './crowd/remote-deliveries.js';
import { endTogether } from './end-together.js';
import { benchBacklog } from './federation/backlog.js';
import { benchCreates } from './federation/creates.js';
import { benchDeliver } from './federation/deliver.js';
import { benchInbox } from './federation/inbox.js';
import { benchInboxOverload } from './federation/inbox-overload.js';
import { benchDeadInboxes, benchSilentInboxes } from './federation/known/dead-inboxes.js';
import { benchKnownHosts } from './federation/known/known-hosts.js';
import { benchRemoteGrowth } from './federation/known/remote-growth.js';
import { benchManyHosts, benchQueue } from './federation/queue.js';
import { benchSignatures } from './federation/signatures.js';
import { measureJournal } from './journal.js';
import { benchDiscoveryLists } from './lists/discovery-lists.js';
import { benchLists } from './lists/lists.js';
import { benchModerationLists } from './lists/moderation-lists.js';
import { benchOwnLists } from './lists/own-lists.js';
import { benchPageWeights } from './lists/page-weights.js';
import { benchProfileLists } from './lists/profile-lists.js';
import {
  benchHome,
  benchNotifications,
  benchPages,
  benchPublic,
  benchReblogs,
  benchStatus,
  benchVerify,
} from './lists/reads.js';
import { benchVisible } from './lists/visible.js';
import { machineSpeed } from './machine-speed.js';
import { benchDeletion } from './marks/deletion.js';
import { benchMarks } from './marks/marks.js';
import { benchOverload } from './overload.js';
import { OtherWork } from './process-figures.js';
import { benchDeadPushService } from './push/dead-service.js';
import { benchPushSender } from './push/sender.js';
import { printTable, type Row } from './row.js';
import { benchStart } from './start.js';
import { benchIdleSockets } from './streams/idle-sockets.js';
import { benchStreams } from './streams/streams.js';
import { benchFavourite, benchFollow, benchPosts, benchReblog } from './writes.js';

// npm run bench [-- NAME…] [--out FILE] [--beside MAIN]: runs all benchmarks, or those named; prints a table, and writes
// JSON to FILE or a new temporary folder. MAIN is the dist/main.js of another build: both run at the same time, their
// rounds in turn, and the output compares them.

/** Target of a local ask, microseconds. */
const ASK_US_MAX = 20;
/** Target of durable appends per second at 64 in flight. */
const APPENDS_MIN = 25_000;
/** Source: statfs(2). */
const TMPFS = 0x01021994;

const benchmarks: Readonly<Record<string, () => Promise<Row[]>>> = {
  start: benchStart,
  ask: async () =>
    (await benchAsk()).map((figures) => ({
      name: figures.name,
      perSecond: figures.perSecond,
      p50Ms: figures.p50Us / 1_000,
      p99Ms: figures.p99Us / 1_000,
      cpuSecondsPer1000: figures.cpuSecondsPer1000,
      // With 64 in flight, the time of one is the queue's; the rate shows the cost of each.
      ...(figures.name.includes('64')
        ? { target: `rate ≥ ${1e6 / ASK_US_MAX}/s`, reached: figures.perSecond >= 1e6 / ASK_US_MAX }
        : { target: `p50 ≤ ${ASK_US_MAX} µs`, reached: figures.p50Us <= ASK_US_MAX }),
    })),
  journal: async () =>
    (await measureJournal(tmpdir())).map((figures) => ({
      name: `durable journal appends, ${figures.inFlight} in flight (whole process)`,
      perSecond: figures.perSecond,
      p50Ms: figures.p50Ms,
      p99Ms: figures.p99Ms,
      cpuSecondsPer1000: figures.cpuSecondsPer1000,
      ...(figures.inFlight === 64 ? { target: `≥ ${APPENDS_MIN}/s`, reached: figures.perSecond >= APPENDS_MIN } : {}),
    })),
  signatures: benchSignatures,
  inbox: benchInbox,
  'inbox-creates': benchCreates,
  'inbox-overload': benchInboxOverload,
  'remote-growth': benchRemoteGrowth,
  'known-hosts': benchKnownHosts,
  deliver: benchDeliver,
  queue: benchQueue,
  'many-hosts': benchManyHosts,
  backlog: benchBacklog,
  'dead-inboxes': benchDeadInboxes,
  'silent-inboxes': benchSilentInboxes,
  bulk: benchBulk,
  'bare-page': benchBarePage,
  verify_credentials: benchVerify,
  posts: benchPosts,
  favourite: benchFavourite,
  follow: benchFollow,
  reblog: benchReblog,
  home: benchHome,
  'home-reblogs': benchReblogs,
  public: benchPublic,
  pages: benchPages,
  'page-weight': benchPageWeights,
  notifications: benchNotifications,
  status: benchStatus,
  marks: benchMarks,
  deletion: benchDeletion,
  lists: benchLists,
  'own-lists': benchOwnLists,
  discovery: benchDiscoveryLists,
  moderation: benchModerationLists,
  profiles: benchProfileLists,
  visible: benchVisible,
  streams: benchStreams,
  'idle-sockets': benchIdleSockets,
  deliveries: benchDeliveries,
  'http-deliveries': benchHttpDeliveries,
  'remote-deliveries': benchRemoteDeliveries,
  growth: benchGrowth,
  overload: benchOverload,
  'push-sender': benchPushSender,
  'dead-push-service': benchDeadPushService,
  cluster: benchCluster,
  'cluster-of-one': benchClusterOfOne,
  'cluster-warm': benchClusterWarm,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, beside: { type: 'string' } },
});
const unknown = positionals.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  process.stderr.write(`no benchmark ${unknown}; there are ${Object.keys(benchmarks).join(', ')}\n`);
  process.exit(2);
}
/** Time for which others' use of the machine is measured before anything is started. */
const WATCH_MS = 1_000;
const others = new OtherWork([]);
await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
const machine = {
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  commit: commit(),
  dataOn: statfsSync(tmpdir()).type === TMPFS ? 'tmpfs: nothing is durable here, set TMPDIR' : 'disk',
  loadBefore: loadavg().map((load) => Number(load.toFixed(2))),
  otherCoresBefore: Number(others.cores().toFixed(2)),
  speedBefore: machineSpeed(),
};
function commit(): string | undefined {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // A source tree without its git history.
    return undefined;
  }
}

const rows: Row[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  if (values.beside === undefined) {
    rows.push(...(await endTogether(run)));
    continue;
  }
  const main = resolve(values.beside);
  const [ours, theirs] = await endTogether(() => runBeside(run, main));
  for (const line of comparison(ours, theirs)) process.stdout.write(`${line}\n`);
  rows.push(...ours);
}
const report = { ...machine, speedAfter: machineSpeed() };
process.stdout.write(`${JSON.stringify(report)}\n${printTable(rows)}\n`);
const out = values.out ?? join(mkdtempSync(join(tmpdir(), 'murmuration-bench-')), 'bench-results.json');
writeFileSync(out, `${JSON.stringify({ machine: report, rows }, null, 2)}\n`);
process.stderr.write(`${out}\n`);
process.exitCode = rows.some((row) => row.reached === false) ? 1 : 0;
