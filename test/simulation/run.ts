import { accountKind } from '../../actors/account/account.js';
import { conversationKind } from '../../actors/conversation/conversation.js';
import { makeId, SHARDS } from '../../actors/domain/ids.js';
import { ASK_TIMEOUT_MS } from '../../actors/runtime/kind.js';
import type { HomeRings } from '../../actors/timelines/home-rings.js';
import { type LeaseRules, leaseRules } from '../../cluster/lease.js';
import { codec } from '../../proto/codec.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import type { Tables } from '../../store/port.js';
import { backlog, statuses } from '../../store/tables.js';
import { silentMailbox } from '../kit/silent-mailbox.js';
import { noUploads } from '../kit/uploads.js';
import { Client } from './client.js';
import { invariants } from './invariants.js';
import { LastWriteWins } from './last-write.js';
import { Ledger } from './ledger.js';
import { calm, type Profile, torment } from './nemesis.js';
import { Network } from './network.js';
import { DRIFT_MAX, type Ground, SimulatedNode, unbent } from './node.js';
import { SimulatedPeers } from './peers.js';
import type { StoreFaults } from './store.js';
import { SeededRandom, World } from './world.js';

export interface SimulationOptions {
  readonly seed: number;
  readonly profile?: Profile;
  /** A planted bug: other lease rules, or a bent store and journal. */
  readonly rules?: Partial<LeaseRules>;
  readonly bend?: Ground['bend'];
  readonly log?: (line: string) => void;
}

export interface SimulationResult {
  /** What does not hold; empty when all is well. */
  readonly faults: readonly string[];
  readonly asked: number;
  readonly answered: number;
  readonly posts: number;
  readonly events: number;
}

const NODES = 3;
const ACCOUNTS = 5;
/** World time of clients and faults together. */
const STORY_MS = 20_000;
/** World time within which all nodes are ready, and all effects done, once nothing goes wrong any more. */
const SETTLE_MS_MAX = 180_000;

/**
 * What a client has given up waiting for, at the story's end at the latest, may be carried out so much later: its node
 * goes on looking for the actor's owner, who has an attempt's time for it, both by clocks that may be slow, and its
 * messages take their way. Homes are not compared while one may change.
 */
const LATE_MS = (ASK_TIMEOUT_MS + 5_000) * (1 + 2 * DRIFT_MAX) + 500;

const commandCodec = codec('murmuration.node.ActorCommand');

/** One life of a small cluster on one event loop, wholly determined by its seed. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, profile = 'everything', log = () => undefined } = options;
  const random = new SeededRandom(seed);
  const nodes = new Map<string, SimulatedNode>();
  const world = new World(() => [...nodes.values()].some((node) => node.process.alive && !node.runtime.idle()));
  const storeFaults = { paxosLateUntilMs: 0, paxosMs: 0 } as StoreFaults;
  calm(storeFaults);
  const faults = { dropChance: 0.01, repeatChance: 0.05, delayMs: [0.2, 4] as const };
  const network = new Network(world, random.fork(), faults, isEffect);
  const shared = new MemoryTables();
  const ground: Ground = {
    world,
    network,
    peers: new SimulatedPeers(network, (delayMs, process, action) => world.at(delayMs, process, action)),
    shared,
    writes: new LastWriteWins(shared),
    storeFaults,
    kinds,
    rules: { ...leaseRules, ...options.rules },
    log,
    bend: options.bend ?? unbent,
  };
  const begin = (name: string) => {
    const node = new SimulatedNode(name, ground, random.fork());
    nodes.set(name, node);
    startUntilUp(node, world);
  };
  for (let index = 1; index <= NODES; index++) begin(`node${index}`);
  const allReady = () => [...nodes.values()].every((node) => node.ready);
  await until(world, 'every node to be ready', allReady);

  const ledger = new Ledger();
  const living = () => [...nodes.values()];
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    makeId(1_767_000_000_000 + index, random.between(0, SHARDS - 1), 0),
  );
  const register = Promise.all(accounts.map((id, index) => registered(living()[0] as SimulatedNode, id, index)));
  await world.complete(register, SETTLE_MS_MAX);
  const endMs = world.now + STORY_MS;
  const isThere = async (status: string) => (await shared.get(statuses, { status })) !== undefined;
  const clients = accounts.map((id) => new Client(id, accounts, world, living, random.fork(), ledger, isThere));
  const stage = { world, network, storeFaults, random: random.fork(), nodes, start: begin };
  await world.complete(Promise.all([...clients.map((c) => c.live(endMs)), torment(stage, profile, endMs)]), 120_000);
  await until(world, 'every node to be ready again', allReady);
  await world.run(Math.max(world.now, endMs + LATE_MS), () => false);
  // What a client was not answered may stand in a journal with its effects still to be done: an actor does them once it is
  // awake, and reading its home wakes it.
  const awake = Promise.allSettled(accounts.map((id) => (living()[0] as SimulatedNode).runtime.ask(...wakingUp(id))));
  await world.complete(awake, SETTLE_MS_MAX);
  const owed = () => effectsOwed(ground.shared);
  await world.run(world.now + 500, () => false);
  for (let waitedMs = 0; waitedMs < SETTLE_MS_MAX && (await owed()).length > 0; waitedMs += 500) {
    await world.run(world.now + 500, () => false);
  }
  for (const actor of await owed()) log(`${world.now.toFixed(0)} owes effects: ${actor}`);
  const found = await world.complete(
    invariants({ shared: ground.shared, ledger, accounts, world, nodes: living(), owed: (await owed()).length }),
    SETTLE_MS_MAX,
  );
  for (const node of nodes.values()) node.crash();
  return {
    faults: found,
    asked: ledger.asked,
    answered: ledger.answered,
    posts: ledger.posts.length,
    events: world.eventsRun,
  };
}

const kinds = (tables: Tables, rings: HomeRings) => [
  accountKind({
    baseUrl: 'http://simulated',
    tables,
    rings,
    media: noUploads,
  }),
  conversationKind(),
  silentMailbox(),
];

function isEffect(payload: Uint8Array): boolean {
  return commandCodec.decode(payload).cause !== undefined;
}

function startUntilUp(node: SimulatedNode, world: World): void {
  node.start().catch(() => {
    world.at(500, node.process, () => startUntilUp(node, world));
  });
}

async function until(world: World, what: string, state: () => boolean): Promise<void> {
  await world.run(world.now + SETTLE_MS_MAX, state);
  if (!state()) throw new Error(`waited in vain for ${what}`);
}

async function registered(node: SimulatedNode, id: string, index: number): Promise<void> {
  const username = `person${index}`;
  const input = {
    username,
    email: `${username}@example.org`,
    passwordHash: 'none',
    role: 'user',
    confirmed: true,
    approved: true,
    locale: 'en',
  };
  const reply = await node.runtime.ask('account', id, 'register', input).catch(() => undefined);
  if (reply === undefined) await registered(node, id, index);
}

const wakingUp = (id: string) => ['account', id, 'home', { knownVersion: 0, upwards: false, limit: 0 }] as const;

/** Backlog rows of actors that may still have effects to do. */
async function effectsOwed(shared: Tables): Promise<string[]> {
  const owed: string[] = [];
  for (let shard = 0; shard < SHARDS; shard++) {
    for (const row of await shared.range(backlog, { shard }, { limit: 100 })) owed.push(row.key.actor);
  }
  return owed;
}
