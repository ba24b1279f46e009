import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../cli/bundle.js';
import type { LocalCluster } from '../../test/kit/services/local-cluster.js';
import { cpuSeconds } from '../process-figures.js';
import type { Row } from '../row.js';

export interface BareWish {
  readonly number: number;
  readonly nodes: number;
  readonly cassandra: string;
  readonly nats: string;
}

/** The operations of each process: what they include, how many, and how many at a time. */
export interface BareRound {
  readonly asks: boolean;
  readonly rows: number;
  readonly tells: boolean;
  readonly count: number;
  readonly inFlight: number;
}

const COUNT = 3_000;
const ROUNDS = 3;

/**
 * Measures the cost of bus and store alone, with the cluster's own Cassandra and NATS: as many processes as nodes, as
 * many operations at a time, without gateway and actors. The minimum of the rounds is a lower bound for a write in the
 * cluster, to which gateway and actors add their cost.
 */
export async function benchBare(cluster: LocalCluster, nodes: number, inFlight: number): Promise<Row[]> {
  const children: ChildProcess[] = [];
  try {
    for (let number = 0; number < nodes; number++) {
      const wish = { number, nodes, cassandra: cluster.contactPoint, nats: cluster.nats.url };
      children.push(await started(wish));
    }
    const rows: Row[] = [];
    for (const [name, does] of [
      ['a request to another node for two of three', { asks: true, rows: 0, tells: false }],
      ['the same, and a message to all', { asks: true, rows: 0, tells: true }],
      ['4 rows of a partition each', { asks: false, rows: 4, tells: false }],
      ['7 rows of a partition each', { asks: false, rows: 7, tells: false }],
      ['request, message and 7 rows', { asks: true, rows: 7, tells: true }],
    ] as const) {
      const round = { ...does, count: Math.ceil(COUNT / nodes), inFlight: Math.ceil(inFlight / nodes) };
      rows.push(await measured(`bare: ${name}, ${inFlight} in flight`, children, round));
    }
    return rows;
  } finally {
    await Promise.all(children.map(ended));
  }
}

async function started(wish: BareWish): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./bare-node.js', import.meta.url));
  const child = fork(program, [JSON.stringify(wish)], { execArgv: [...NODE_FLAGS] });
  await answer(child);
  return child;
}

async function measured(name: string, children: readonly ChildProcess[], round: BareRound): Promise<Row> {
  const cpu = () => children.reduce((sum, { pid = 0 }) => sum + cpuSeconds(pid), 0);
  const carriedOut = async () => {
    const [before, startedMs] = [cpu(), performance.now()];
    await Promise.all(children.map((child) => asked(child, round)));
    const count = round.count * children.length;
    return { cpu: ((cpu() - before) / count) * 1_000, perSecond: (count / (performance.now() - startedMs)) * 1_000 };
  };
  await carriedOut();
  const rounds = [];
  for (let number = 0; number < ROUNDS; number++) rounds.push(await carriedOut());
  const [least, ...others] = rounds.sort((a, b) => a.cpu - b.cpu);
  if (least === undefined) throw new Error('no round was measured');
  return {
    name,
    perSecond: least.perSecond,
    cpuSecondsPer1000: least.cpu,
    cpuSecondsPer1000Between: [least.cpu, others.at(-1)?.cpu ?? least.cpu],
  };
}

async function asked(child: ChildProcess, round: BareRound): Promise<void> {
  child.send(round);
  await answer(child);
}

async function answer(child: ChildProcess): Promise<void> {
  const [message] = (await once(child, 'message')) as [{ readonly error?: string }];
  if (message.error !== undefined) throw new Error(message.error);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}
