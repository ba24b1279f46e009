import type { SimulatedNode } from '../node.js';
import type { StoreFaults } from '../services/cassandra-session.js';
import type { Network } from '../services/network.js';
import type { SeededRandom, World } from '../world.js';

export interface Stage {
  readonly world: World;
  readonly network: Network;
  readonly storeFaults: StoreFaults;
  readonly random: SeededRandom;
  /** Live nodes, by name. */
  readonly nodes: Map<string, SimulatedNode>;
  /** Restarts the named node. */
  readonly start: (name: string) => void;
  /** Makes all clients send requests to that node, without waiting for earlier ones. */
  readonly pester: (node: SimulatedNode) => void;
  /** Permanent faults of the store. */
  readonly store: Partial<StoreFaults>;
}

/** A fault that lasts for a while. */
export type Action = (stage: Stage) => Promise<void>;

/**
 * Causes faults until `untilMs`, then ends all of them and ensures that every node runs.
 * @param endsInCrash all nodes crash during the last requests, and no requests follow
 */
export async function torment(
  stage: Stage,
  actions: readonly Action[],
  untilMs: number,
  endsInCrash: boolean,
): Promise<void> {
  const { world, random } = stage;
  Object.assign(stage.storeFaults, stage.store);
  while (world.now < untilMs - LAST_CRASH_MS) {
    await random.pick(actions)(stage);
    await world.sleep(random.between(300, 2_500));
  }
  if (endsInCrash) await crashAll(stage, untilMs);
  stage.network.mend();
  calm(stage.storeFaults);
  for (const node of stage.nodes.values()) node.process.resume(world.now);
}

/** Time before the end within which each node crashes at a random moment. */
const LAST_CRASH_MS = 60;

async function crashAll({ world, random, nodes, start, pester }: Stage, untilMs: number): Promise<void> {
  await world.sleep(Math.max(0, untilMs - LAST_CRASH_MS - world.now));
  for (const node of nodes.values()) pester(node);
  const ends = [...nodes.values()].map(async (node) => {
    await world.sleep(random.between(1, LAST_CRASH_MS));
    node.crash();
  });
  await Promise.all(ends);
  for (const name of nodes.keys()) start(name);
}

/** Number of bursts: the last comes a second after the node resumes. */
const PESTERED_TIMES = 10;

export function calm(faults: StoreFaults): void {
  Object.assign(faults, {
    failChance: 0,
    ambiguousChance: 0,
    lateChance: 0,
    lateJournalChance: 0,
    delayMs: [0.2, 3],
    paxosVictim: undefined,
  });
}

const someNode = ({ nodes, random }: Stage): SimulatedNode => random.pick([...nodes.values()]);

export async function crash(stage: Stage): Promise<void> {
  const node = someNode(stage);
  node.crash();
  await stage.world.sleep(stage.random.between(200, 9_000));
  stage.start(node.name);
}

export async function pause(stage: Stage): Promise<void> {
  await pauseFor(stage, stage.random.between(500, 12_000));
}

/** Pauses a node for longer than a lease lasts. */
export async function longPause(stage: Stage): Promise<void> {
  await pauseFor(stage, stage.random.between(6_000, 12_000));
}

async function pauseFor(stage: Stage, lengthMs: number): Promise<void> {
  const node = someNode(stage);
  if (node.process.pausedUntil > stage.world.now) return;
  node.process.pausedUntil = stage.world.now + lengthMs;
  pesterAtWaking(stage, node, lengthMs);
  await stage.world.sleep(lengthMs * stage.random.fraction());
}

/** Sends requests to a node repeatedly, from a moment before it resumes until after its next read of the cluster. */
function pesterAtWaking({ world, random, pester }: Stage, node: SimulatedNode, lengthMs: number): void {
  for (let at = -1; at < PESTERED_TIMES; at++) {
    const delayMs = Math.max(0, lengthMs + (at < 0 ? -1 : at ** 3 + random.fraction()));
    world.at(delayMs, undefined, () => pester(node));
  }
}

/**
 * Makes a node's wall clock step, ahead more often than back, and corrects it a moment later. Not while the node is
 * stunned: a clock that is set back meanwhile hides the stun.
 */
export async function stepClock(stage: Stage): Promise<void> {
  const { process } = someNode(stage);
  if (process.pausedUntil > stage.world.now) return;
  // One step exceeds the hour for which idempotency keys are remembered.
  const stepMs = stage.random.pick([20_000, 20_000, 7_200_000, -20_000]);
  process.skewMs += stepMs;
  await stage.world.sleep(stage.random.between(1_000, 4_000));
  process.skewMs -= stepMs;
}

/** Stops a virtual machine with its monotonic clock, sometimes for longer than its lease. */
export async function stun(stage: Stage): Promise<void> {
  await stunFor(stage, someNode(stage), stage.random.between(5_000, 14_000));
}

/** Stops a virtual machine with its wall clock, too: nothing shows it how long it stood still. */
export async function blindStun(stage: Stage): Promise<void> {
  const node = someNode(stage);
  const lengthMs = stage.random.between(7_000, 14_000);
  if (node.process.pausedUntil > stage.world.now) return;
  node.process.skewMs -= lengthMs;
  await stunFor(stage, node, lengthMs);
}

/** Not a node that is stopped already: events that wait for its first waking would come after the second. */
async function stunFor(stage: Stage, node: SimulatedNode, lengthMs: number): Promise<void> {
  if (node.process.pausedUntil > stage.world.now) return;
  node.process.stun(stage.world.now, lengthMs);
  pesterAtWaking(stage, node, lengthMs);
  await stage.world.sleep(lengthMs * stage.random.fraction());
}

export async function partition(stage: Stage): Promise<void> {
  const [a, b] = [someNode(stage).name, someNode(stage).name];
  stage.network.partition(a, b, true);
  await stage.world.sleep(stage.random.between(500, 5_000));
  stage.network.partition(a, b, false);
}

/** Disconnects a node from the bus, which it notices; sometimes for longer than a handover of its shards takes. */
export async function unplug(stage: Stage): Promise<void> {
  const { name } = someNode(stage);
  stage.network.unplug(name, true);
  await stage.world.sleep(stage.random.between(500, 9_000));
  stage.network.unplug(name, false);
}

export async function drain(stage: Stage): Promise<void> {
  const node = someNode(stage);
  if (!node.ready) return;
  let ended = false;
  void node.drain().then(() => {
    ended = true;
  });
  for (let waits = 0; waits < 60 && !ended; waits++) await stage.world.sleep(250);
  node.crash();
  stage.start(node.name);
}

export async function storeTrouble({ storeFaults, store, world, random }: Stage): Promise<void> {
  Object.assign(storeFaults, { failChance: 0.1, ambiguousChance: 0.1, lateChance: 0.05, delayMs: [1, 60] });
  await world.sleep(random.between(500, 3_000));
  calm(storeFaults);
  Object.assign(storeFaults, store);
}

/** Delays the answers to one node's renewals, then drops them, while its other reads and writes work. */
export async function leaseTrouble(stage: Stage): Promise<void> {
  const { storeFaults, world } = stage;
  storeFaults.paxosVictim = someNode(stage).name;
  storeFaults.paxosLateUntilMs = world.now + 4_000;
  await world.sleep(12_000);
  storeFaults.paxosVictim = undefined;
  await world.sleep(3_000);
}
