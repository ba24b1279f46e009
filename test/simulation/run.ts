import { makeId, SHARDS } from '../../actors/domain/ids.js';
import { POLL_MS_MIN } from '../../actors/domain/poll-rules.js';
import type { DeliveryContext } from '../../actors/federation/delivery/pass.js';
import { accountKind } from '../../actors/kinds/account.js';
import { conversationKind } from '../../actors/kinds/conversation.js';
import { pushKind } from '../../actors/kinds/push.js';
import { remoteHostKind } from '../../actors/kinds/remote-host.js';
import type { PushContext } from '../../actors/reactions/push.js';
import { ASK_TIMEOUT_MS } from '../../actors/runtime/kind.js';
import type { HomeRings } from '../../actors/timelines/home-rings.js';
import { leaseRules } from '../../cluster/lease.js';
import { codec } from '../../proto/codec.js';
import type { Tables } from '../../store/port.js';
import { statuses } from '../../store/tables.js';
import { noUploads } from '../kit/actors/no-uploads.js';
import { silentMailbox } from '../kit/actors/test-mailbox.js';
import { Admirer, describeStar } from './admirers.js';
import { Client } from './client.js';
import { simulateEmbedded } from './embedded.js';
import { calm, torment } from './faults/nemesis.js';
import type { PlantedFault } from './faults/planted-fault.js';
import { judgeDeliveries } from './invariants/invariants-deliveries.js';
import { snapshotsAreCaches } from './invariants/invariants-journal.js';
import { watchTokens } from './invariants/invariants-owners.js';
import { pushesArrive, type Subscriptions } from './invariants/invariants-pushes.js';
import { judge, judgeSchedules } from './invariants/judge.js';
import { type SimulationResult, Violations } from './invariants/violations.js';
import { Ledger } from './ledger.js';
import { DRIFT_MAX, type Ground, SimulatedNode } from './node.js';
import { Owner } from './owner.js';
import { lastDueMs, Planner } from './planners.js';
import { Pollsters } from './pollsters.js';
import { type Profile, type ProfileRules, profiles } from './profiles.js';
import { Readers } from './readers.js';
import { Requests } from './requests.js';
import { SimulatedCassandra, type StoreFaults } from './services/cassandra-session.js';
import { Network } from './services/network.js';
import { SimulatedPeers } from './services/peers.js';
import { SimulatedPushServices } from './services/push-services.js';
import { SimulatedServer } from './services/remote-server.js';
import { subscribed } from './subscribers.js';
import { Watch } from './watch.js';
import { SeededRandom, World } from './world.js';

export interface SimulationOptions {
  readonly seed: number;
  readonly profile?: Profile;
  readonly planted?: Pick<PlantedFault, 'plant' | 'rules'>;
  readonly log?: (line: string) => void;
}

const NODES = 3;
/** Added to a life's seed for its push services, so that lives without pushes stay as they are. */
const PUSHES_SEED = 1_000_000;
/** The same for the other server. */
const DELIVERIES_SEED = 2_000_000;
/** World time within which all nodes become ready after the last fault. */
const READY_MS_MAX = 180_000;

/** Time before the last due time of a scheduled status at which the nodes start again: most are overdue then. */
const LAST_DUE_MS = 10_000;

/**
 * Time after a client's timeout, at the story's end at the latest, within which its request may still be carried out:
 * its node searches for the actor's owner, who then has the time of one attempt, both by clocks that may be slow, and
 * messages travel. Homes are not compared while one may change.
 */
const LATE_MS = (ASK_TIMEOUT_MS + 5_000) * (1 + 2 * DRIFT_MAX) + 500;

const commandCodec = codec('murmuration.node.ActorCommand');

/** Runs one life of a small cluster or of an embedded store on one event loop, determined entirely by its seed. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, profile = 'everything', planted = {}, log = () => undefined } = options;
  if (profile === 'embedded') return simulateEmbedded(seed, planted.plant?.() ?? {});
  const rules: ProfileRules = profiles[profile];
  const random = new SeededRandom(seed);
  const nodes = new Map<string, SimulatedNode>();
  const living = () => [...nodes.values()];
  const world = new World(() => living().some((node) => node.process.alive && !node.runtime.idle()));
  const violations = new Violations(rules.judged);
  const ground = groundOf(world, random, options, new Watch(world, violations));
  const begin = (name: string) => {
    void SimulatedNode.open(name, ground, random.fork()).then((node) => {
      nodes.set(name, node);
      startUntilUp(node, world);
    });
  };
  for (let index = 1; index <= NODES; index++) begin(`node${index}`);
  const allReady = () => until(world, () => unreadiness(living()));
  /** No node lives through the skipped time. */
  const skip = async (lengthMs: number) => {
    for (const node of living()) node.crash();
    world.skip(lengthMs);
    for (const name of nodes.keys()) begin(name);
    await allReady();
  };
  const ledger = new Ledger();
  try {
    await allReady();
    const accounts = accountIds(rules.accounts, random);
    const first = living()[0] as SimulatedNode;
    await world.complete(Promise.all(accounts.map((id, index) => registered(first, id, index))), READY_MS_MAX);
    const subscriptions = await outsideOf(rules, first, accounts, world);
    const pollsters = new Pollsters(accounts, world, living, random.fork());
    await world.complete(pollsters.begin(), READY_MS_MAX);
    const requests = () => new Requests(world, living, random.fork(), ledger, rules.habits);
    const planners = accounts.map((id) => new Planner(id, requests(), world, random.fork(), ledger, rules.storyMs));
    await world.complete(Promise.all(planners.map((planner) => planner.begin())), READY_MS_MAX);
    await skip(POLL_MS_MIN);
    const endMs = world.now + rules.storyMs;
    const { shared, storeFaults, network } = ground;
    const people = { accounts, world, requests, random, ledger };
    const { clients, owners, admirers } = inhabitants(people, shared, rules);
    const pester = (node: SimulatedNode) => {
      if (world.now < endMs) for (const client of clients) client.pester(node);
    };
    const store = rules.store ?? {};
    const stage = { world, network, storeFaults, random: random.fork(), nodes, start: begin, pester, store };
    if (rules.checksSnapshots) checkSnapshots(ground, violations, endMs);
    const readers = new Readers(world, living, random.fork(), ledger);
    const lives = [...clients, ...owners, ...planners, ...admirers, pollsters, readers].map((one) => one.live(endMs));
    void watchTokens(world, shared, ledger, violations, endMs + LATE_MS);
    lives.push(torment(stage, rules.actions, endMs, random.chance(rules.endsInCrashChance)));
    await world.complete(Promise.all(lives), READY_MS_MAX);
    await allReady();
    await world.run(Math.max(world.now, endMs + LATE_MS), () => false);
    const ended = () => ({ shared, ledger, accounts, world, nodes: living(), polls: pollsters.asked, violations });
    await judge(ended(), ground, log);
    if (rules.deliveries) await judgeDeliveries(ended(), ground.server);
    if (subscriptions !== undefined) await pushesArrive(ended(), ground, subscriptions);
    if (violations.isJudged('schedulesAreKept')) {
      await skip(untilLastDueMs(ledger, world));
      await judgeSchedules(ended(), ground);
    }
  } catch (error) {
    violations.report('everythingComesToRest', String(error));
  }
  for (const node of nodes.values()) node.crash();
  return { violations: violations.found, asked: ledger.asked, answered: ledger.answered, events: world.eventsRun };
}

/** Makes the outside known to the accounts. Returns their push subscriptions, if they have any. */
async function outsideOf(
  rules: ProfileRules,
  node: SimulatedNode,
  accounts: readonly string[],
  world: World,
): Promise<Subscriptions | undefined> {
  if (rules.deliveries) await world.complete(describeStar(node), READY_MS_MAX);
  if (!rules.pushes) return undefined;
  const ids = await world.complete(Promise.all(accounts.map((account) => subscribed(node, account))), READY_MS_MAX);
  return new Map(accounts.map((account, index) => [account, ids[index] ?? []]));
}

const accountIds = (count: number, random: SeededRandom) =>
  Array.from({ length: count }, (_, index) => makeId(1_767_000_000_000 + index, random.between(0, SHARDS - 1), 0));

/** Returns the reason why not all nodes are ready; undefined when they are. */
function unreadiness(nodes: readonly SimulatedNode[]): string | undefined {
  if (nodes.length < NODES) return 'not all nodes are there';
  const unready = nodes.find((node) => !node.ready);
  return unready && `${unready.name}: ${unready.unreadyFor}`;
}

const untilLastDueMs = (ledger: Ledger, world: World) => Math.max(0, lastDueMs(ledger) - world.wallMs - LAST_DUE_MS);

interface People {
  readonly accounts: readonly string[];
  readonly world: World;
  readonly requests: () => Requests;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
}

/** Returns a client and an owner of each account, and one who follows an account of another server. */
function inhabitants({ accounts, world, requests, random, ledger }: People, shared: Tables, rules: ProfileRules) {
  const isThere = async (status: string) => (await shared.get(statuses, { status })) !== undefined;
  const clients = accounts.map(
    (id) => new Client(id, accounts, world, requests(), random.fork(), ledger, rules.habits, isThere),
  );
  const owners = accounts.map((id) => new Owner(id, requests(), world, random.fork(), ledger));
  const admiring = rules.deliveries ? accounts : [];
  const admirers = admiring.map((id) => new Admirer(id, requests(), world, random.fork()));
  return { clients, owners, admirers };
}

/** Interval of comparisons between snapshots and journals. */
const CHECK_MS = 1_000;

function checkSnapshots(ground: Ground, violations: Violations, untilMs: number): void {
  const { world } = ground;
  const again = () => {
    void snapshotsAreCaches(ground, violations);
    if (world.now < untilMs) world.at(CHECK_MS, undefined, again);
  };
  again();
}

function groundOf(
  world: World,
  random: SeededRandom,
  { seed, planted = {}, log = () => undefined }: SimulationOptions,
  watch: Watch,
): Ground {
  const storeFaults = { paxosLateUntilMs: 0, paxosMs: 0 } as StoreFaults;
  calm(storeFaults);
  const faults = { dropChance: 0.01, repeatChance: 0.05, delayMs: [0.2, 4] as const };
  const network = new Network(world, random.fork(), faults, isEffect);
  const writes = new SimulatedCassandra();
  return {
    world,
    network,
    peers: new SimulatedPeers(network, (delayMs, process, action) => world.at(delayMs, process, action)),
    shared: writes.tables,
    writes,
    storeFaults,
    kinds,
    pushServices: new SimulatedPushServices(world, new SeededRandom(seed + PUSHES_SEED)),
    server: new SimulatedServer(world, new SeededRandom(seed + DELIVERIES_SEED)),
    rules: { ...leaseRules, ...planted.rules },
    log,
    watch,
    plant: planted.plant ?? (() => ({})),
  };
}

const kinds = (tables: Tables, rings: HomeRings, pushes: PushContext, deliveries: DeliveryContext) => [
  accountKind({
    baseUrl: 'http://simulated',
    domain: 'here.example',
    tables,
    rings,
    media: noUploads,
  }),
  conversationKind(),
  silentMailbox(),
  pushKind(pushes),
  remoteHostKind(deliveries),
];

function isEffect(payload: Uint8Array): boolean {
  return commandCodec.decode(payload).cause !== undefined;
}

function startUntilUp(node: SimulatedNode, world: World): void {
  node.start().catch(() => {
    world.at(500, node.process, () => startUntilUp(node, world));
  });
}

/** Interval of readiness checks, each of which examines all shards. */
const READY_LOOK_MS = 20;

/** Runs the world until a state is reached. @param hindrance returns undefined once the state is reached */
async function until(world: World, hindrance: () => string | undefined): Promise<void> {
  let lookedMs = Number.NEGATIVE_INFINITY;
  await world.run(world.now + READY_MS_MAX, () => {
    if (world.now - lookedMs < READY_LOOK_MS) return false;
    lookedMs = world.now;
    return hindrance() === undefined;
  });
  const left = hindrance();
  if (left !== undefined) throw new Error(`not every node became ready: ${left}`);
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
