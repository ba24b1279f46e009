import { Unavailable } from '../actors/domain/problem.js';
import type { Placement, ShardHost } from '../actors/runtime/placement/placement.js';
import type { NodeNodeLoad, NodeNodeStatus, StoreMemberRecord } from '../proto/gen/types.js';
import { type Bus, CLUSTER_TOPIC, type Subscription } from '../transport/bus.js';
import type { PeerService, Peers } from '../transport/peer.js';
import { byOwner, type Role } from './balance.js';
import { type Asked, ClockWatch } from './clock-watch.js';
import type { ClusterContext } from './context.js';
import { FormatTooOld } from './format.js';
import { GIFT_SHARDS_MAX, Giver } from './giver.js';
import { Holdings } from './holdings.js';
import { type Addresses, LeaseHolder, NameTaken } from './lease-holder.js';
import { MapRow } from './map-row.js';
import { MEMBERS_MAX, MembersView } from './members-view.js';
import { pause } from './patience.js';
import { peerService } from './peer-service.js';
import type { Readiness } from './readiness.js';
import { claimed, hasFreeShards, raised, shardsOf, surplus } from './shard-map.js';
import { Wake } from './wake.js';

/**
 * Interval of reads of members and map. Changes are announced on the bus; polling finds them when an announcement is
 * lost.
 */
const POLL_MS = 1_000;
/** Delay after a failed read or join. */
const RETRY_MS = 500;
/** Age of the last map read up to which the store counts as answering: three polls. */
const STORE_SILENT_MS_MAX = 3 * POLL_MS;
/**
 * Duration of an outage from which on the node refuses requests: store operations no longer finish within a client's
 * patience, and cached rows are not used any more (UNHEARD_MS).
 */
const STORE_GONE_MS_MIN = 5_000;
/** Maximum wait of a start for a store that does not answer. */
const JOIN_MS_MAX = 60_000;
/**
 * Delay after which a node without a bus connection hands its shards over while others take shards. Any other
 * disconnected node has announced itself within that time (a poll and a renewal), and a briefly unavailable server is
 * back.
 */
const CUT_OFF_MS_MAX = 4_000;
/** Maximum number of shards in a handover while the store is slow: they stop for as long as the map's change takes. */
const SLOW_GIFT_SHARDS_MAX = 64;
/**
 * Maximum duration of a drain; the remaining shards are taken over when this node's lease ends. SIGTERM allows 15 s in
 * all.
 */
const DRAIN_MS_MAX = 10_000;

const NOTHING_HELD: ReadonlyMap<number, number> = new Map();

/** Parameters of a start. */
export interface Launch extends Addresses {
  readonly host: ShardHost;
  /** Returns the number of activations in memory, for the status. */
  readonly activations?: () => number;
  /** Returns what this node does, for operators. @throws Unavailable while it starts */
  readonly load?: () => NodeNodeLoad;
  /** Called when a peer or operator requests the drain; the process then acts as on SIGTERM. */
  readonly onDrainAsked?: () => void;
  /** Called when this node has lost its lease and may not rejoin: the process ends with the error's one line. */
  readonly onRefused?: (why: Error) => void;
}

/** One node of the cluster: holds a lease, owns shards under it, and moves them as members join and leave. */
export class ClusterNode implements Placement {
  /** The service that the peer server calls. */
  readonly service: PeerService;
  private readonly lease: LeaseHolder;
  private readonly view: MembersView;
  private readonly mapRow: MapRow;
  /** Set when this node may not take part any more. */
  private refusal: FormatTooOld | undefined;
  private readonly wake: Wake;
  private readonly clocks: ClockWatch;
  private readonly startedMs: number;
  private launch: Launch | undefined;
  private holdings: Holdings | undefined;
  private giver: Giver | undefined;
  private hint: Subscription | undefined;
  private giving = false;
  /** Time since which the bus does not reach this node while others take shards. */
  private cutOffSinceMs: number | undefined;
  /** The member id under which this node has seen a live owner of every shard and has received its own share. */
  private wholeAs: string | undefined;
  private closed = false;

  constructor(
    private readonly context: ClusterContext,
    private readonly bus: Bus,
    private readonly peers: Peers,
  ) {
    this.lease = new LeaseHolder(context, (why) => this.onLost(why));
    this.view = new MembersView(context, this.lease.pace);
    this.mapRow = new MapRow(context, bus, this.lease.pace);
    this.wake = new Wake(context.clock);
    this.clocks = new ClockWatch(context.clock, context.log, peers);
    this.startedMs = context.clock.monotonicMs();
    this.service = peerService({
      status: () => this.status(),
      load: () => this.load(),
      drain: () => this.launch?.onDrainAsked?.(),
      prime: (chunk, received) => this.launch?.host.prime(chunk, received),
    });
  }

  epochOf(shard: number): number | undefined {
    return this.held().get(shard);
  }

  /** Returns the shards for which this node may act now, with their epochs; none without a lease. */
  held(): ReadonlyMap<number, number> {
    return (this.lease.holds() ? this.holdings?.held : undefined) ?? NOTHING_HELD;
  }

  idFloorMs(): number {
    return this.mapRow.map.idFloorMs;
  }

  idCeilingMs(): number {
    return this.lease.reachMs();
  }

  clusterMs(): number | undefined {
    return this.clocks.agreedMs;
  }

  format(): number {
    return this.mapRow.map.format;
  }

  ownerEpoch(shard: number): number | undefined {
    return this.mapRow.map.epochs[shard];
  }

  /** Returns true if the shard still has this epoch in the store. @throws Unavailable */
  async stillOwns(shard: number, epoch: number): Promise<boolean> {
    const map = await this.mapRow.readAfresh();
    return map.epochs[shard] === epoch;
  }

  /**
   * Joins, and resolves after the first read of the cluster; `readiness` reports when shards have arrived.
   * @throws NameTaken a live node has our name; FormatTooOld; ClockOff; Unavailable the store does not answer
   */
  async start(launch: Launch): Promise<void> {
    this.launch = launch;
    this.holdings = new Holdings(this.context, launch.host);
    this.giver = new Giver(this.context, this.holdings, this.mapRow, this.peers);
    this.hint = await this.bus.subscribe(CLUSTER_TOPIC, () => this.wake.call());
    this.bus.onGap(() => this.wake.call());
    await this.join(launch, JOIN_MS_MAX, () => this.lookBefore());
    const restMs = await this.lookOnce();
    if (this.refusal !== undefined) throw this.refusal;
    this.clocks.watch(() => this.others());
    void this.keepLooking(restMs);
  }

  /** Hands over all shards, then releases the lease. Resolves within DRAIN_MS_MAX, whatever fails. */
  async drain(): Promise<void> {
    const { clock, log } = this.context;
    const deadlineMs = clock.monotonicMs() + DRAIN_MS_MAX;
    this.lease.drain();
    this.wake.call();
    while (this.owned().length > 0 && clock.monotonicMs() < deadlineMs) {
      if (!this.giving && !this.hasSuccessor()) break;
      await pause(clock, 20);
    }
    const rest = this.owned();
    if (rest.length > 0) {
      log.info({ shards: rest.length }, 'released shards that no other node took');
      await this.holdings?.release(rest, async () => undefined);
    }
    await this.stopLooking();
    await this.lease.leave();
  }

  /** True when another node takes shards, so that `drain` can hand this node's over. */
  hasSuccessor(): boolean {
    const { member } = this.lease;
    return member !== undefined && [...this.view.roles(member, 'gives').values()].includes('takes');
  }

  /** Stops without a handover, as a kill does: the lease expires, then others take the shards. */
  async close(): Promise<void> {
    this.lease.stop();
    await this.stopLooking();
  }

  /** True when the store has not answered for so long that the lease is lost. */
  cutOffFromStore(): boolean {
    return !this.lease.holds() && this.mapRow.ageMs() > STORE_GONE_MS_MIN;
  }

  readiness(): Readiness {
    const { member } = this.lease;
    if (member === undefined || !this.lease.holds()) return { ready: false, why: 'no lease' };
    if (this.lease.state === 'draining') return { ready: false, why: 'draining' };
    const silentMs = Math.max(STORE_SILENT_MS_MAX, 4 * this.lease.pace.latencyMs);
    if (this.mapRow.ageMs() > silentMs) return { ready: false, why: 'the store does not answer' };
    if (!this.bus.healthy()) return { ready: false, why: 'the bus is down' };
    if (!this.holdings?.complete(this.mapRow.map, member)) return { ready: false, why: 'shards are still arriving' };
    if (this.wholeAs !== member) return { ready: false, why: 'some shards have no live owner yet' };
    return { ready: true };
  }

  /** Returns this member and all others that are not gone, as of the last read. */
  members() {
    const { seenMs } = this.view;
    return { self: this.lease.member, others: this.view.otherIds(), seenMs, mapVersion: this.mapRow.map.version };
  }

  status(): NodeNodeStatus {
    const { member } = this.lease;
    return {
      name: this.context.name,
      incarnation: member?.slice(this.context.name.length + 1) ?? '',
      state: member === undefined ? 'joining' : this.lease.state,
      shards: this.holdings?.size ?? 0,
      activations: this.launch?.activations?.() ?? 0,
      mapVersion: this.mapRow.map.version,
      members: this.view.rows().map(describe),
      uptimeMs: this.context.clock.monotonicMs() - this.startedMs,
      ...this.context.program,
      activeFormat: this.mapRow.map.format,
      wallMs: this.context.clock.wallMs(),
      clockOffsetMs: this.clocks.offsetMs,
    };
  }

  private load(): NodeNodeLoad {
    const load = this.launch?.load?.();
    if (load === undefined) throw new Unavailable('this node does not tell its load yet');
    return load;
  }

  private async stopLooking(): Promise<void> {
    this.closed = true;
    this.clocks.close();
    this.wake.call();
    await this.hint?.close();
  }

  private async keepLooking(firstRestMs: number): Promise<void> {
    let restMs = firstRestMs;
    for (;;) {
      await this.wake.rest(restMs);
      if (this.closed) return;
      restMs = await this.lookOnce();
      if (this.refusal === undefined) continue;
      this.launch?.onRefused?.(this.refusal);
      return;
    }
  }

  /** Reads and maintains the cluster state once; returns the delay until the next time. */
  private async lookOnce(): Promise<number> {
    try {
      await this.look();
      // Reads of this state are conditional: while the store is slow they must not delay renewals.
      const { pace } = this.lease;
      return Math.max(1, pace.latencyMs, Math.min(POLL_MS, this.view.nextExpiryMs()));
    } catch (error) {
      if (error instanceof FormatTooOld) await this.refuse(error);
      else if (error instanceof Unavailable)
        this.context.log.warn({ err: error }, 'failed to read the state of the cluster');
      else this.context.log.error({ err: error }, 'failed to maintain the state of the cluster');
      return RETRY_MS;
    }
  }

  /** Reads members and map, and acts on them. */
  private async look(): Promise<void> {
    // In this order: a member joins before the map can name it, so a member that the map names and that was not read is
    // dead.
    await this.mapRow.read();
    const { version } = this.mapRow.map;
    await this.view.read(this.context.clock.monotonicMs());
    this.watchBus();
    const { member } = this.lease;
    if (member === undefined || !this.lease.holds()) return;
    await this.view.fence();
    if (!this.view.complete) {
      this.context.log.error({ membersMax: MEMBERS_MAX }, 'stopped moving shards: too many member rows');
      await this.sweep();
      return;
    }
    if (version > 0 && this.view.commonFormat() > this.mapRow.map.format) await this.raiseFormat(version);
    await this.claim(version, member);
    if (this.lease.member !== member || this.closed) return;
    this.holdings?.reconcile(this.mapRow.map, member);
    if (this.wholeAs !== member && this.isWhole(member)) this.wholeAs = member;
    this.giveSurplus(member);
    await this.sweep();
  }

  private sweep(): Promise<void> {
    return this.view.sweep((other) => shardsOf(this.mapRow.map, other).length > 0);
  }

  /** Places the shards of dead members on live ones; when several nodes try, one succeeds. */
  private async claim(version: number, member: string): Promise<void> {
    const roles = this.rolesAs(member);
    if (!hasFreeShards(this.mapRow.map, roles)) return;
    await this.mapRow.change(
      // Members that a newer map names are unknown here until the next read.
      (map) => {
        if (map.version !== version) return undefined;
        const next = claimed(map, roles, (name) => this.view.reachedMs(name));
        if (version > 0) return next;
        return { ...next, format: this.view.commonFormat(), formatVersion: this.context.program.version };
      },
      () => true,
    );
    if (this.mapRow.map.version > version + 1) this.wake.call();
  }

  /**
   * Activates the newest format that every live member knows. A member that joins after they were read acts only on a
   * later map: its change of this map, or its next read, shows it the format.
   */
  private async raiseFormat(version: number): Promise<void> {
    const format = await this.view.readCommonFormat();
    const { log, program } = this.context;
    await this.mapRow.change(
      (map) => (map.version === version && format > map.format ? raised(map, format, program.version) : undefined),
      () => true,
    );
    if (this.mapRow.map.format === format) log.info({ format }, 'activated a format that every node knows');
    this.wake.call();
  }

  /** Stops this node because the data are newer than the program; others take its shards. */
  private async refuse(why: FormatTooOld): Promise<void> {
    this.refusal = why;
    this.closed = true;
    this.clocks.close();
    this.holdings?.abandonAll();
    await this.lease.leave();
  }

  private isWhole(member: string): boolean {
    const owners = byOwner(this.mapRow.map.owners);
    if (!owners.has(member)) return false;
    return [...owners.keys()].every((owner) => owner === member || (owner !== undefined && this.view.isAlive(owner)));
  }

  private giveSurplus(member: string): void {
    const { holdings, giver } = this;
    if (this.giving || holdings === undefined || giver === undefined) return;
    if (!holdings.complete(this.mapRow.map, member)) return;
    const gifts = surplus(
      this.mapRow.map,
      this.rolesAs(member),
      member,
      this.lease.pace.isSlow ? SLOW_GIFT_SHARDS_MAX : GIFT_SHARDS_MAX,
    );
    if (gifts.size === 0) return;
    this.giving = true;
    // A lease that is in doubt may still be ours: only its loss drops the shards that `give` has stopped.
    const isLost = () => this.lease.member !== member;
    giver
      .give(member, gifts, (other) => this.view.addressOf(other), isLost)
      .catch((error: unknown) => {
        const { log } = this.context;
        if (error instanceof Unavailable) log.warn({ err: error }, 'failed to hand shards over');
        else log.error({ err: error }, 'failed to hand shards over');
      })
      .finally(() => {
        this.giving = false;
        this.wake.call();
      });
  }

  private onLost(why: string): void {
    this.context.log.error({ why, shards: this.holdings?.size ?? 0 }, 'lost the lease: dropped all shards');
    this.holdings?.abandonAll();
    void this.rejoin();
  }

  /** Rejoins as a new member, so that writes which the old one left in flight do not count as ours. */
  private async rejoin(): Promise<void> {
    if (this.launch === undefined || this.closed || this.lease.state === 'draining') return;
    try {
      await this.join(this.launch, Number.POSITIVE_INFINITY);
      this.wake.call();
    } catch (error) {
      this.context.log.error({ err: error }, 'failed to rejoin the cluster');
    }
  }

  /**
   * Checks whether this process may take part, before it writes anything. A node that rejoins skips this: it continues
   * with a clock that was set meanwhile, and sees the map at its next read.
   */
  private async lookBefore(): Promise<void> {
    await this.mapRow.read();
    await this.view.read();
    await this.clocks.checkBeforeJoining(this.others(), this.context.rules.clockOffsetMsMax);
  }

  private others(): Asked[] {
    const others = this.view.rows().filter(({ name, state }) => state !== 'gone' && name !== this.context.name);
    return others.map(({ name, grpcAddress }) => ({ name, address: grpcAddress }));
  }

  /** Retries until it succeeds or the time is up, because a store may still be starting. */
  private async join(addresses: Addresses, timeoutMs: number, before = async () => {}): Promise<void> {
    const { clock, log } = this.context;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      try {
        await before();
        await this.lease.join(addresses);
        log.info({ member: this.lease.member }, 'joined the cluster');
        // Makes the other members read the state at once and hand over this node's share.
        this.bus.publish(CLUSTER_TOPIC, new Uint8Array());
        return;
      } catch (error) {
        const patient = error instanceof Unavailable || (error instanceof NameTaken && timeoutMs > JOIN_MS_MAX);
        if (!patient || this.closed || clock.monotonicMs() > deadlineMs) throw error;
        log.warn({ err: error }, 'failed to join the cluster; trying again');
        await pause(clock, RETRY_MS);
      }
    }
  }

  /** Announces the loss of the bus: other nodes give nothing to a node that they cannot reach. */
  private watchBus(): void {
    const isDown = !this.bus.healthy();
    this.lease.standAside(isDown);
    const isCutOff = isDown && [...this.view.roles(this.lease.member ?? '', 'keeps').values()].includes('takes');
    const sinceMs = this.cutOffSinceMs ?? this.context.clock.monotonicMs();
    this.cutOffSinceMs = isCutOff ? sinceMs : undefined;
  }

  private rolesAs(member: string) {
    return this.view.roles(member, this.role());
  }

  private role(): Role {
    if (this.lease.state === 'draining') return 'gives';
    if (this.cutOffSinceMs === undefined) return 'takes';
    const cutOffMs = this.context.clock.monotonicMs() - this.cutOffSinceMs;
    return cutOffMs < CUT_OFF_MS_MAX ? 'keeps' : 'gives';
  }

  private owned(): readonly number[] {
    const { member } = this.lease;
    return member === undefined ? [] : shardsOf(this.mapRow.map, member);
  }
}

/** Describes a member for the status. */
const describe = ({ name, incarnation, state, grpcAddress, version, format }: StoreMemberRecord): string =>
  `${name}#${incarnation} ${state} ${grpcAddress} version ${version} format ${format}`;
