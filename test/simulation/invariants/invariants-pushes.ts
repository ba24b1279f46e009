import { eraOfId } from '../../../actors/domain/ids.js';
import { topicOf } from '../../../actors/push/payload.js';
import { RANGE_LIMIT_MAX } from '../../../store/port.js';
import { notifications } from '../../../store/tables.js';
import type { SimulatedPushServices } from '../services/push-services.js';
import type { Ended } from './invariants.js';

/** Ids of the subscriptions by account. */
export type Subscriptions = ReadonlyMap<string, readonly string[]>;

/**
 * World time within which all pushes arrive after the last fault: the pause after the failures of one life, and the
 * interval of reads of alarms.
 */
const ARRIVED_MS_MAX = 3_600_000;

/**
 * Checks that each notification of an account with subscriptions has arrived at the push service of each of them. The
 * service shows one message for each topic, so a notification is shown once.
 */
export async function pushesArrive(
  { shared, world, violations }: Pick<Ended, 'shared' | 'world' | 'violations'>,
  subscriptions: Subscriptions,
  services: SimulatedPushServices,
): Promise<void> {
  services.mend();
  const topics = await expected(shared, subscriptions);
  const missing = () => [...topics].filter(([topic]) => !services.shown.has(topic));
  await world.run(world.now + ARRIVED_MS_MAX, () => missing().length === 0);
  for (const [, what] of missing()) violations.report('pushesArrive', `${what} was never pushed`);
}

/** Returns a description of each push that must arrive, by topic. */
async function expected(shared: Ended['shared'], subscriptions: Subscriptions): Promise<Map<string, string>> {
  const topics = new Map<string, string>();
  for (const [account, ids] of subscriptions) {
    const era = eraOfId(ids[0] ?? '');
    const rows = await shared.range(notifications, { account, era }, { limit: RANGE_LIMIT_MAX });
    for (const { key, value } of rows) {
      if (value.filtered === true) continue;
      for (const id of ids)
        topics.set(topicOf(id, key.notification), `${value.type} ${key.notification} of ${account} to ${id}`);
    }
  }
  return topics;
}
