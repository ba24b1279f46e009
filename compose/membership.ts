import { readFile } from 'node:fs/promises';
import type { Logger as PinoLogger } from 'pino';
import type { Clock, Random } from '../actors/domain/time.js';
import type { Placement, ShardHost } from '../actors/runtime/placement/placement.js';
import type { Runtime } from '../actors/runtime/runtime.js';
import type { Settings } from '../cli/settings.js';
import type { ClusterContext } from '../cluster/context.js';
import { FORMAT } from '../cluster/format.js';
import type { Readiness } from '../cluster/readiness.js';
import { SoloPlacement } from '../cluster/solo.js';
import packageInfo from '../package.json' with { type: 'json' };
import type { NodeNodeLoad, NodeNodeStatus } from '../proto/gen/types.js';
import type { Tables } from '../store/port.js';
import { members } from '../store/tables.js';
import type { Bus } from '../transport/bus.js';
import type { PeerSecurity } from '../transport/grpc/peer-security.js';
import type { PeerCounts } from '../transport/grpc/peer-server.js';
import type { OperatorService } from '../transport/peer.js';
import type { Peers } from './peer-liveness.js';

/** This node's membership: it owns all shards, or its share of the cluster's. */
export interface Membership {
  readonly readiness: () => Readiness;
  readonly status: () => NodeNodeStatus;
  /** Returns true when the store has been unavailable for too long; absent for an embedded store. */
  readonly cutOff?: () => boolean;
  /** Absent where there are never other nodes. */
  readonly members?: () => Peers;
  /** Returns the load of the node at an address; absent where there are never other nodes. @throws Unavailable */
  readonly loadAt?: (address: string) => Promise<NodeNodeLoad>;
  /** True when another node would take this node's shards. */
  readonly hasSuccessor: () => boolean;
  /** Hands over all shards, or takes snapshots when no other node takes them. */
  readonly leave: () => Promise<void>;
  /** Calls of peers that were refused; absent for an embedded store. */
  readonly refusedCalls?: () => PeerCounts;
  /** Closes the services that peers can call. */
  readonly close: () => Promise<void>;
}

interface MembershipContext {
  readonly tables: Tables;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: PinoLogger;
  readonly runtime: Runtime;
  /** The runtime, and other state that moves with its shards. */
  readonly host: ShardHost;
  /** Returns the latest time in an id or write timestamp of this process. */
  readonly stampedMs: () => number;
  /** Receives the placement before this node owns any shard: actors use it as soon as they run. */
  readonly placed: (placement: Placement) => void;
  /** Returns what this node does, for operators. @throws Unavailable while it starts */
  readonly load: () => NodeNodeLoad;
  readonly onDrainAsked?: () => void;
  /** Called when this node has lost its membership and may not rejoin. */
  readonly onRefused?: (why: Error) => void;
  /** Handles operations that operators request over the network. */
  readonly onOperation?: OperatorService;
}

/** Maximum number of member rows that are read to find other nodes; a cluster has fewer. */
export const MEMBERS_READ_MAX = 1_000;
const PROGRAM = { version: packageInfo.version, format: FORMAT };
/** Name of the cluster: one per keyspace. */
export const CLUSTER = 'murmuration';

/** Joins; when it resolves, this node may own shards, though not yet its full share. */
export async function openMembership(settings: Settings, around: MembershipContext): Promise<Membership> {
  return settings.STORE === 'lmdb' ? solo(settings, around) : clustered(settings, around);
}

async function solo(settings: Settings, around: MembershipContext): Promise<Membership> {
  const { runtime, host, placed } = around;
  const placement = new SoloPlacement(membershipContext(settings, around));
  placed(placement);
  await placement.start(host);
  // A killed process may have lost rows that this embedded store writes after the acknowledgement.
  await runtime.caughtUp();
  return {
    readiness: () => placement.readiness(),
    status: () => ({ ...placement.status(), activations: runtime.metrics.activations }),
    hasSuccessor: () => false,
    leave: () => placement.drain(),
    close: async () => undefined,
  };
}

function membershipContext({ NODE_NAME: name }: Settings, around: MembershipContext): Omit<ClusterContext, 'rules'> {
  const { tables, clock, random, logger, stampedMs } = around;
  const log = logger.child({ part: 'cluster' });
  return { tables, clock, random, log, cluster: CLUSTER, name, program: PROGRAM, stampedMs };
}

async function clustered(settings: Settings, around: MembershipContext): Promise<Membership> {
  const { bus, random, runtime, host, onDrainAsked, onRefused, onOperation } = around;
  const [{ ClusterNode }, { leaseRules }, { GrpcPeers }, { PeerServer }] = await Promise.all([
    import('../cluster/cluster-node.js'),
    import('../cluster/lease.js'),
    import('../transport/grpc/grpc-peers.js'),
    import('../transport/grpc/peer-server.js'),
  ]);
  if (settings.NATS_URL === undefined) await refuseCompany(settings, around, leaseRules.leaseMs);
  // A single node on Cassandra, without a bus: a random secret, because no other node is to call it.
  const security = (await peerSecurity(settings)) ?? { secret: Buffer.from(random.bytes(32)).toString('base64url') };
  const peers = new GrpcPeers(security, around.clock);
  const context = membershipContext(settings, around);
  const node = new ClusterNode({ ...context, rules: leaseRules }, bus, peers);
  around.placed(node);
  const server = new PeerServer(node.service, security, context.log, around.clock, onOperation);
  const listening = await server.listen(settings.GRPC_LISTEN ?? '127.0.0.1:0');
  const grpcAddress = settings.GRPC_ADVERTISE ?? listening;
  await node.start({
    host,
    grpcAddress,
    baseUrl: settings.BASE_URL,
    activations: () => runtime.metrics.activations,
    load: around.load,
    ...(onDrainAsked === undefined ? {} : { onDrainAsked }),
    ...(onRefused === undefined ? {} : { onRefused }),
  });
  return {
    readiness: () => node.readiness(),
    status: () => node.status(),
    members: () => node.members(),
    loadAt: (address) => peers.peer(address).load(),
    cutOff: () => node.cutOffFromStore(),
    hasSuccessor: () => node.hasSuccessor(),
    leave: () => node.drain(),
    refusedCalls: () => server.counts(),
    close: async () => {
      await server.close();
      await peers.close();
    },
  };
}

/** Returns the credentials that nodes and operators present to a peer; undefined when no setting has them. */
export async function peerSecurity(settings: Settings): Promise<PeerSecurity | undefined> {
  const { CLUSTER_SECRET, CLUSTER_TLS_CA, CLUSTER_TLS_CERT, CLUSTER_TLS_KEY } = settings;
  if (CLUSTER_TLS_CA !== undefined && CLUSTER_TLS_CERT !== undefined && CLUSTER_TLS_KEY !== undefined) {
    const [ca, cert, key] = await Promise.all([
      readFile(CLUSTER_TLS_CA),
      readFile(CLUSTER_TLS_CERT),
      readFile(CLUSTER_TLS_KEY),
    ]);
    return { tls: { ca, cert, key }, ...(CLUSTER_SECRET === undefined ? {} : { secret: CLUSTER_SECRET }) };
  }
  return CLUSTER_SECRET === undefined ? undefined : { secret: CLUSTER_SECRET };
}

/** Refuses to start a second node on a keyspace without a bus: the nodes would not receive each other's messages. */
async function refuseCompany(settings: Settings, { tables, clock }: MembershipContext, leaseMs: number): Promise<void> {
  const others = async () => {
    const rows = await tables.range(members, { cluster: CLUSTER }, { limit: MEMBERS_READ_MAX });
    return rows.filter((row) => row.value.state !== 'gone' && row.key.name !== settings.NODE_NAME);
  };
  const before = new Map((await others()).map((row) => [row.key.name, row.value.beat]));
  if (before.size === 0) return;
  await new Promise<void>((resolve) => void clock.after(leaseMs, resolve));
  const alive = (await others()).find((row) => row.value.beat !== before.get(row.key.name));
  if (alive !== undefined) {
    throw new Error(`node ${alive.key.name} runs on this keyspace: NATS_URL is needed for more than one`);
  }
}
