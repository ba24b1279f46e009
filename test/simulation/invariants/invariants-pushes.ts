import { eraOfId } from '../../../actors/domain/ids.js';
import { topicOf } from '../../../actors/push/payload.js';
import { RANGE_LIMIT_MAX } from '../../../store/port.js';
import { notifications } from '../../../store/tables.js';
import { waitingAlarms } from '../../kit/actors/waiting-alarms.js';
import type { Ground } from '../node.js';
import type { Ended } from './invariants.js';
import { effectsOwed } from './judge.js';

/** Ids of the subscriptions by account. */
export type Subscriptions = ReadonlyMap<string, readonly string[]>;

/**
 * World time within which all pushes arrive after the last fault: the pause after the failures of one life, and the
 * interval of reads of alarms.
 */
const ARRIVED_MS_MAX = 3_600_000;
/** Interval at which the judge looks for a push that is still owed. */
const LOOK_MS = 60_000;
/** World time without owed pushes, after which none arrives: many scans of the backlog and reads of alarms. */
const QUIET_MS = 10 * LOOK_MS;
const DAY_MS = 86_400_000;

/**
 * Checks that each notification of an account with subscriptions has arrived at the push service of each of them. The
 * service shows one message for each topic, so a notification is shown once.
 */
export async function pushesArrive(
  { violations }: Pick<Ended, 'violations'>,
  ground: Ground,
  subscriptions: Subscriptions,
): Promise<void> {
  const { shared, pushServices: services } = ground;
  services.mend();
  const topics = await expected(shared, subscriptions);
  const missing = () => [...topics].filter(([topic]) => !services.shown.has(topic));
  await runUntil(() => missing().length === 0, ground);
  for (const [, what] of missing()) violations.report('pushesArrive', `${what} was never pushed`);
}

/**
 * Runs the world until everything has arrived, for a bounded time. Stops earlier if no actor has owed an effect, and no
 * subscription had an alarm, for a while: nobody will send what is missing then.
 */
async function runUntil(isWhole: () => boolean, ground: Ground): Promise<void> {
  const { world } = ground;
  const endMs = world.now + ARRIVED_MS_MAX;
  let owedMs = world.now;
  while (!isWhole() && world.now < endMs && world.now - owedMs < QUIET_MS) {
    await world.run(Math.min(endMs, world.now + LOOK_MS), isWhole);
    if (await isOwed(ground)) owedMs = world.now;
  }
}

async function isOwed(ground: Ground): Promise<boolean> {
  if ((await effectsOwed(ground)).length > 0) return true;
  const { shared, world } = ground;
  // A pause lasts hours at most, so its alarm is of this day or the next.
  const days = [world.wallMs, world.wallMs + DAY_MS];
  const rows = await Promise.all(days.map((atMs) => waitingAlarms(shared, atMs)));
  return rows.flat().some(({ key }) => key.actor.startsWith('push/'));
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
