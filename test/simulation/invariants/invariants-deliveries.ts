import { following } from '../../../store/tables.js';
import { STAR } from '../admirers.js';
import type { SimulatedServer } from '../services/remote-server.js';
import type { Ended } from './invariants.js';

/** World time within which everything arrives after the last fault: the pauses after the failures of one life. */
const ARRIVED_MS_MAX = 4 * 3_600_000;
const UNDO = '/undo';

/**
 * Checks that the other server knows who follows its account: it has received each present follow, and the end of each
 * other one that it has received. No end arrived before its follow.
 */
export async function activitiesArrive(
  { shared, world, violations, accounts }: Pick<Ended, 'shared' | 'world' | 'violations' | 'accounts'>,
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
    const ended = known.filter((id) => id.endsWith(UNDO)).map((id) => id.slice(0, -UNDO.length));
    const begun = known.filter((id) => !id.endsWith(UNDO));
    return [
      ...[...present].filter((edge) => !begun.includes(edge)).map((edge) => `the follow ${edge}`),
      ...begun.filter((edge) => !present.has(edge) && !ended.includes(edge)).map((edge) => `the end of ${edge}`),
    ];
  };
  await world.run(world.now + ARRIVED_MS_MAX, () => missing().length === 0);
  for (const what of missing()) violations.report('activitiesArrive', `${what} never arrived`);
  const order = [...server.received].map(edgeOf);
  for (const [place, id] of order.entries())
    if (id.endsWith(UNDO) && !order.slice(0, place).includes(id.slice(0, -UNDO.length)))
      violations.report('activitiesArrive', `${id} arrived before its follow`);
}
