import type { NodeHandoffChunk } from '../../proto/gen/types.js';
import type { Caches } from '../../store/cache/cache.js';
import type { Tables } from '../../store/port.js';
import type { Bus, Served } from '../../transport/bus.js';
import { eachBounded } from '../domain/each-bounded.js';
import { LogBound } from '../domain/log-bound.js';
import { Unavailable } from '../domain/problem.js';
import { type Clock, Deadlines, type Random } from '../domain/time.js';
import type { ActivationContext } from './activation/activation-context.js';
import { Activations } from './activation/activations.js';
import { FreshIds } from './activation/fresh-ids.js';
import { NactHost } from './activation/nact-host.js';
import { PassivationTimer } from './activation/passivation.js';
import { Shards } from './activation/shards.js';
import { WriteBatch } from './activation/write-batch.js';
import { Caller } from './asking/caller.js';
import { NotTaken } from './asking/delivery.js';
import { decodeCommand, encodeFailure, encodeReply } from './asking/wire.js';
import { type Blueprint, blueprint } from './blueprint.js';
import { carriesNothing, type RowCarrier } from './carried-rows.js';
import type { AlarmRow } from './effects/alarm-row.js';
import { BacklogScan, backlogActor } from './effects/backlog.js';
import { backoffMs } from './effects/backoff.js';
import { type AnyKind, ASK_TIMEOUT_MS, type Asker } from './kind.js';
import {
  defaultLimits,
  RELEASE_CONCURRENCY_MAX,
  RESCAN_CONCURRENCY_MAX,
  type RuntimeLimits,
  SCAN_CONCURRENCY_MAX,
} from './limits.js';
import type { Logger } from './logger.js';
import { newMetrics, type RuntimeMetrics } from './metrics.js';
import { ClockScope } from './placement/clock-scope.js';
import type { Placement, ShardHost } from './placement/placement.js';
import { SteadyClock } from './placement/steady-clock.js';
import type { ActorJournal } from './state/recovery.js';

/** First and longest pause between two attempts to read a shard's backlog. */
const SCAN_FIRST_MS = 200;
const SCAN_MOST_MS = 10_000;
/** Log lines about malformed messages per span. Anybody who reaches the bus can send any number of them. */
const MALFORMED_LINES_MAX = 1;
const MALFORMED_SPAN_MS = 60_000;
/** Longest time that another node's command may wait here. */
const SERVED_MS_MAX = 60_000;

export interface RuntimeParts {
  readonly kinds: readonly AnyKind[];
  readonly tables: Tables;
  /** Class Journal over the same tables. */
  readonly journal: ActorJournal;
  readonly bus: Bus;
  readonly placement: Placement;
  readonly clock: Clock;
  /** Clock of ids (`StampClock`), one for the whole node. */
  readonly stamps: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits?: Partial<RuntimeLimits>;
  readonly carrier?: RowCarrier;
  /** Resolves when all other nodes have received what was published before; absent in a cluster of one. */
  readonly untilReceived?: () => Promise<void> | undefined;
  /** Receives each alarm of an actor of this node once its row is written. */
  readonly alarmSet?: (alarm: AlarmRow) => void;
  /** Receives the figures of caches. */
  readonly caches?: Caches;
}

/**
 * The actors of one node. Sends commands to them, wherever they live, and hosts those of the shards that the cluster
 * assigns to it.
 */
export class Runtime implements Asker, ShardHost {
  readonly metrics: RuntimeMetrics = newMetrics();
  private readonly host = new NactHost();
  private readonly blueprints: ReadonlyMap<string, Blueprint>;
  private readonly around: ActivationContext;
  private readonly shards: Shards;
  private readonly residents: Activations;
  private readonly backlogs: BacklogScan;
  private readonly caller: Caller;
  private readonly carrier: RowCarrier;
  /** Timers of the hosted actors. The callers' own timers outlive it, so that callers get an answer after `close`. */
  private readonly scope: ClockScope;
  private readonly malformedLines = new LogBound(MALFORMED_LINES_MAX, MALFORMED_SPAN_MS);
  private takenUp: Promise<unknown> = Promise.resolve();
  private closed = false;
  private rescanning = false;

  constructor(parts: RuntimeParts) {
    const { tables, journal, bus, placement, clock, stamps, random, logger } = parts;
    const limits = { ...defaultLimits, ...parts.limits };
    const { metrics } = this;
    this.scope = new ClockScope(clock);
    this.blueprints = new Map(parts.kinds.map((kind) => [kind.name, blueprint(kind)]));
    this.around = {
      tables,
      journal,
      placement,
      clock: this.scope,
      stamps,
      steady: new SteadyClock(clock, placement),
      random,
      logger,
      limits,
      metrics,
      deadlines: new Deadlines(this.scope),
      fresh: new FreshIds(undefined, parts.caches),
      passivation: new PassivationTimer(this.scope, limits.quietMs),
      shortLived: new PassivationTimer(this.scope, limits.fleetingMs),
      writeBatch: new WriteBatch(tables),
      send: (message, timeoutMs) => this.caller.send(message, timeoutMs),
      publish: (subject, payload) => bus.publish(subject, payload),
      invalidated: parts.untilReceived ?? (() => undefined),
      alarmSet: parts.alarmSet ?? (() => undefined),
    };
    this.shards = new Shards(this.around, bus, (payload) => this.serve(payload));
    this.residents = new Activations(this.around, this.blueprints, this.shards, this.host, parts.caches);
    this.backlogs = new BacklogScan(tables, this.scope, (shard) => placement.epochOf(shard) !== undefined);
    const { blueprints, residents: local } = this;
    this.carrier = parts.carrier ?? carriesNothing;
    const { carrier } = this;
    this.caller = new Caller({ blueprints, local, bus, placement, clock, random, limits, metrics, carrier });
  }

  ask(
    kind: string,
    id: string,
    command: string,
    input: object,
    once?: string,
    timeoutMs = ASK_TIMEOUT_MS,
  ): Promise<unknown> {
    return this.caller.send({ kind, id, command, input, cause: undefined, idempotencyKey: once }, timeoutMs);
  }

  /** Returns the latest time in an id that this process minted; 0 before the first. */
  mintedMs(): number {
    return this.shards.mintedMs();
  }

  /** Mints an id of the shard; undefined when this node does not own it. */
  mintId(shard: number): string | undefined {
    return this.shards.mint(shard);
  }

  answerNow(kind: string, id: string, command: string, input: object): unknown {
    return this.residents.answerNow({ kind, id, command, input, cause: undefined, idempotencyKey: undefined })?.reply;
  }

  revisionNow(kind: string, id: string): object | undefined {
    return this.residents.revisionNow({ kind, id });
  }

  /**
   * Resolves when commands for the shards reach this node. The effects in their backlog are resumed in the background.
   */
  async acquire(shards: readonly number[]): Promise<void> {
    await Promise.all(shards.map((shard) => this.shards.hold(shard)));
    this.takenUp = this.scanAll(shards, SCAN_CONCURRENCY_MAX);
    this.rescanLater();
  }

  /** Returns the number of activations by kind, and those with the longest mailboxes. */
  load(busiestMax: number): ReturnType<Activations['load']> {
    return this.residents.load(busiestMax);
  }

  /**
   * Resolves when the before-reply effects in the backlog of the last acquired shards have been carried out, or a
   * reply's patience has run out. All rows then reflect every acknowledged command.
   */
  async caughtUp(): Promise<void> {
    await this.takenUp;
    await this.residents.caughtUp();
  }

  async release(shards: readonly number[], warm: (chunk: NodeHandoffChunk) => Promise<void>): Promise<void> {
    const leaving = shards.flatMap((shard) => this.shards.close(shard) ?? []);
    const giveUpMs = this.around.clock.monotonicMs() + this.around.limits.releaseMs;
    const activations = leaving.flatMap((held) => [...held.activations]);
    await eachBounded(activations, RELEASE_CONCURRENCY_MAX, async (activation) => {
      const snapshot = await activation.release(giveUpMs);
      if (snapshot === undefined) return;
      // The handoff is optional: the next owner can read the snapshot from the store.
      await warm({ actor: activation.name, snapshot }).catch((error: unknown) => {
        this.around.logger.warn({ actor: activation.name, err: error }, 'failed to hand over a warm activation');
      });
    });
    for (const held of leaving) this.shards.drop(held);
    for (const shard of shards) this.backlogs.forget(shard);
  }

  prime({ actor, snapshot }: NodeHandoffChunk): void {
    if (snapshot) this.residents.prime(actor, snapshot);
  }

  abandon(shards: readonly number[]): void {
    for (const shard of shards) {
      this.backlogs.forget(shard);
      const held = this.shards.close(shard);
      if (held === undefined) continue;
      for (const activation of [...held.activations]) activation.stop();
      this.shards.drop(held);
    }
  }

  /** True when no turn is due: all pending work waits for the store, the bus or the clock. */
  idle(): boolean {
    return this.host.idle();
  }

  /** Stops everything at once, as `abandon` does. Release the shards first for an orderly end. */
  close(): void {
    this.closed = true;
    this.abandon(this.shards.all().map(({ shard }) => shard));
    this.residents.close();
    this.scope.close();
    this.host.close();
  }

  /** Handles a command from another node. */
  private async serve(payload: Uint8Array): Promise<Served> {
    let decoded: ReturnType<typeof decodeCommand>;
    try {
      decoded = decodeCommand(this.blueprints, payload);
    } catch (error) {
      this.metrics.malformed += 1;
      const more = this.malformedLines.admits(this.around.clock.monotonicMs());
      if (more !== undefined)
        this.around.logger.warn({ err: error, bytes: payload.length, ...more }, 'failed to read a command');
      return encodeFailure(error);
    }
    const { message, timeoutMs } = decoded;
    const kind = this.blueprints.get(message.kind)?.kind as AnyKind;
    try {
      const replied = this.residents.deliver(
        message,
        this.around.clock.monotonicMs() + Math.min(timeoutMs, SERVED_MS_MAX),
      );
      if (replied === undefined) throw new NotTaken(`${message.kind}/${message.id} does not live here`);
      const reply = await replied;
      // Encodes the reply, with its rows, at the time it is sent. Rows that are written in between would otherwise be
      // published before the older version in the reply.
      return () => encodeReply(kind, message, reply, this.carrier);
    } catch (error) {
      return encodeFailure(error);
    }
  }

  /**
   * Rescans all held shards at intervals, because a backlog row that an earlier owner sent may be stored after the
   * shard was scanned. The floors to which scans lead are raised here, not while a node starts.
   */
  private rescanLater(): void {
    if (this.rescanning || this.closed) return;
    this.rescanning = true;
    this.around.clock.after(this.around.limits.rescanMs, async () => {
      const held = this.shards.all().map(({ shard }) => shard);
      await this.scanAll(held, RESCAN_CONCURRENCY_MAX);
      await this.backlogs.raise().catch((error: unknown) => {
        this.around.logger.warn({ err: error }, 'failed to raise the backlog floors; the next rescan raises them');
      });
      this.rescanning = false;
      this.rescanLater();
    });
  }

  /** Scans those shards that may have a backlog; all of them if the store cannot tell now. */
  private async scanAll(shards: readonly number[], atOnceMax: number): Promise<void> {
    const filled = await this.backlogs.filled(shards).catch(() => shards);
    await eachBounded(filled, atOnceMax, (shard) => this.scan(shard));
  }

  /** Finds the actors of a shard that may have unfinished effects, and resumes them. */
  private async scan(shard: number): Promise<void> {
    const { clock, logger, random } = this.around;
    for (let attempt = 0; this.shards.get(shard) !== undefined && !this.closed; ) {
      try {
        await this.backlogs.read(shard, (keys) => {
          for (const [actor, found] of byActor(keys)) this.residents.resume(actor, found);
        });
        return;
      } catch (error) {
        if (error instanceof Unavailable)
          logger.warn({ shard, err: error }, 'failed to read the effect backlog of a shard: the store is unavailable');
        else logger.error({ shard, err: error }, 'failed to read the effect backlog of a shard');
        const pauseMs = backoffMs(attempt++, SCAN_FIRST_MS, SCAN_MOST_MS, random);
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      }
    }
  }
}

function byActor(keys: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const key of keys) {
    const actor = backlogActor(key);
    found.set(actor, [...(found.get(actor) ?? []), key]);
  }
  return found;
}
