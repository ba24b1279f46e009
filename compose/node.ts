import type { Logger as PinoLogger } from 'pino';
import { SHARDS } from '../actors/domain/ids.js';
import type { DeliveryFigures } from '../actors/federation/delivery/figures.js';
import type { WaitingActivities } from '../actors/federation/inbox/waiting.js';
import type { Stamps } from '../actors/federation/remote/stamps.js';
import type { MailFigures } from '../actors/mail/mail-figures.js';
import type { PushFigures } from '../actors/push/figures.js';
import type { Commands as HostCommands } from '../actors/remote-host/remote-host.js';
import { Alarms } from '../actors/runtime/effects/alarms.js';
import { askerOf, type TypedAsk } from '../actors/runtime/kind.js';
import type { Runtime } from '../actors/runtime/runtime.js';
import type { HomeRings } from '../actors/timelines/home-rings.js';
import { Publications } from '../actors/timelines/publications.js';
import type { Settings } from '../cli/settings.js';
import { AddressBlocks } from '../gateway/http/limits/address-blocks.js';
import type { Services } from '../gateway/http/services.js';
import type { BlockLists } from '../gateway/moderation/block-lists.js';
import { PersonalImports } from '../gateway/routes/html/settings/importing.js';
import { allRoutes } from '../gateway/routes/index.js';
import { type Server, startServer } from '../gateway/server.js';
import { streamSources } from '../gateway/timelines/sources.js';
import type { NodeNodeStatus } from '../proto/gen/types.js';
import type { CacheFigures } from '../store/cache/cache.js';
import type { BusCounts } from '../transport/bus.js';
import type { FederationFigures } from '../transport/federation/figures.js';
import type { PeerCounts } from '../transport/grpc/peer-server.js';
import type { OperatorService } from '../transport/peer.js';
import { type Outside, openKinds, openOutside, openRuntime } from './actors.js';
import { type NodeBase, openBase } from './base.js';
import { closeDataFolder } from './data-folder.js';
import { openBlockLists } from './federation/block-lists.js';
import { fanOut, makeHomeRings, makePublicRing, withPublications, withRings } from './home-rings.js';
import { type Membership, openMembership } from './membership.js';
import { LoadSamples } from './operating/load-samples.js';
import { nodeLoad } from './operating/node-load.js';
import { operatorOf } from './operating/operator.js';
import { UNHEARD_MS } from './peer-liveness.js';
import { type GatewayParts, openServices } from './services.js';
import { withAlarms } from './shard-hosts.js';

/** A running node, as the process or a test uses it. */
export interface Node {
  readonly services: Services;
  readonly runtime: Runtime;
  /** The load of the last minutes. */
  readonly samples: LoadSamples;
  /** Home timelines of the accounts that live on this node. */
  readonly rings: HomeRings;
  /** Counts of the pushes that this node has sent. */
  readonly pushes: PushFigures;
  /** Counts of the requests of this node to other servers. */
  readonly federation: FederationFigures;
  /** Asks the actor of another host, by hostId. */
  readonly askHost: TypedAsk<HostCommands>;
  /** Returns the number of received activities that wait for a fetch on this node. */
  waitingInbox(): number;
  /** Lists of domain blocks to which operators subscribe. */
  readonly blockLists: BlockLists;
  /** Counts of the activities that this node delivers, and those that wait. */
  readonly delivery: DeliveryFigures;
  /** Counts of the verified stamps of other servers, by type and result. */
  readonly stamps: Stamps['figures'];
  /** Mails that this node has sent, and those that wait. */
  readonly mails: { readonly figures: MailFigures; waiting(): ReturnType<MailFigures['waiting']> };
  /** Undefined until it listens. */
  readonly server: Server | undefined;
  /** Starts to serve HTTP; everything that must be available then has to be ready before. Call it once. */
  listen(): Promise<void>;
  status(): NodeNodeStatus;
  /** Returns the shards that this node owns, ascending. */
  shards(): number[];
  /** Returns the load of the node at an address; absent where there are never other nodes. @throws Unavailable */
  readonly loadAt: Membership['loadAt'] | undefined;
  readonly figures: NodeFigures;
  ready(): boolean;
  /**
   * Ends the node in order. Every answer from now on closes its connection. Shards are handed to other nodes while this
   * node still listens; then listening stops, requests in flight are answered, streams close with a hint to reconnect,
   * and the store closes. A node that cannot hand its shards over answers the requests first.
   * @param withinMs bounds the wait for requests in flight; default NODE_DRAIN_MS
   */
  drain(withinMs?: number): Promise<void>;
}

/** Figures for the metrics besides those of the runtime and of the home timelines. */
export interface NodeFigures {
  caches(): readonly CacheFigures[];
  /** Undefined where no message crosses a network. */
  bus(): BusCounts | undefined;
  /** Undefined on an embedded node, which has no peers. */
  peers(): PeerCounts | undefined;
}

export interface NodeOptions {
  /** Called when a peer or an operator requests the drain. */
  readonly onDrainAsked?: () => void;
  /** Called when the node may not take part any more; the process ends with the error's one line. */
  readonly onRefused?: (why: Error) => void;
  /** Returns true when the process was asked to end during its start: all waits then end. */
  readonly isStopping?: () => boolean;
  /** Handles other operations that operators request over the network. */
  readonly onOperation?: OperatorService;
}

/** Default bound of a drain; a process that got SIGTERM has 15 s. */
const NODE_DRAIN_MS = 14_000;
/** Part of a drain's time that is reserved for closing runtime, bus and store after the last answer. */
const CLOSE_MS = 1_000;
/** Additional reserve for the snapshots of a node that keeps its shards until its requests are answered. */
const RELEASE_MS = 2_000;

/**
 * Builds and starts a node: actors and store, without listening yet. @throws Unavailable when store or bus cannot be
 * reached
 */
export async function startNode(settings: Settings, logger: PinoLogger, options: NodeOptions = {}): Promise<Node> {
  await closeDataFolder(settings.DATA_DIR, logger);
  const base = await openBase(settings, logger, options.isStopping);
  const { tables, bus, clock, random, placement, stamps, timestamps, cluster } = base;
  const outside = await openOutside(base);
  const timelines = { tables, clock, placement, log: logger.child({ part: 'timelines' }) };
  const rings = makeHomeRings({ ...timelines, bus: cluster && bus });
  const publicRing = makePublicRing(tables, timelines.log);
  const homes: Parameters<typeof fanOut>[0][number][] = [rings];
  const published = new Publications(stamps);
  await fanOut(homes, publicRing, published, bus);
  const kinds = await openKinds(base, outside, rings, published);
  const runtime = openRuntime(base, kinds, (alarm) => alarms.wasSet(alarm));
  const samples = new LoadSamples(clock, runtime.metrics);
  const alarms = new Alarms({ tables, asker: runtime, placement, clock, logger: logger.child({ part: 'alarms' }) });
  let waiting: WaitingActivities | undefined;
  let node: Node | undefined;
  const membership = await openMembership(settings, {
    ...{ tables, bus, clock, random, logger, runtime, load: () => nodeLoad(node) },
    host: withAlarms(withRings(withPublications(runtime, published), rings), {
      shardsChanged() {
        alarms.shardsChanged();
        waiting?.shardsChanged();
      },
    }),
    stampedMs: () => Math.max(runtime.mintedMs(), timestamps.reachedMs),
    placed: (owners) => placement.fill(owners),
    ...options,
  });
  const operator = operatorOf(() => node);
  const gateway = await openServices(base, outside, kinds, runtime, publicRing, operator);
  if (gateway.guests !== undefined) homes.push(gateway.guests);
  waiting = gateway.waiting;
  const blockLists = openBlockLists(base, outside, gateway.services);
  for (const upkeep of [alarms, waiting, outside.proxied.files, blockLists, samples]) upkeep.start();
  watchMembers(base, membership);
  let server: Server | undefined;
  const parts = { base, outside, runtime, samples, alarms, waiting, blockLists, membership };
  node = {
    services: gateway.services,
    runtime,
    samples,
    rings,
    pushes: outside.pushes,
    federation: outside.federation.client.figures,
    delivery: outside.federation.delivery,
    stamps: outside.federation.stamps.figures,
    askHost: askerOf(kinds.host, runtime),
    blockLists,
    waitingInbox: () => gateway.waiting.size,
    mails: { figures: kinds.mailFigures, waiting: () => kinds.mailFigures.waiting(clock.nowMs()) },
    get server() {
      return server;
    },
    async listen() {
      server = await openServer(base, outside, membership, gateway, published);
    },
    status: membership.status,
    loadAt: membership.loadAt,
    shards: () => ALL_SHARDS.filter((shard) => placement.epochOf(shard) !== undefined),
    figures: figuresOf(base, membership),
    ready: () => membership.readiness().ready,
    drain: (withinMs = NODE_DRAIN_MS) => drain(parts, server, withinMs),
  };
  return node;
}

const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);

function watchMembers({ cluster }: NodeBase, { members }: Membership): void {
  if (members === undefined) return;
  cluster?.liveness.watch(members);
  cluster?.barrier.watch(members);
}

const figuresOf = ({ caches, bus }: NodeBase, membership: Membership): NodeFigures => ({
  caches: () => caches.figures(),
  bus: () => bus.counts?.(),
  peers: () => membership.refusedCalls?.(),
});

async function openServer(
  { settings, bus, logger, cluster }: NodeBase,
  { imports }: Pick<Outside, 'imports'>,
  { readiness, cutOff }: Membership,
  { services, source }: GatewayParts,
  published: Publications,
): Promise<Server> {
  const relationsAgeMaxMs = () => (cluster?.liveness.hearsAll() === false ? UNHEARD_MS : Number.POSITIVE_INFINITY);
  const server = await startServer({
    routes: allRoutes,
    services,
    bus,
    streams: streamSources(services, published),
    bind: settings.BIND,
    port: Number(settings.PORT),
    blocked: await AddressBlocks.open(source),
    trustedProxies: (settings.TRUSTED_PROXIES ?? 'loopback').split(',').map((item) => item.trim()),
    logger: logger.child({ part: 'gateway' }),
    ready: () => readiness().ready,
    ...(cutOff === undefined ? {} : { cutOff }),
    ...(cluster && { relationsAgeMaxMs }),
  });
  imports.fill(new PersonalImports(services, server.apiFor));
  return server;
}

interface DrainedParts {
  readonly base: NodeBase;
  readonly outside: Outside;
  readonly runtime: Runtime;
  readonly samples: LoadSamples;
  readonly alarms: Alarms;
  readonly waiting: WaitingActivities;
  readonly blockLists: BlockLists;
  readonly membership: Membership;
}

/** Hands the shards over, answers requests in flight and closes everything, see Node. */
async function drain(parts: DrainedParts, server: Server | undefined, withinMs: number): Promise<void> {
  const { base, outside, runtime, samples, alarms, waiting, blockLists, membership } = parts;
  const { clock, cluster, bus, tables } = base;
  const deadlineMs = clock.monotonicMs() + withinMs - CLOSE_MS;
  const finishRequests = async (reserveMs: number) =>
    server?.drain(Math.max(0, deadlineMs - reserveMs - clock.monotonicMs()));
  samples.close();
  alarms.close();
  waiting.close();
  blockLists.close();
  outside.proxied.files.close();
  server?.announceDrain();
  // Requests in flight need their shards: on another node, or on this one until they are answered.
  const isHandingOver = membership.hasSuccessor();
  if (!isHandingOver) await finishRequests(RELEASE_MS);
  await membership.leave();
  if (isHandingOver) await finishRequests(0);
  await server?.close();
  cluster?.liveness.close();
  cluster?.barrier.close();
  runtime.close();
  await membership.close();
  await Promise.all([
    outside.web.close(),
    outside.proxied.client.close(),
    outside.push.close(),
    outside.federation.client.close(),
  ]);
  outside.parsers.close();
  await bus.close();
  await tables.close();
}
