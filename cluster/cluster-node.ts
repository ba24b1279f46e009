import { Unavailable } from '../actors/domain/problem.js';
import type { Placement, ShardHost } from '../actors/runtime/placement/placement.js';
import type { NodeNodeStatus, StoreMemberRecord } from '../proto/gen/types.js';
import { type Bus, CLUSTER_TOPIC, type Subscription } from '../transport/bus.js';
import type { PeerService, Peers } from '../transport/peer.js';
import type { Role } from './balance.js';
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

/** Between two looks at members and map: a change is heard of on the bus, this finds it when the bus is silent. */
const POLL_MS = 1_000;
/** After a failed look or a failed join. */
const RETRY_MS = 500;
/** The store counts as answering while the map was read this recently: three looks. */
const STORE_SILENT_MS_MAX = 3 * POLL_MS;
/** Then nothing that was asked of it comes in a client's time, and what is kept in memory is believed no more (UNHEARD_MS). */
const STORE_GONE_MS_MIN = 5_000;
/** How long a start waits for a store that does not answer. */
const JOIN_MS_MAX = 60_000;
/**
 * A node that the bus does not reach, while others take shards, hands over its own after this: whoever is cut off as well
 * has said so by then (a look and a renewal), and a server that was away for a moment is back.
 */
const CUT_OFF_MS_MAX = 4_000;
/** A handover while the store is slow stops its shards for as long as the map's change takes: few at a time. */
const SLOW_GIFT_SHARDS_MAX = 64;
/** What a drain may take; the rest is left to those who see this node gone. SIGTERM allows 15 s for everything. */
const DRAIN_MS_MAX = 10_000;

/** What a node is started with. */
export interface Launch extends Addresses {
  readonly host: ShardHost;
  /** Activations in memory, for the status. */
  readonly activations?: () => number;
  /** Called when a peer or operator asks for the drain; the process then does what it does on SIGTERM. */
  readonly onDrainAsked?: () => void;
  /** Called when this node lost its lease and may not join again: the process ends, with the error's one line. */
  readonly onRefused?: (why: Error) => void;
}

/** One node of the cluster: holds a lease, owns shards under it, and moves them as members come and go. */
export class ClusterNode implements Placement {
  /** For the server that peers call. */
  readonly service: PeerService;
  private readonly lease: LeaseHolder;
  private readonly view: MembersView;
  private readonly mapRow: MapRow;
  /** This node may not take part any more. */
  private refusal: FormatTooOld | undefined;
  private readonly wake: Wake;
  private readonly clocks: ClockWatch;
  private readonly startedMs: number;
  private launch: Launch | undefined;
  private holdings: Holdings | undefined;
  private giver: Giver | undefined;
  private hint: Subscription | undefined;
  private giving = false;
  /** Since when the bus does not reach this node while others take shards. */
  private cutOffSinceMs: number | undefined;
  /** The member as which this node has seen every shard with a live owner, and has got its own part. */
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
      drain: () => this.launch?.onDrainAsked?.(),
      prime: (chunk, heard) => this.launch?.host.prime(chunk, heard),
    });
  }

  epochOf(shard: number): number | undefined {
    return this.lease.holds() ? this.holdings?.epochOf(shard) : undefined;
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

  /** @throws Unavailable */
  async stillOwns(shard: number, epoch: number): Promise<boolean> {
    const map = await this.mapRow.readAfresh();
    return map.epochs[shard] === epoch;
  }

  /**
   * Joins, and resolves after the first look at the cluster; `readiness` says when shards have arrived.
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

  /** Gives all shards away, then the lease back. Resolves in DRAIN_MS_MAX at the latest, whatever fails. */
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
      log.info({ shards: rest.length }, 'nobody took these shards; they wait in the store');
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

  /** Ends without a word, as a kill does: the lease runs out, then others take the shards. */
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
    if (!this.holdings?.complete(this.mapRow.map, member)) return { ready: false, why: 'shards are on their way' };
    if (this.wholeAs !== member) return { ready: false, why: 'some shards have no live owner yet' };
    return { ready: true };
  }

  /** This member and all others that are not gone, as of the last look. */
  company() {
    const { seenMs } = this.view;
    return { self: this.lease.member, others: this.view.company(), seenMs, mapVersion: this.mapRow.map.version };
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

  /** Answers when to look again. */
  private async lookOnce(): Promise<number> {
    try {
      await this.look();
      // Looks are conditional reads: while the store is slow they must not hold up renewals.
      const { pace } = this.lease;
      return Math.max(1, pace.latencyMs, Math.min(POLL_MS, this.view.nextExpiryMs()));
    } catch (error) {
      if (error instanceof FormatTooOld) await this.refuse(error);
      else if (error instanceof Unavailable) this.context.log.warn({ err: error }, 'cannot see the cluster');
      else this.context.log.error({ err: error }, 'looking after the cluster failed by a fault');
      return RETRY_MS;
    }
  }

  /** One look at members and map, and what follows from it. */
  private async look(): Promise<void> {
    // In this order: a member joins before the map can name it, so one that is named and not seen is dead.
    await this.mapRow.read();
    const { version } = this.mapRow.map;
    await this.view.read(this.context.clock.monotonicMs());
    this.watchBus();
    const { member } = this.lease;
    if (member === undefined || !this.lease.holds()) return;
    await this.view.fence();
    if (!this.view.complete) {
      this.context.log.error(
        { membersMax: MEMBERS_MAX },
        'too many member rows: no shards are moved until some are gone',
      );
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

  /** Places the shards of the dead, on this node and others; of several nodes that try, one succeeds. */
  private async claim(version: number, member: string): Promise<void> {
    const roles = this.rolesAs(member);
    if (!hasFreeShards(this.mapRow.map, roles)) return;
    await this.mapRow.change(
      // Of members that a newer map names we know nothing yet: the next look will.
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
   * Lets all nodes use the newest format that every live member knows. A member that joins after they were read acts only
   * on a later map: its change of this one, or the next look, shows it the format.
   */
  private async raiseFormat(version: number): Promise<void> {
    const format = await this.view.readCommonFormat();
    const { log, program } = this.context;
    await this.mapRow.change(
      (map) => (map.version === version && format > map.format ? raised(map, format, program.version) : undefined),
      () => true,
    );
    if (this.mapRow.map.format === format)
      log.info({ format }, 'every node knows the format: it is written from now on');
    this.wake.call();
  }

  /** The data are newer than this program: it stops, and leaves its shards to others. */
  private async refuse(why: FormatTooOld): Promise<void> {
    this.refusal = why;
    this.closed = true;
    this.clocks.close();
    this.holdings?.abandonAll();
    await this.lease.leave();
  }

  private isWhole(member: string): boolean {
    const owners = new Set(this.mapRow.map.owners);
    if (!owners.has(member)) return false;
    return [...owners].every((owner) => owner === member || (owner !== undefined && this.view.isAlive(owner)));
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
    const holds = () => this.lease.member === member && this.lease.holds();
    giver
      .give(member, gifts, (other) => this.view.addressOf(other), holds)
      .catch((error: unknown) => {
        const { log } = this.context;
        if (error instanceof Unavailable) log.warn({ err: error }, 'a handover broke off');
        else log.error({ err: error }, 'a handover broke off');
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

  /** As a new member: what the old one left in flight must not pass for ours. */
  private async rejoin(): Promise<void> {
    if (this.launch === undefined || this.closed || this.lease.state === 'draining') return;
    try {
      await this.join(this.launch, Number.POSITIVE_INFINITY);
      this.wake.call();
    } catch (error) {
      this.context.log.error({ err: error }, 'joining the cluster again failed by a fault');
    }
  }

  /**
   * Finds what keeps this process from taking part, before it leaves a trace. One that joins again has been at work: it
   * goes on with a clock that was set meanwhile, and sees the map at its next look.
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

  /** Tries until it succeeds or the time is up; a store that is only starting must not end us. */
  private async join(addresses: Addresses, timeoutMs: number, before = async () => {}): Promise<void> {
    const { clock, log } = this.context;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      try {
        await before();
        await this.lease.join(addresses);
        log.info({ member: this.lease.member }, 'joined the cluster');
        // The others look at once, and give us our part.
        this.bus.publish(CLUSTER_TOPIC, new Uint8Array());
        return;
      } catch (error) {
        const patient = error instanceof Unavailable || (error instanceof NameTaken && timeoutMs > JOIN_MS_MAX);
        if (!patient || this.closed || clock.monotonicMs() > deadlineMs) throw error;
        log.warn({ err: error }, 'cannot join the cluster yet');
        await pause(clock, RETRY_MS);
      }
    }
  }

  /** Others give nothing to a node that they cannot ask. */
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

  private owned(): number[] {
    const { member } = this.lease;
    return member === undefined ? [] : shardsOf(this.mapRow.map, member);
  }
}

/** A member as the status says it. */
const describe = ({ name, incarnation, state, grpcAddress, version, format }: StoreMemberRecord): string =>
  `${name}#${incarnation} ${state} ${grpcAddress} version ${version} format ${format}`;
