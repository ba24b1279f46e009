import { backlog } from '../../../store/tables.js';
import type { Ground, SimulatedNode } from '../node.js';
import { lastDueMs } from '../planners.js';
import { type Ended, judgeRows, listsAreMadeOnce } from './invariants.js';
import { alarmsOwed, pollsHaveEnded, slowestMs } from './invariants-alarms.js';
import { cachesAreTrue } from './invariants-caches.js';
import { homesAreRight } from './invariants-homes.js';
import { byCertainty, effectRows, effectsAreDone, entriesStay, snapshotsAreCaches } from './invariants-journal.js';
import { judgeOwners } from './invariants-owners.js';
import { schedulesAreKept } from './invariants-schedules.js';

/**
 * World time within which all effects finish without requests to their actors: rows of the backlog that land late are
 * found by the next scan (20 s here), and a failed effect is retried within seconds.
 */
const REST_MS_MAX = 60_000;
/** World time for the judge's own requests. */
const QUESTIONS_MS_MAX = 180_000;
const LOOK_MS = 500;
/** World time within which the last due time passes by every clock. */
const DUE_MS_MAX = 60_000;

/** Waits until all activity has ended, then reports broken invariants. */
export async function judge(ended: Ended, ground: Ground, log: (line: string) => void): Promise<void> {
  const { shared, world, violations } = ended;
  const { writes } = ground;
  const rest = () => comeToRest(ended, ground);
  await rest();
  for (const actor of await effectsOwed(ground)) {
    log(`${world.now.toFixed(0)} owes effects: ${actor}`);
    violations.report('everythingComesToRest', `${actor} still owes effects`);
  }
  for (const alarm of await alarmsOwed(ended)) violations.report('alarmsRing', `nobody called ${alarm}`);
  await cachesAreTrue(ended, writes);
  await entriesStay(ground, violations);
  await snapshotsAreCaches(ground, violations);
  const before = await effectRows(shared, writes);
  const { certain, uncertain } = await byCertainty(ground);
  await world.complete(wake(ended, certain), QUESTIONS_MS_MAX);
  await rest();
  effectsAreDone(ended, before, await effectRows(shared, writes));
  // The last writes of these actors may be newer than an entry that was reported failed: they catch up when they are
  // asked.
  await world.complete(wake(ended, uncertain), QUESTIONS_MS_MAX);
  await rest();
  await judgeRows(ended);
  await pollsHaveEnded(ended);
  await judgeOwners(ended);
  await world.complete(listsAreMadeOnce(ended), QUESTIONS_MS_MAX);
  await world.complete(homesAreRight(ended), QUESTIONS_MS_MAX);
}

/** Waits until all scheduled statuses are due and every alarm was handled, then reports those that were not kept. */
export async function judgeSchedules(ended: Ended, ground: Ground): Promise<void> {
  const { world, ledger } = ended;
  const dueMs = lastDueMs(ledger);
  await world.run(world.now + DUE_MS_MAX, () => slowestMs(ended) > dueMs);
  await comeToRest(ended, ground);
  await schedulesAreKept(ended);
}

async function comeToRest(ended: Ended, ground: Ground): Promise<void> {
  const { world } = ended;
  for (let waitedMs = 0; waitedMs < REST_MS_MAX; waitedMs += LOOK_MS) {
    await world.run(world.now + LOOK_MS, () => false);
    const owed = [...(await effectsOwed(ground)), ...(await alarmsOwed(ended))];
    if (owed.length === 0) return;
  }
}

/** Sends a request to each actor, so that it is recovered and completes its effects. */
async function wake({ nodes }: Ended, actors: readonly string[]): Promise<void> {
  const { runtime } = nodes[0] as SimulatedNode;
  await Promise.allSettled(
    actors.map((actor) => {
      const [kind = '', id = ''] = actor.split('/');
      if (kind === 'account') return runtime.ask(kind, id, 'lists', {});
      if (kind === 'push') return runtime.ask(kind, id, 'alarm', { what: 'nothing', atMs: 0 });
      return runtime.ask(kind, id, 'context', { statusId: id });
    }),
  );
}

/** Returns backlog rows of actors that may still have unfinished effects. */
export async function effectsOwed({ shared, writes }: Pick<Ground, 'shared' | 'writes'>): Promise<string[]> {
  const owed: string[] = [];
  for (const shard of writes.backlogShards) {
    for (const row of await shared.range(backlog, { shard }, { limit: 100 })) owed.push(row.key.actor);
  }
  return owed;
}
