import { hostId } from '../../../actors/remote-host/remote-host.js';
import { following } from '../../../store/tables.js';
import { STAR } from '../admirers.js';
import type { SimulatedServer } from '../services/remote-server.js';
import type { Ended } from './invariants.js';

/** World time within which everything arrives after the last fault: the pauses after the failures of one life. */
const ARRIVED_MS_MAX = 4 * 3_600_000;
const UNDO = '/undo';
/** Length of an outage of the other server, and the pause between two of its messages meanwhile. */
const OUTAGE_MS = 600_000;
const MESSAGE_MS = 5_000;
/**
 * Attempts during an outage: a page has up to four under way when the third fails, and pauses begin at a minute and
 * double. Breakers that were not stored before a crash count from the start.
 */
const ATTEMPTS_MAX = 20;
const HOST = hostId('far.example');

type Judged = Pick<Ended, 'shared' | 'world' | 'violations' | 'accounts' | 'nodes'>;

/** Reports what the other server should have received, and requests that it should not have. */
export async function judgeDeliveries(ended: Judged, server: SimulatedServer): Promise<void> {
  // Each question in the outage takes seconds at most.
  await ended.world.complete(breakersHold(ended, server), 2 * OUTAGE_MS);
  await activitiesArrive(ended, server);
}

/** Checks that a server that answers nothing gets few requests, also while it sends activities of its own. */
async function breakersHold({ world, violations, accounts, nodes }: Judged, server: SimulatedServer): Promise<void> {
  server.fail();
  const before = server.attempts;
  const endMs = world.now + OUTAGE_MS;
  const [node] = nodes;
  const ask = (kind: string, id: string, command: string, input: object) =>
    node?.runtime.ask(kind, id, command, input).catch(() => undefined);
  for (let round = 0; world.now < endMs; round++) {
    const account = accounts[round % accounts.length] ?? '';
    for (const command of ['unfollow', 'follow'])
      await ask('account', account, command, { target: STAR, targetLocked: false });
    await ask('host', HOST, 'returned', {});
    await world.sleep(MESSAGE_MS);
  }
  const attempts = server.attempts - before;
  if (attempts > ATTEMPTS_MAX) violations.report('breakersHold', `${attempts} requests to a server that answers none`);
}

/**
 * Checks that the other server knows who follows its account: it has received each present follow, and the end of each
 * other one that it has received. No end arrived before its follow.
 */
async function activitiesArrive(
  { shared, world, violations, accounts }: Judged,
  server: SimulatedServer,
): Promise<void> {
  server.mend();
  const present = new Set<string>();
  for (const account of accounts) {
    const edge = await shared.get(following, { account, target: STAR });
    if (edge !== undefined) present.add(edge.edgeId);
  }
  const edgeOf = (id: string) => id.slice(id.lastIndexOf('#follows/') + '#follows/'.length);
  const missing = () => {
    const known = [...server.received].map(edgeOf);
    const ended = new Set(known.filter((id) => id.endsWith(UNDO)).map((id) => id.slice(0, -UNDO.length)));
    const begun = new Set(known.filter((id) => !id.endsWith(UNDO)));
    return [
      ...[...present].filter((edge) => !begun.has(edge)).map((edge) => `the follow ${edge}`),
      ...[...begun].filter((edge) => !present.has(edge) && !ended.has(edge)).map((edge) => `the end of ${edge}`),
    ];
  };
  let seen: number | undefined;
  const isWhole = () => {
    if (seen === server.received.size) return false;
    seen = server.received.size;
    return missing().length === 0;
  };
  await world.run(world.now + ARRIVED_MS_MAX, isWhole);
  for (const what of missing()) violations.report('activitiesArrive', `${what} never arrived`);
  const order = [...server.received].map(edgeOf);
  for (const [place, id] of order.entries())
    if (id.endsWith(UNDO) && !order.slice(0, place).includes(id.slice(0, -UNDO.length)))
      violations.report('activitiesArrive', `${id} arrived before its follow`);
}
