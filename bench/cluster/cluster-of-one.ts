import type { Row } from '../row.js';
import { Town } from '../town.js';
import { AUTHORS, clusterLoads, FOLLOWERS } from './cluster-loads.js';
import { cpuOf, inTurn, startCluster, townOf, verdict } from './cluster-parts.js';

/**
 * Measures the writes on one embedded node and on one node with Cassandra and NATS, in turn: the cost of the services
 * themselves, without other nodes.
 */
export async function benchClusterOfOne(): Promise<Row[]> {
  const alone = await Town.open(AUTHORS, FOLLOWERS);
  try {
    const cluster = await startCluster(1);
    try {
      const town = await townOf(cluster);
      const [embedded, one] = [clusterLoads(alone, 1), clusterLoads(town, 1)];
      const rows: Row[] = [];
      for (const [index, load] of one.entries()) {
        const base = embedded[index];
        if (base === undefined || load.writes !== true) continue;
        const sides = [
          { target: alone.target, load: base },
          { target: town.target, load },
        ];
        const [beside, row] = (await inTurn(sides)) as [Row, Row];
        const ratio = cpuOf(row) / cpuOf(beside);
        const figure = `${ratio.toFixed(2)} times embedded`;
        rows.push({ ...beside, name: `embedded: ${beside.name}` });
        rows.push({ ...row, name: `one node: ${row.name}`, figure, ...verdict(ratio) });
      }
      await town.assertHomes(town.followers.slice(0, 2));
      return rows;
    } finally {
      await cluster.stop();
    }
  } finally {
    await alone.dispose();
  }
}
