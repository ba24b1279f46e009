import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { LocalCluster } from '../../test/kit/services/local-cluster.js';
import { type Load, measureInTurn, type Target } from '../http-load.js';
import type { Row } from '../row.js';
import { at, type Status, Town, write } from '../town.js';
import { Apart, together } from './apart.js';
import { FOLLOWERS, followBack, IN_FLIGHT, NODES } from './cluster-loads.js';
import { clustersOfOne, cpuOf, startCluster, townOf, verdict } from './cluster-parts.js';
import { ServiceUse, type Used } from './service-use.js';

/**
 * Calls before the rounds of each load, during which everybody follows every author. Compilation by V8 is not a cost of
 * an operation.
 */
const WARM_UP = 2_400;
const COUNT = 1_200;
const ROUNDS = 5;
/** Enough authors that each of them follows each follower back only once (`followBack`). */
const AUTHORS = NODES * Math.ceil((WARM_UP + ROUNDS * COUNT) / (NODES * NODES * Math.floor(FOLLOWERS / NODES)));
/** Writes per operation that the trial's nodes still send Cassandra: ownership of shards. */
const STRAY_WRITES_MAX = 0.2;
/** Posts that exist before the rounds, to be favourited. */
const FAVOURITED = 1_000;

interface Side {
  readonly name: string;
  readonly target: Target;
  readonly towns: readonly Town[];
  readonly inFlight: number;
  readonly cluster?: LocalCluster;
}

/**
 * Measures the writes on warm servers, in turn, with as many calls in flight at each process as at the embedded one: an
 * embedded node; three of them apart; three clusters of one; three nodes; and three nodes for a trial that keep rows in
 * their own memory, which shows the remaining cost with a store that costs nothing (rows-in-memory.ts).
 */
export async function benchClusterWarm(): Promise<Row[]> {
  const opened: { dispose(): Promise<void> }[] = [];
  const opens = <T extends { dispose(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const alone = opens(await Town.open(AUTHORS, FOLLOWERS));
    const apart = opens(await Apart.open(NODES, AUTHORS, FOLLOWERS));
    const cluster = await startCluster(NODES);
    opens({ dispose: () => cluster.stop() });
    const town = await townOf(cluster, AUTHORS);
    const ofOne = opens(await clustersOfOne(cluster, NODES, AUTHORS));
    const module = fileURLToPath(new URL('./rows-in-memory.js', import.meta.url));
    const trial = await startCluster(NODES, { NODE_OPTIONS: `--import ${module}` });
    opens({ dispose: () => trial.stop() });
    const inMemory = await townOf(trial, AUTHORS);

    const all = NODES * IN_FLIGHT;
    const sides: Side[] = [
      { name: 'embedded', target: alone.target, towns: [alone], inFlight: IN_FLIGHT },
      { name: `${NODES} embedded apart`, target: apart.target, towns: apart.towns, inFlight: all },
      { name: `${NODES} clusters of one`, target: ofOne.target, towns: ofOne.towns, inFlight: all },
      { name: `${NODES} nodes`, target: town.target, towns: [town], inFlight: all, cluster },
      {
        name: `${NODES} nodes, rows in memory`,
        target: inMemory.target,
        towns: [inMemory],
        inFlight: all,
        cluster: trial,
      },
    ];
    for (const { towns } of sides) for (const one of towns) await prepare(one);
    for (const pid of inMemory.target.pids) process.kill(pid, 'SIGUSR2');

    const loads = sides.map(({ towns, inFlight }) =>
      towns.map((one) => loadsOf(one, inFlight, inFlight / towns.length / IN_FLIGHT)),
    );
    const rows: Row[] = [];
    for (const name of ['post', 'favourite', 'follow'] as const) {
      const uses = sides.map(({ cluster }) => cluster && new ServiceUse(cluster));
      const turns = sides.map(({ target }, index) => {
        const use = uses[index];
        const hooks = use && { before: () => use.begin(), after: () => use.end() };
        return { target, load: { ...together(at(loads, index).map((byName) => byName[name])), ...hooks } };
      });
      const found = (await measureInTurn(turns)).map(({ row }) => row);
      for (const [index, row] of found.entries()) {
        rows.push(compared((sides[index] as Side).name, row, found[0] as Row, uses[index]?.counted));
      }
      const stored = (uses.at(-1)?.counted?.writes ?? Number.NaN) / (ROUNDS * COUNT);
      assert.ok(stored < STRAY_WRITES_MAX, `${stored} writes of an operation went to Cassandra that should not`);
    }
    for (const one of [alone, town, ...apart.towns, ...ofOne.towns]) await one.assertHomes(one.followers.slice(0, 1));
    return rows;
  } finally {
    for (const one of opened.reverse()) await one.dispose();
  }
}

async function prepare(town: Town): Promise<void> {
  await town.followAll();
  await town.each('post', FAVOURITED, (index) => town.post(at(town.authors, index), `before ${index}`));
  await town.target.settled();
}

/** @param width number of processes of the town */
function loadsOf(town: Town, inFlight: number, width: number): Record<'follow' | 'post' | 'favourite', Load> {
  const statuses = town.newest;
  const common = { inFlight, count: COUNT, rounds: ROUNDS, warmUp: WARM_UP, writes: true };
  const favourite = (index: number) => {
    const id = at(statuses, index);
    const viewer = at(town.followers, index + Math.floor(index / FAVOURITED));
    const right = (answer: Status) => answer.id === id && answer.favourited;
    return write(viewer, `/api/v1/statuses/${id}/favourite`, {}, right);
  };
  const post = (index: number) => town.post(at(town.authors, index), `number ${index}`);
  return {
    post: { ...common, name: `post, ${FOLLOWERS} followers`, call: post },
    favourite: { ...common, name: 'favourite', call: favourite },
    follow: { ...common, name: 'follow', call: (index) => followBack(town, index, width) },
  };
}

function compared(side: string, row: Row, embedded: Row, used: Used | undefined): Row {
  if (row === embedded) return { ...row, name: `${side}: ${row.name}, warm` };
  const ratio = cpuOf(row) / cpuOf(embedded);
  const least = (one: Row) => one.cpuSecondsPer1000Between?.[0] ?? Number.NaN;
  const times = `${ratio.toFixed(2)} times embedded, by the least ${(least(row) / least(embedded)).toFixed(2)}`;
  const each = (count: number) => (count / (ROUNDS * COUNT)).toFixed(2);
  const cassandra = (use: Used) =>
    `; Cassandra: ${each(use.reads)} reads, ${each(use.writes)} writes, ${each(use.cassandraCpu * 1e3)} CPU-ms`;
  const figure = `${times}${used === undefined ? '' : cassandra(used)}`;
  return { ...row, name: `${side}: ${row.name}, warm`, figure, ...verdict(ratio) };
}
