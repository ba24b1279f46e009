import { benchBare } from '../bare/bare.js';
import type { Load } from '../http-load.js';
import { printTable, type Row } from '../row.js';
import { Town } from '../town.js';
import { Apart, together } from './apart.js';
import { AUTHORS, clusterLoads, clusterLoadsApart, FOLLOWERS, IN_FLIGHT, NODES } from './cluster-loads.js';
import { clustersOfOne, cpuOf, inTurn, startCluster, townOf, verdict } from './cluster-parts.js';
import { ServiceUse, type Used } from './service-use.js';

/**
 * Measures the same loads on one embedded node, on three independent ones, and on three with Cassandra and NATS. They
 * take turns, so that a slower machine slows all; the other costs of each are shown beside CPU time. The extra cost of
 * three independent nodes over one is not a cost of the cluster: each has a third of the concurrent calls, and they
 * share the cores. Writes are also measured on three clusters of one node each: the cost of the store, without
 * communication between nodes.
 *
 * Each load runs twice: first with as many calls in flight at the three nodes together as at the one, then with as many
 * at each of them as at the one, by as many more people, because nodes are added when the load grows. The embedded
 * node's second round repeats its first, so it is warmer by then than each of three. Pages run a third time, at one of
 * the nodes.
 */
export async function benchCluster(): Promise<Row[]> {
  const opened: { dispose(): Promise<void> }[] = [];
  try {
    const alone = await Town.open(AUTHORS, FOLLOWERS);
    opened.push(alone);
    const apart = await Apart.open(NODES, AUTHORS, FOLLOWERS);
    opened.push(apart);
    const cluster = await startCluster(NODES);
    opened.push({ dispose: () => cluster.stop() });
    const town = await townOf(cluster);
    const ofOne = await clustersOfOne(cluster, NODES);
    opened.push(ofOne);

    const [embedded, clustered] = [clusterLoads(alone, 1), clusterLoads(town, NODES)];
    const partsOf = ({ towns }: Apart) => towns.map((one) => clusterLoadsApart(one, NODES));
    const [parts, storing] = [partsOf(apart), partsOf(ofOne)];
    const rows: Row[] = [];
    for (const [index, load] of clustered.entries()) {
      const use = new ServiceUse(cluster);
      const found = await inTurn([
        { target: alone.target, load: embedded[index] as Load },
        { target: apart.target, load: together(parts.map((all) => all[index] as Load)) },
        { target: town.target, load, use },
        ...(load.writes === true
          ? [{ target: ofOne.target, load: together(storing.map((all) => all[index] as Load)) }]
          : []),
      ]);
      const [one, three, row, stored] = found as [Row, Row, Row, Row?];
      const all = [
        { ...one, name: `embedded: ${one.name}` },
        { ...three, name: `${NODES} embedded apart: ${three.name}` },
        ...(stored === undefined ? [] : [{ ...stored, name: `${NODES} clusters of one: ${stored.name}` }]),
        compared(row, one, three),
        ...services(`${load.name}, ${load.inFlight} in flight`, use.counted as Used, load.count * (load.rounds ?? 1)),
      ];
      process.stderr.write(`${printTable(all)}\n`);
      rows.push(...all);
    }
    rows.push(...(await pagesAtOneNode(alone, town, embedded, clustered)));
    await alone.assertHomes(alone.followers.slice(0, 2));
    await town.assertHomes(town.followers.slice(0, 2));
    return [...rows, ...(await benchBare(cluster, NODES, IN_FLIGHT))];
  } finally {
    for (const one of opened.reverse()) await one.dispose();
  }
}

/**
 * Measures the pages again with all calls at one of the nodes, as many as at the embedded one: the node then has the
 * cores to itself, as on a machine of its own, and two thirds of the viewers live on the other nodes.
 */
async function pagesAtOneNode(
  alone: Town,
  town: Town,
  embedded: readonly Load[],
  clustered: readonly Load[],
): Promise<Row[]> {
  const rows: Row[] = [];
  const one = { ...town.target, urls: town.target.urls.slice(0, 1) };
  for (const [index, load] of embedded.entries()) {
    if (index < embedded.length / 2 || load.writes === true) continue;
    const [base, row] = (await inTurn([
      { target: alone.target, load },
      { target: one, load: { ...load, call: (clustered[index] as Load).call } },
    ])) as [Row, Row];
    const ratio = cpuOf(row) / cpuOf(base);
    const figure = `${ratio.toFixed(2)} times embedded, as many in flight at one node`;
    rows.push({ ...row, name: `${NODES} nodes: ${row.name} at one of them`, figure, ...verdict(ratio) });
  }
  process.stderr.write(`${printTable(rows)}\n`);
  return rows;
}

function compared(row: Row, embedded: Row, apart: Row): Row {
  const ratio = cpuOf(row) / cpuOf(embedded);
  const inFlight = ({ name }: Row) => /\d+ in flight$/.exec(name)?.[0];
  const load = inFlight(row) === inFlight(embedded) ? 'as many in flight in all' : 'as many in flight per node';
  const toApart = (cpuOf(row) / cpuOf(apart)).toFixed(2);
  const figure = `${ratio.toFixed(2)} times embedded, ${load}; ${toApart} times ${NODES} apart`;
  return { ...row, name: `${NODES} nodes: ${row.name}`, figure, ...verdict(ratio) };
}

function services(name: string, counted: Used, operations: number): Row[] {
  const text = (count: number) => (count / operations).toFixed(count / operations < 10 ? 2 : 0);
  const row = (what: string, figure: string): Row => ({ name: `3 nodes: ${name}: ${what}`, figure });
  const tables = [...counted.byTable]
    .filter(([, count]) => count / operations >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([table, count]) => `${table} ${text(count)}`);
  return [
    row('NATS messages in, out', `${text(counted.natsIn)}, ${text(counted.natsOut)}`),
    row('NATS bytes', text(counted.natsBytes)),
    row('Cassandra reads, writes', `${text(counted.reads)}, ${text(counted.writes)} (${tables.join(', ')})`),
    row('CPU-ms of Cassandra, NATS', `${text(counted.cassandraCpu * 1e3)}, ${text(counted.natsCpu * 1e3)}`),
  ];
}
