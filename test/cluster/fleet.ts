import { SHARDS } from '../../actors/domain/ids.js';
import type { ShardHost } from '../../actors/runtime/placement/placement.js';
import { ClusterNode } from '../../cluster/cluster-node.js';
import { type LeaseRules, leaseRules } from '../../cluster/lease.js';
import { fromRecord, type ShardMap, shardsOf } from '../../cluster/shard-map.js';
import type { NodeHandoffChunk, StoreMemberRecord } from '../../proto/gen/types.js';
import type { Tables } from '../../store/port.js';
import { members, shardMap } from '../../store/tables.js';
import { WriteTimestamps } from '../../store/write-timestamps.js';
import { LocalPeers } from '../../transport/local-peers.js';
import {
  adapter,
  pacingOf,
  SimulatedCassandra,
  SimulatedSession,
  type StoreFaults,
} from '../simulation/services/cassandra-session.js';
import { Network } from '../simulation/services/network.js';
import { Process, SeededRandom, World } from '../simulation/world.js';
import { tablesWith } from '../simulation/wrapping.js';

function calm() {
  const delayMs: [number, number] = [1, 10];
  return {
    failChance: 0,
    ambiguousChance: 0,
    lateChance: 0,
    lateJournalChance: 0,
    delayMs,
    paxosVictim: undefined,
    paxosLateUntilMs: 0,
    paxosMs: 0,
  };
}

/** A host that runs nothing, takes some time, and records its calls. */
class RecordingHost implements ShardHost {
  readonly running = new Set<number>();
  readonly primed: string[] = [];
  abandoned = 0;
  /** True once it has begun to release shards. */
  hasReleased = false;
  failNextAcquire = false;

  constructor(
    private readonly world: World,
    private readonly process: Process,
    private readonly releaseMs: number,
  ) {}

  async acquire(shards: readonly number[]): Promise<void> {
    await this.after(5);
    if (this.failNextAcquire) {
      this.failNextAcquire = false;
      throw new Error('the backlog cannot be read');
    }
    for (const shard of shards) this.running.add(shard);
  }

  async release(shards: readonly number[], warm: (chunk: NodeHandoffChunk) => Promise<void>): Promise<void> {
    this.hasReleased = true;
    await this.after(this.releaseMs);
    for (const shard of shards) await warm({ actor: `account/${shard}` });
    for (const shard of shards) this.running.delete(shard);
  }

  prime(chunk: NodeHandoffChunk): void {
    this.primed.push(chunk.actor);
  }

  abandon(shards: readonly number[]): void {
    this.abandoned += shards.length;
    for (const shard of shards) this.running.delete(shard);
  }

  private after(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.world.at(delayMs, this.process, resolve);
    });
  }
}

interface LateMembers {
  readonly name: string;
  readonly isWanted: (rows: readonly StoreMemberRecord[]) => boolean;
  readonly onRead: () => void;
  readonly answers: Promise<void>;
}

export interface Ship {
  readonly process: Process;
  readonly node: ClusterNode;
  readonly host: RecordingHost;
}

/** Several nodes on one store, on a virtual timeline that checks continuously that no shard has two owners. */
export class Fleet {
  readonly world = new World(() => false);
  private readonly cassandra = new SimulatedCassandra();
  readonly tables = this.cassandra.tables;
  readonly peers = new LocalPeers();
  readonly ships: Ship[] = [];
  readonly faults: StoreFaults = calm();
  readonly doubleOwners: string[] = [];
  /** Errors of nodes that were drained before they had joined, or failed to join. */
  readonly startFailures: Error[] = [];
  releaseMs = 20;
  /** Format of nodes that are started from now on. */
  format = 1;
  /** Nodes that lost their membership and may not rejoin. */
  readonly refused: string[] = [];
  /** Warnings of nodes, with their names. */
  readonly warnings: { readonly name: string; readonly fields: object; readonly message: string }[] = [];
  /** Number of the last look at the owners, and of the last one that found an owner of each shard. */
  private look = 0;
  private readonly heldIn = new Uint32Array(SHARDS);
  private readonly random: SeededRandom;
  private readonly network: Network;
  /** A node's read of the members whose answer is delayed. */
  private late: LateMembers | undefined;

  constructor(
    seed: number,
    private readonly rules: LeaseRules = leaseRules,
  ) {
    this.random = new SeededRandom(seed);
    const faults = { dropChance: 0, repeatChance: 0, delayMs: [1, 5] as const };
    this.network = new Network(this.world, this.random.fork(), faults, () => false);
    this.watch();
  }

  /** Starts a node; the story continues while it joins. */
  launch(name: string, skewMs = 0, rate = 1): Ship {
    const { ship, started } = this.build(name, skewMs, rate);
    this.peers.register(name, ship.node.service);
    this.ships.push(ship);
    started.catch((error: Error) => this.startFailures.push(error));
    return ship;
  }

  /** Starts a node that is expected to be refused. */
  join(name: string, skewMs = 0): { error: Error | undefined } {
    const refusal: { error: Error | undefined } = { error: undefined };
    this.build(name, skewMs, 1).started.catch((error: Error) => {
      refusal.error = error;
    });
    return refusal;
  }

  private build(name: string, skewMs: number, rate: number): { ship: Ship; started: Promise<void> } {
    const process = new Process(name, skewMs, rate);
    const clock = this.world.clockOf(process);
    const { cassandra, world, faults } = this;
    const session = new SimulatedSession(cassandra.landed, world, process, this.random.fork(), faults);
    const timestamps = new WriteTimestamps(() => clock.nowMs());
    const log = {
      info: () => undefined,
      warn: (fields: object, message: string) => void this.warnings.push({ name, fields, message }),
      error: () => undefined,
    };
    const store = adapter(session, timestamps, pacingOf(world, process));
    const context = {
      tables: this.withLateMembers(name, store),
      clock,
      random: this.random.fork(),
      log,
      cluster: 'fleet',
      name,
      program: { version: `0.${this.format}`, format: this.format },
      rules: this.rules,
      stampedMs: () => timestamps.reachedMs,
    };
    const node = new ClusterNode(context, this.network.busOf(process), this.peers);
    const host = new RecordingHost(this.world, process, this.releaseMs);
    const started = node.start({
      host,
      grpcAddress: name,
      baseUrl: `http://${name}`,
      onRefused: () => this.refused.push(name),
    });
    return { ship: { process, node, host }, started };
  }

  /** Ends a node like kill -9. */
  kill(ship: Ship): void {
    ship.process.alive = false;
    this.peers.register(ship.process.name, undefined);
  }

  /**
   * Delays the answer to the next read of such members by that node until the returned function is called. The answer
   * is the state at the time of the read. Resolves once the read has happened.
   */
  async holdMembers(ship: Ship, isWanted: (rows: readonly StoreMemberRecord[]) => boolean): Promise<() => void> {
    let isRead = false;
    let answer = () => {};
    const answers = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const onRead = () => {
      isRead = true;
      this.late = undefined;
    };
    this.late = { name: ship.process.name, isWanted, onRead, answers };
    await this.until('a node reads the members', () => isRead);
    return answer;
  }

  private withLateMembers(name: string, store: Tables): Tables {
    return tablesWith(store, {
      range: async (table, partition, options) => {
        const found = await store.range(table, partition, options);
        const { late } = this;
        if (table.name !== members.name || late?.name !== name) return found;
        if (!late.isWanted(found.map(({ value }) => value as StoreMemberRecord))) return found;
        late.onRead();
        await late.answers;
        return found;
      },
    });
  }

  /**
   * Disconnects a node from the bus, which it notices at once, or reconnects it; the store and its peers stay
   * reachable.
   */
  unplug(ship: Ship, on: boolean): void {
    this.network.unplug(ship.process.name, on);
  }

  /** Pauses a node like SIGSTOP and SIGCONT. */
  pause(ship: Ship, ms: number): void {
    ship.process.pausedUntil = this.world.now + ms;
  }

  /** Runs the world until the probe returns true; returns the duration. */
  async until(what: string, probe: () => boolean, timeoutMs = 30_000): Promise<number> {
    const startedMs = this.world.now;
    await this.world.run(startedMs + timeoutMs, probe);
    if (!probe()) throw new Error(`${what}: not within ${timeoutMs} ms`);
    return this.world.now - startedMs;
  }

  async run(ms: number): Promise<void> {
    await this.world.run(this.world.now + ms, () => false);
  }

  /** Returns the number of shards for which the node may act right now. */
  owned(ship: Ship): number {
    return ship.process.alive ? ship.node.held().size : 0;
  }

  /** Returns true if these nodes own everything, evenly to within one, and serve it. */
  settled(...ships: Ship[]): boolean {
    const counts = ships.map((ship) => this.owned(ship));
    const sum = counts.reduce((a, b) => a + b, 0);
    return (
      sum === SHARDS &&
      Math.max(...counts) - Math.min(...counts) <= 1 &&
      ships.every((ship) => ship.host.running.size === this.owned(ship) && ship.node.readiness().ready)
    );
  }

  async map(): Promise<ShardMap> {
    const record = await this.tables.get(shardMap, { cluster: 'fleet' });
    if (record === undefined) throw new Error('there is no map');
    return fromRecord(record);
  }

  async shardsIn(name: string): Promise<number> {
    const map = await this.map();
    const member = map.owners.find((owner) => owner?.startsWith(`${name}#`));
    return member === undefined ? 0 : shardsOf(map, member).length;
  }

  private watch(): void {
    this.world.at(10, undefined, () => {
      this.look += 1;
      const { look, heldIn } = this;
      for (const { process, node } of this.ships) {
        if (!process.alive) continue;
        for (const shard of node.held().keys()) {
          if (heldIn[shard] === look) this.doubleOwners.push(`${shard}: ${process.name} and another`);
          heldIn[shard] = look;
        }
      }
      this.watch();
    });
  }
}
