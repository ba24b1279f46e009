import type { NodeActorReply } from '../../../proto/gen/types.js';
import { actorSubject, type Bus, NotDelivered } from '../../../transport/bus.js';
import { idShard } from '../../domain/ids.js';
import { Unavailable } from '../../domain/problem.js';
import type { Clock, Random } from '../../domain/time.js';
import type { Blueprint } from '../blueprint.js';
import type { RowCarrier } from '../carried-rows.js';
import { backoffMs } from '../effects/backoff.js';
import type { RuntimeLimits } from '../limits.js';
import type { RuntimeMetrics } from '../metrics.js';
import type { Placement } from '../placement/placement.js';
import { NotKnownYet, notKnown } from '../state/core.js';
import { type Message, NotTaken } from './delivery.js';
import { UntilMoved } from './until-moved.js';
import { encodeCommand, openReply, readReply } from './wire.js';

/**
 * First and longest pause between two attempts to find an actor's owner: a handover takes some tens of milliseconds, a
 * takeover seconds.
 */
const RETRY_FIRST_MS = 10;
const RETRY_MOST_MS = 500;

/** The actors of this node, as a caller sees them. */
export interface LocalActors {
  /** The reply; undefined when the actor does not live here. */
  deliver(message: Message, deadlineMs: number): Promise<unknown> | undefined;
}

interface CallerNeeds {
  readonly blueprints: ReadonlyMap<string, Blueprint>;
  readonly local: LocalActors;
  readonly bus: Bus;
  readonly placement: Pick<Placement, 'ownerEpoch' | 'format'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: RuntimeLimits;
  readonly metrics: RuntimeMetrics;
  readonly carrier: RowCarrier;
}

/** Random bytes of the name in this process's idempotency keys: unique among nodes and their restarts. */
const NAME_BYTES = 9;

/** Sends commands to an actor's owner, and retries while the actor moves. */
export class Caller {
  private readonly name: string;
  private readonly untilMoved: UntilMoved;
  private keys = 0;

  constructor(private readonly needs: CallerNeeds) {
    this.untilMoved = new UntilMoved(needs.placement, needs.clock);
    this.name = Buffer.from(needs.random.bytes(NAME_BYTES)).toString('base64url');
  }

  /**
   * Resolves to the actor's reply.
   * @throws Unavailable past the deadline, or when the actor cannot answer; NotKnownYet; Error for a bug in the actor
   */
  send(asked: Message, timeoutMs: number): Promise<unknown> {
    const { blueprints, clock, local } = this.needs;
    const found = blueprints.get(asked.kind);
    if (found === undefined || !Object.hasOwn(found.kind.commands, asked.command)) {
      return Promise.reject(new Error(`${asked.kind} has no command ${asked.command}`));
    }
    const since = found.kind.commands[asked.command]?.since ?? 0;
    if (since > (this.needs.placement.format?.() ?? Number.POSITIVE_INFINITY)) {
      return Promise.reject(new NotKnownYet(notKnown(`the command ${asked.command}`, asked.kind)));
    }
    const lacksKey = asked.idempotencyKey === undefined && asked.cause === undefined && found.keyed.has(asked.command);
    const message = lacksKey ? { ...asked, idempotencyKey: `${this.name}.${++this.keys}` } : asked;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    const reply = local.deliver(message, deadlineMs);
    if (reply === undefined) return this.search(found, message, deadlineMs);
    return reply.catch((error: unknown) => {
      if (!(error instanceof NotTaken)) throw error;
      return this.search(found, message, deadlineMs);
    });
  }

  private async search(found: Blueprint, message: Message, deadlineMs: number): Promise<unknown> {
    const { clock, local, random } = this.needs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await (local.deliver(message, deadlineMs) ?? this.askElsewhere(found, message, deadlineMs));
      } catch (error) {
        if (!(error instanceof NotTaken)) throw error;
        const pauseMs = backoffMs(attempt, RETRY_FIRST_MS, RETRY_MOST_MS, random);
        if (clock.monotonicMs() + pauseMs >= deadlineMs) {
          throw new Unavailable(`found no owner of ${message.kind}/${message.id} in time`, { cause: error });
        }
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      }
    }
  }

  private async askElsewhere(
    { kind, repeatable: mayRepeat }: Blueprint,
    message: Message,
    deadlineMs: number,
  ): Promise<unknown> {
    const { bus, carrier, clock, limits, metrics } = this.needs;
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) throw new NotTaken('no time is left');
    if (bus.downMs() > limits.busPatienceMs) throw new Unavailable('the bus has been down for too long');
    // A repeatable command has a short timeout: its owner may have died and another may have taken over.
    const repeatable = mayRepeat(message);
    const timeoutMs = repeatable ? Math.min(leftMs, limits.attemptMs) : leftMs;
    // With a key, the owner gets the whole time: the next attempt waits for the outcome of this one.
    const payload = encodeCommand(kind, message, message.idempotencyKey === undefined ? timeoutMs : leftMs);
    metrics.remoteAsks += 1;
    let opened: NodeActorReply | undefined;
    let bytes: Uint8Array;
    try {
      const shard = idShard(message.id);
      const answer = this.request(shard, payload, timeoutMs, (arrived) => {
        opened = openReply(arrived);
        if (opened.rows.length > 0) carrier.unload(opened.rows);
      });
      bytes = await (repeatable ? this.untilMoved.wait(shard, answer) : answer);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (error instanceof NotDelivered || repeatable) throw new NotTaken(error.message, { cause: error });
      throw error;
    }
    return readReply(kind, message.command, opened ?? openReply(bytes));
  }

  private async request(
    shard: number,
    payload: Uint8Array,
    timeoutMs: number,
    arrived: (answer: Uint8Array) => void,
  ): Promise<Uint8Array> {
    const { bus, placement } = this.needs;
    const epoch = placement.ownerEpoch?.(shard);
    if (epoch !== undefined) {
      try {
        return await bus.request(actorSubject(shard, epoch), payload, timeoutMs, arrived);
      } catch (error) {
        if (!(error instanceof NotDelivered)) throw error;
      }
    }
    // The owner is not the one that this node knows, or runs an older version that does not serve subjects with epochs.
    return bus.request(actorSubject(shard), payload, timeoutMs, arrived);
  }
}
