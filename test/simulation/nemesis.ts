import type { Network } from './network.js';
import type { SimulatedNode } from './node.js';
import type { StoreFaults } from './store.js';
import type { SeededRandom, World } from './world.js';

/** What goes wrong: a little of everything but clocks; renewals of leases; clocks that step and machines that are stunned. */
export type Profile = 'everything' | 'leases' | 'clocks';

interface Stage {
  readonly world: World;
  readonly network: Network;
  readonly storeFaults: StoreFaults;
  readonly random: SeededRandom;
  /** Living nodes, by name. */
  readonly nodes: Map<string, SimulatedNode>;
  /** Starts the named node anew. */
  readonly start: (name: string) => void;
}

/** Breaks things until `untilMs`, then mends all and sees that every node runs. */
export async function torment(stage: Stage, profile: Profile, untilMs: number): Promise<void> {
  const { world, random } = stage;
  const actions = {
    everything: [crash, pause, partition, unplug, drain, storeTrouble],
    leases: [leaseTrouble],
    clocks: [stepClock, stepClock, stun, drain, drain, partition, crash],
  }[profile];
  while (world.now < untilMs) {
    await random.pick(actions)(stage);
    await world.sleep(random.between(300, 2_500));
  }
  stage.network.mend();
  calm(stage.storeFaults);
  for (const node of stage.nodes.values()) node.process.resume(world.now);
}

export function calm(faults: StoreFaults): void {
  Object.assign(faults, {
    failChance: 0,
    ambiguousChance: 0,
    lateChance: 0,
    delayMs: [0.2, 3],
    paxosVictim: undefined,
  });
}

const someNode = ({ nodes, random }: Stage): SimulatedNode => random.pick([...nodes.values()]);

async function crash(stage: Stage): Promise<void> {
  const node = someNode(stage);
  node.crash();
  await stage.world.sleep(stage.random.between(200, 9_000));
  stage.start(node.name);
}

async function pause(stage: Stage): Promise<void> {
  const lengthMs = stage.random.between(500, 12_000);
  someNode(stage).process.pausedUntil = stage.world.now + lengthMs;
  await stage.world.sleep(lengthMs * stage.random.fraction());
}

/**
 * A node's wall clock steps, ahead more often than back, and is put right a moment later. Not while the node is stunned:
 * when its clock is set back in that time, no clock of it shows the stun.
 */
async function stepClock(stage: Stage): Promise<void> {
  const { process } = someNode(stage);
  if (process.pausedUntil > stage.world.now) return;
  // Below the hour for which idempotency keys are remembered, by the wall clock.
  const stepMs = stage.random.pick([20_000, 20_000, 1_800_000, -20_000]);
  process.skewMs += stepMs;
  await stage.world.sleep(stage.random.between(1_000, 4_000));
  process.skewMs -= stepMs;
}

/** A virtual machine stands still with its monotonic clock, longer than its lease at times. */
async function stun(stage: Stage): Promise<void> {
  const lengthMs = stage.random.between(5_000, 14_000);
  someNode(stage).process.stun(stage.world.now, lengthMs);
  await stage.world.sleep(lengthMs * stage.random.fraction());
}

async function partition(stage: Stage): Promise<void> {
  const [a, b] = [someNode(stage).name, someNode(stage).name];
  stage.network.partition(a, b, true);
  await stage.world.sleep(stage.random.between(500, 5_000));
  stage.network.partition(a, b, false);
}

/** The bus does not reach a node, which knows it; longer than it takes to hand its shards over, at times. */
async function unplug(stage: Stage): Promise<void> {
  const { name } = someNode(stage);
  stage.network.unplug(name, true);
  await stage.world.sleep(stage.random.between(500, 9_000));
  stage.network.unplug(name, false);
}

async function drain(stage: Stage): Promise<void> {
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

async function storeTrouble({ storeFaults, world, random }: Stage): Promise<void> {
  Object.assign(storeFaults, { failChance: 0.1, ambiguousChance: 0.1, lateChance: 0.05, delayMs: [1, 60] });
  await world.sleep(random.between(500, 3_000));
  calm(storeFaults);
}

/** One node's renewals are answered late, then not at all, while it goes on reading and writing. */
async function leaseTrouble(stage: Stage): Promise<void> {
  const { storeFaults, world } = stage;
  storeFaults.paxosVictim = someNode(stage).name;
  storeFaults.paxosLateUntilMs = world.now + 4_000;
  await world.sleep(12_000);
  storeFaults.paxosVictim = undefined;
  await world.sleep(3_000);
}
