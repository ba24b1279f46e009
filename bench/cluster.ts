import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalCluster } from '../test/kit/local-cluster.js';
import { createAccounts } from './accounts.js';
import { Apart } from './apart.js';
import { benchBare } from './bare.js';
import { type Call, type Load, measure } from './http-load.js';
import { cpuSeconds } from './process-figures.js';
import { printTable, type Row } from './row.js';
import { type ServiceCounts, serviceCounts } from './service-counts.js';
import { at, get, type Status, settled, Town, write } from './town.js';

const FOLLOWERS = 100;
const IN_FLIGHT = 32;
const NODES = 3;
/** As many as posts in flight at most: what one author posts at once would be one entry of their journal. */
const AUTHORS = NODES * IN_FLIGHT;
/** More share the cores with what is measured; a node asks one coordinator, however many replicas there are. */
const CASSANDRA_NODES = 1;
const POSTS = 1_000;
/** How many follows of the first load are measured; the rest of them, so that everybody follows every author, is not. */
const FOLLOWS = 2_800;
/** Statuses that are favourited in turn by a process' worth of requests. */
const FAVOURITED = 64;
const RATIO_MAX = 1.6;
/** Of each process: V8 compiles in every one of them, and that is no cost of an operation. */
const WARM_UP = 1_200;
/** The same of the second time, when they are warm. */
const WARM_UP_AGAIN = 200;

/**
 * The same loads on one embedded node, on three that know nothing of one another, and on three with Cassandra and NATS;
 * what each costs there beside CPU time. What three apart cost more than one is no cost of the cluster: each has a third
 * of the calls at a time, and they share the cores.
 *
 * Each load comes twice: first as many calls in flight at the three nodes together as at the one, then as many at each of
 * them as at the one, of as many more people: nodes are added when the load grows. The embedded node does its second
 * round as its first, so it is warmer by then than each of three.
 */
export async function benchCluster(): Promise<Row[]> {
  const alone = await Town.open(AUTHORS, FOLLOWERS);
  const embedded: Row[] = [];
  try {
    for (const load of await loads(alone, 1)) embedded.push(await measure(alone.target, load));
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
    for (const [index, load] of (await loads(town, NODES)).entries()) {
      const { before: prepare, ...measured } = load;
      await prepare?.(0);
      const before = await used(cluster);
      const row = await measure(town.target, measured);
      const after = await used(cluster);
      const operations = load.count * (load.rounds ?? 1) + (load.warmUp ?? Math.ceil(load.count / 5));
      const found = [
        compared(row, embedded[index] as Row, apart[index] as Row),
        ...services(`${load.name}, ${load.inFlight} in flight`, before, after, operations),
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
    const byTown = await Promise.all(apart.towns.map((town) => loads(town, NODES, followed, 1)));
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

/**
 * Prepares the town for them on the way: they are to be run in their order. `followed`: follows that the first makes in
 * this town. `width`: processes that this town's second load is for.
 */
async function loads(
  town: Town,
  processes: number,
  followed = FOLLOWS + processes * WARM_UP,
  width = processes,
): Promise<Load[]> {
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
  const oldest = (from: number, count: number) => {
    all ??= town.newest.reverse();
    return all.slice(from, from + count);
  };
  const favourite = (from: number, count: number) => {
    let statuses: readonly string[] | undefined;
    return (index: number) => {
      statuses ??= oldest(from, count);
      const id = at(statuses, (index % FOLLOWERS) + Math.floor(index / FOLLOWERS));
      const right = (answer: Status) => answer.id === id && answer.favourited;
      return write(at(town.followers, index), `/api/v1/statuses/${id}/favourite`, {}, right);
    };
  };
  const home = (index: number) =>
    get('/api/v1/timelines/home', at(town.followers, index), (page: Status[]) => page.length === 20);
  // Rings are filled at the first look, which reads a row or more of everyone followed.
  const firstLook = async () => {
    for (let reader = 0; reader < FOLLOWERS; reader++) await town.call(home(reader));
  };
  let read: readonly string[] | undefined;
  const status = (index: number) => {
    read ??= oldest(0, POSTS);
    const id = at(read, index);
    return get(`/api/v1/statuses/${id}`, at(town.followers, index), (answer: Status) => answer.id === id);
  };
  const homes = { name: 'home of 20', count: 2_000, call: home };
  const statuses = { name: 'one status', count: 4_000, call: status };
  const favourites = { name: 'favourite', count: POSTS };
  const first = { inFlight: IN_FLIGHT, rounds: 1, warmUp: processes * WARM_UP };
  // What was prepared for the first time is there.
  const again = ({ name, count, call }: Pick<Load, 'name' | 'count' | 'call'>) => ({
    ...{ name, call },
    rounds: 1,
    count: processes * count,
    inFlight: processes * IN_FLIGHT,
    warmUp: processes * WARM_UP_AGAIN,
  });
  const text = (index: number) => `again ${index}`;
  return [
    { ...first, ...follow, writes: true },
    { ...first, ...posts, writes: true },
    { ...first, ...favourites, call: favourite(0, FAVOURITED), writes: true },
    { ...first, ...homes, before: firstLook },
    { ...first, ...statuses },
    { ...again({ name: 'follow', count: POSTS, call: (index) => followBack(town, index, width) }), writes: true },
    { ...again({ ...posts, call: (index) => town.post(at(town.authors, index), text(index)) }), writes: true },
    { ...again({ ...favourites, call: favourite(FAVOURITED, width * FAVOURITED) }), writes: true },
    again(homes),
    again(statuses),
  ];
}

/** An author follows a follower; `width` of these are followed at a time, by others at once. Each follow comes once. */
function followBack(town: Town, index: number, width: number): Call {
  const { authors, followers } = town;
  const block = Math.floor(index / (width * authors.length));
  const place = index % (width * authors.length);
  const [turn, step] = [place % width, Math.floor(place / width)];
  const target = at(followers, block * width + ((turn + step) % width));
  const author = at(authors, step + turn * IN_FLIGHT);
  return write(author, `/api/v1/accounts/${target.id}/follow`, {}, (answer) => answer.following);
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
  const inFlight = ({ name }: Row) => /\d+ in flight$/.exec(name)?.[0];
  const load = inFlight(row) === inFlight(embedded) ? 'as many in flight in all' : 'as many in flight per node';
  const toApart = (cpu(row) / cpu(apart)).toFixed(2);
  const figure = `${ratio.toFixed(2)} times embedded, ${load}; ${toApart} times ${NODES} apart`;
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
