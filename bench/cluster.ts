import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalCluster } from '../test/kit/local-cluster.js';
import { createAccounts } from './accounts.js';
import { Apart } from './apart.js';
import { benchBare } from './bare.js';
import { type Load, measure } from './http-load.js';
import { cpuSeconds } from './process-figures.js';
import { printTable, type Row } from './row.js';
import { type ServiceCounts, serviceCounts } from './service-counts.js';
import { at, get, type Status, settled, Town, write } from './town.js';

const AUTHORS = 64;
const FOLLOWERS = 100;
const IN_FLIGHT = 32;
const NODES = 3;
/** More share the cores with what is measured; a node asks one coordinator, however many replicas there are. */
const CASSANDRA_NODES = 1;
const POSTS = 1_000;
const RATIO_MAX = 1.6;
/** Of each process: V8 compiles in every one of them, and that is no cost of an operation. */
const WARM_UP = 1_200;
/** Everybody follows every author in the end; three nodes are warmed up by the rest of it. */
const FOLLOWS = AUTHORS * FOLLOWERS - NODES * WARM_UP;

/**
 * The same loads on one embedded node, on three that know nothing of one another, and on three with Cassandra and NATS;
 * what each costs there beside CPU time. What three apart cost more than one is no cost of the cluster: each has a third
 * of the calls at a time, and they share the cores.
 */
export async function benchCluster(): Promise<Row[]> {
  const alone = await Town.open(AUTHORS, FOLLOWERS);
  const embedded: Row[] = [];
  try {
    for (const load of await loads(alone, 1, FOLLOWS + WARM_UP)) embedded.push(await measure(alone.target, load));
    await alone.assertHomes(alone.followers.slice(0, 2));
  } finally {
    await alone.dispose();
  }
  const apart = await benchApart();
  const cluster = await start();
  try {
    const dataDirs = cluster.nodes.map((node) => node.data_dir);
    const target = {
      urls: cluster.urls,
      pids: cluster.nodes.map(({ pid }) => pid),
      settled: () => settled(dataDirs),
    };
    const people = await createAccounts({ dataDir: dataDirs[0] as string }, AUTHORS + FOLLOWERS);
    const town = Town.on(target, people, AUTHORS, async () => undefined);
    const rows: Row[] = [];
    for (const [index, load] of (await loads(town, NODES, FOLLOWS + NODES * WARM_UP)).entries()) {
      const { before: prepare, ...measured } = load;
      await prepare?.(0);
      const before = await used(cluster);
      const row = await measure(town.target, measured);
      const after = await used(cluster);
      const operations = load.count * (load.rounds ?? 1) + (load.warmUp ?? Math.ceil(load.count / 5));
      const found = [
        compared(row, embedded[index] as Row, apart[index] as Row),
        ...services(load.name, before, after, operations),
      ];
      process.stderr.write(`${printTable(found)}\n`);
      rows.push(...found);
    }
    await town.assertHomes(town.followers.slice(0, 2));
    const bare = await benchBare(cluster, NODES, IN_FLIGHT);
    return [
      ...bare,
      ...embedded.map((row) => ({ ...row, name: `embedded: ${row.name}` })),
      ...apart.map((row) => ({ ...row, name: `${NODES} embedded apart: ${row.name}` })),
      ...rows,
    ];
  } finally {
    await cluster.stop();
  }
}

async function benchApart(): Promise<Row[]> {
  const apart = await Apart.open(NODES, AUTHORS, FOLLOWERS);
  const rows: Row[] = [];
  try {
    const followed = Math.floor((FOLLOWS + NODES * WARM_UP) / NODES);
    const byTown = await Promise.all(apart.towns.map((town) => loads(town, NODES, followed)));
    for (const index of (byTown[0] as Load[]).keys()) {
      const { before: prepare, ...measured } = apart.together(byTown.map((all) => all[index] as Load));
      await prepare?.(0);
      rows.push(await measure(apart.target, measured));
    }
    return rows;
  } finally {
    await apart.dispose();
  }
}

/** Prepares the town for them on the way: they are to be run in their order. `followed`: follows that the first makes. */
async function loads(town: Town, processes: number, followed: number): Promise<Load[]> {
  const follow = {
    name: 'follow',
    count: FOLLOWS,
    call: (index: number) => town.follow(index),
  };
  const posts = {
    name: 'post, 100 followers',
    count: POSTS,
    call: (index: number) => town.post(at(town.authors, index), `number ${index}`),
    before: async () =>
      town.each('the other follows', town.follows - followed, (index) => town.follow(followed + index)),
  };
  // The posts are all there when the first is asked for; to sort them for each call would take the nodes' cores.
  let all: readonly string[] | undefined;
  const newest = () => {
    all ??= town.newest;
    return all;
  };
  const favourite = (index: number) => {
    const id = at(newest().slice(-AUTHORS), (index % FOLLOWERS) + Math.floor(index / FOLLOWERS));
    const right = (answer: Status) => answer.id === id && answer.favourited;
    return write(at(town.followers, index), `/api/v1/statuses/${id}/favourite`, {}, right);
  };
  const home = (index: number) =>
    get('/api/v1/timelines/home', at(town.followers, index), (page: Status[]) => page.length === 20);
  // Rings are filled at the first look, which reads a row or more of everyone followed.
  const firstLook = async () => {
    for (let reader = 0; reader < FOLLOWERS; reader++) await town.call(home(reader));
  };
  const status = (index: number) => {
    const id = at(newest(), index % POSTS);
    return get(`/api/v1/statuses/${id}`, at(town.followers, index), (answer: Status) => answer.id === id);
  };
  const usual = { inFlight: IN_FLIGHT, rounds: 1, warmUp: processes * WARM_UP };
  return [
    { ...usual, ...follow, writes: true },
    { ...usual, ...posts, writes: true },
    { ...usual, name: 'favourite', count: POSTS, call: favourite, writes: true },
    { ...usual, name: 'home of 20', count: 2_000, call: home, before: firstLook },
    { ...usual, name: 'one status', count: 4_000, call: status },
  ];
}

function start(): Promise<LocalCluster> {
  const command = fileURLToPath(new URL('../cluster/local/main.js', import.meta.url));
  const port = String(20_000 + (process.pid % 10_000));
  const flags = ['--nodes', String(NODES), '--cassandra', String(CASSANDRA_NODES), '--port', port];
  const settings = { MURMURATION_RATE_LIMITS: 'off', MURMURATION_LOG_LEVEL: 'warn' };
  return LocalCluster.start(command, join(tmpdir(), `murmuration-bench-cluster-${process.pid}`), flags, settings);
}

interface Used extends ServiceCounts {
  readonly cassandraCpu: number;
  readonly natsCpu: number;
}

async function used(cluster: LocalCluster): Promise<Used> {
  return {
    ...(await serviceCounts(cluster)),
    cassandraCpu: cluster.cassandra.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    natsCpu: cpuSeconds(cluster.nats.pid),
  };
}

function compared(row: Row, embedded: Row, apart: Row): Row {
  const cpu = (of: Row) => of.cpuSecondsPer1000 ?? Number.NaN;
  const ratio = cpu(row) / cpu(embedded);
  const figure = `${ratio.toFixed(2)} times embedded, ${(cpu(row) / cpu(apart)).toFixed(2)} times ${NODES} apart`;
  return { ...row, name: `${NODES} nodes: ${row.name}`, figure, target: `≤ ${RATIO_MAX}`, reached: ratio <= RATIO_MAX };
}

function services(name: string, before: Used, after: Used, operations: number): Row[] {
  const per = (of: (counts: Used) => number) => (of(after) - of(before)) / operations;
  const text = (number: number) => number.toFixed(number < 10 ? 2 : 0);
  const row = (what: string, figure: string): Row => ({ name: `3 nodes: ${name}: ${what}`, figure });
  const tables = [...after.byTable]
    .map(([table, count]) => [table, (count - (before.byTable.get(table) ?? 0)) / operations] as const)
    .filter(([, count]) => count >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([table, count]) => `${table} ${text(count)}`);
  return [
    row('NATS messages in, out', `${text(per((c) => c.natsIn))}, ${text(per((c) => c.natsOut))}`),
    row('NATS bytes', text(per((c) => c.natsBytes))),
    row(
      'Cassandra reads, writes',
      `${text(per((c) => c.reads))}, ${text(per((c) => c.writes))} (${tables.join(', ')})`,
    ),
    row('CPU-ms of Cassandra, NATS', `${text(per((c) => c.cassandraCpu) * 1e3)}, ${text(per((c) => c.natsCpu) * 1e3)}`),
  ];
}
