import type { StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { Cache, type Caches } from '../../../store/cache/cache.js';
import { idShard } from '../../domain/ids.js';
import { Unavailable } from '../../domain/problem.js';
import type { LocalActors } from '../asking/caller.js';
import { Delivery, type Message, NotTaken } from '../asking/delivery.js';
import type { Blueprint } from '../blueprint.js';
import { actorName } from '../kind.js';
import type { Handled } from '../state/core.js';
import { Activation } from './activation.js';
import type { ActivationContext } from './activation-context.js';
import { isForgetCall } from './forgetting.js';
import { HotActors } from './hot-actors.js';
import type { NactHost } from './nact-host.js';
import type { HeldShard, Shards } from './shards.js';

/** Precision of the LRU order. */
const TOUCH_MS = 1_000;
/** Interval of the search for idle activations. */
const SWEEP_MS = 30_000;
/** Activations examined to evict one: enough to pass over busy ones. */
const EVICTION_SCAN_MAX = 64;
/** Entries of the lookup by id, which saves building the name for each query. An entry takes about 50 bytes. */
const ASKED_MAX = 16_384;
/** Memory of a primed snapshot besides its state, in bytes. */
const PRIMED_BYTES = 1_024;
/** Delay before an actor with unfinished effects is activated again after a stop. */
const REVIVE_MS = 1_000;

/** The kind of which operators see the busiest actors. */
const HOT_KIND = 'account';

/** The activations of this node, least recently used first. Activates, finds and evicts them. */
export class Activations implements LocalActors {
  private readonly byName = new Map<string, Activation>();
  /** Activations that were queried recently, by id. If two kinds share an id, it holds either. */
  private readonly asked: Cache<Activation>;
  private readonly ending = new Map<string, Promise<void>>();
  private readonly primed: Cache<StoreSnapshotRecord>;
  private readonly hot: HotActors;
  private sweeping = false;
  private closed = false;

  constructor(
    private readonly around: ActivationContext,
    private readonly blueprints: ReadonlyMap<string, Blueprint>,
    private readonly shards: Shards,
    private readonly host: NactHost,
    caches?: Caches,
  ) {
    const { primedBytesMax } = around.limits;
    this.primed = new Cache('primed_snapshots', primedBytesMax / PRIMED_BYTES, caches, {
      of: ({ state }) => PRIMED_BYTES + (state?.length ?? 0),
      max: primedBytesMax,
    });
    this.hot = new HotActors(around.clock);
    this.asked = new Cache('activations_by_id', ASKED_MAX, caches);
  }

  deliver(message: Message, deadlineMs: number): Promise<unknown> | undefined {
    let activation: Activation | undefined;
    try {
      activation = this.activationOf(message.kind, message.id);
    } catch (error) {
      return Promise.reject(error);
    }
    if (activation === undefined) return undefined;
    const { command, input, cause, idempotencyKey } = message;
    const now = this.queried(activation, message);
    if (now !== undefined) return Promise.resolve(now.reply);
    this.countAsk(message);
    const repeatable = this.blueprints.get(message.kind)?.repeatable(message) ?? false;
    const target = activation;
    return new Promise((resolve, reject) => {
      const { deadlines } = this.around;
      const delivery = new Delivery(
        command,
        input,
        cause,
        idempotencyKey,
        deadlineMs,
        repeatable,
        resolve,
        reject,
        deadlines,
      );
      if (isForgetCall(command, input)) target.forget(delivery);
      else target.offer(delivery);
    });
  }

  /** The reply to a query if the actor is idle on this node; undefined when the query must be queued. */
  answerNow(message: Message): Handled | undefined {
    const activation = this.find(message);
    return activation && this.queried(this.touch(activation.name, activation), message);
  }

  /** The revision of the actor's state if it is idle on this node. */
  revisionNow(actor: Pick<Message, 'kind' | 'id'>): object | undefined {
    const activation = this.find(actor);
    if (activation === undefined || !this.shards.get(activation.shard)) return undefined;
    return this.touch(activation.name, activation).coreNow()?.revision;
  }

  private find(actor: Pick<Message, 'kind' | 'id'>): Activation | undefined {
    const asked = this.asked.get(actor.id);
    if (asked?.kind === actor.kind) return asked;
    const activation = this.byName.get(actorName(actor));
    if (activation !== undefined) this.asked.set(actor.id, activation);
    return activation;
  }

  private queried(activation: Activation, { kind, id, command, input, cause }: Message): Handled | undefined {
    if (cause !== undefined || this.blueprints.get(kind)?.queries.has(command) !== true) return undefined;
    if (!this.shards.get(activation.shard)) return undefined;
    const handled = activation.coreNow()?.query(command, input, this.around.clock.nowMs());
    if (handled !== undefined) this.countAsk({ kind, id });
    return handled;
  }

  private countAsk({ kind, id }: Pick<Message, 'kind' | 'id'>): void {
    this.around.metrics.asks += 1;
    if (kind === HOT_KIND) this.hot.count(id);
  }

  /**
   * Activates the actor to carry out the effects that these backlog rows stand for.
   * @throws Unavailable when it cannot be activated now
   */
  resume(name: string, backlogKeys: readonly string[]): void {
    const slash = name.indexOf('/');
    const [kind, id] = [name.slice(0, slash), name.slice(slash + 1)];
    if (!this.blueprints.has(kind)) {
      this.around.logger.error({ actor: name }, 'the backlog names an actor of an unknown kind');
      return;
    }
    const running = this.byName.get(name);
    if (running !== undefined) running.adopt(backlogKeys);
    else if (this.activationOf(kind, id, backlogKeys) === undefined)
      throw new NotTaken(`${name} does not live here now`);
  }

  /**
   * Returns the number of activations by kind, those with the longest mailboxes, longest first, and the accounts with the
   * most commands of the last minutes.
   */
  load(busiestMax: number) {
    const kinds: Record<string, number> = {};
    const waiting: Activation[] = [];
    for (const activation of this.byName.values()) {
      kinds[activation.kind] = (kinds[activation.kind] ?? 0) + 1;
      if (activation.waiting > 0) waiting.push(activation);
    }
    const busiest = waiting.sort((one, other) => other.waiting - one.waiting).slice(0, busiestMax);
    const longest = busiest.map(({ kind, id, waiting: count }) => ({ kind, id, waiting: count }));
    return { kinds, busiest: longest, hot: this.hot.top(busiestMax) };
  }

  /** Resolves when the activations in memory now have no before-reply effects left that a reply waits for. */
  async caughtUp(): Promise<void> {
    await Promise.all(Array.from(this.byName.values(), (activation) => activation.caughtUp()));
  }

  prime(name: string, snapshot: StoreSnapshotRecord): void {
    this.primed.set(name, snapshot);
  }

  close(): void {
    this.closed = true;
    for (const activation of [...this.byName.values()]) activation.stop();
  }

  /** Returns the actor's activation, created if necessary; undefined when this node does not own its shard. */
  private activationOf(kind: string, id: string, backlogKeys: readonly string[] = []): Activation | undefined {
    const name = `${kind}/${id}`;
    const known = this.byName.get(name);
    if (known !== undefined) {
      const epochNow = this.around.placement.epochOf(known.shard);
      if (epochNow === undefined || !this.shards.get(known.shard)) return undefined;
      if (epochNow === known.epoch) return this.touch(name, known);
      known.stop();
    }
    const shard = idShard(id);
    const held = this.shards.get(shard);
    const epoch = this.around.placement.epochOf(shard);
    const found = this.blueprints.get(kind);
    if (held === undefined || epoch === undefined || found === undefined || this.closed) return undefined;
    return this.activate(name, found, id, held, epoch, backlogKeys);
  }

  private activate(
    name: string,
    found: Blueprint,
    id: string,
    held: HeldShard,
    epoch: number,
    backlogKeys: readonly string[],
  ): Activation {
    this.makeRoom();
    const activation: Activation = new Activation(
      this.around,
      {
        blueprint: found,
        id,
        shard: held.shard,
        epoch,
        minter: held.minter,
        primed: this.primed.get(name),
        isNew: found.kind.minted === true && this.around.fresh.take(id, epoch),
        backlogKeys,
        predecessor: this.ending.get(name) ?? Promise.resolve(),
        leave: () => this.passivate(activation),
        onStopped: () => {
          this.around.fresh.forget(id);
          this.forget(name, held, activation);
        },
      },
      this.host,
    );
    this.primed.delete(name);
    this.byName.set(name, activation);
    this.asked.delete(id);
    held.activations.add(activation);
    this.around.metrics.activated += 1;
    this.around.metrics.activations = this.byName.size;
    this.sweepLater();
    return activation;
  }

  private forget(name: string, held: HeldShard, activation: Activation): void {
    if (this.byName.get(name) === activation) this.byName.delete(name);
    if (this.asked.peek(activation.id) === activation) this.asked.delete(activation.id);
    held.activations.delete(activation);
    this.around.metrics.activations = this.byName.size;
    if (activation.atWork || this.ending.has(name)) {
      const ended = Promise.all([this.ending.get(name), activation.ended()]).then(() => {
        if (this.ending.get(name) === ended) this.ending.delete(name);
      });
      this.ending.set(name, ended);
    }
    if (activation.unfinished.length > 0) this.reviveLater(name, held, activation.unfinished);
  }

  /** Activates an actor with unfinished effects again, as long as this node owns the shard. */
  private reviveLater(name: string, held: HeldShard, backlogKeys: readonly string[]): void {
    if (!held.open || this.closed) return;
    this.around.clock.after(REVIVE_MS, () => {
      if (!held.open || this.closed) return;
      try {
        this.resume(name, backlogKeys);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        this.reviveLater(name, held, backlogKeys);
      }
    });
  }

  private touch(name: string, activation: Activation): Activation {
    const now = this.around.clock.monotonicMs();
    if (now - activation.usedMs < TOUCH_MS) return activation;
    activation.usedMs = now;
    this.byName.delete(name);
    this.byName.set(name, activation);
    return activation;
  }

  /**
   * Evicts idle activations when the limit is reached.
   * @throws Unavailable when too many activations are busy
   */
  private makeRoom(): void {
    const { activationsMax } = this.around.limits;
    if (this.byName.size < activationsMax) return;
    let scanned = 0;
    for (const activation of this.byName.values()) {
      if (scanned++ >= EVICTION_SCAN_MAX || this.byName.size < activationsMax) break;
      if (activation.quiet) this.passivate(activation);
    }
    // Activations that are ending still count, so they get an eighth of the limit on top.
    if (this.byName.size >= activationsMax + Math.ceil(activationsMax / 8)) {
      throw new Unavailable('too many actors are busy on this node');
    }
  }

  private passivate(activation: Activation): void {
    if (activation.leaves()) {
      this.around.metrics.passivated += 1;
      return;
    }
    activation.passivate().then(
      (gone) => {
        if (gone) this.around.metrics.passivated += 1;
      },
      (error: unknown) =>
        this.around.logger.error({ actor: activation.name, err: error }, 'failed to passivate an actor'),
    );
  }

  private sweepLater(): void {
    if (this.sweeping) return;
    this.sweeping = true;
    const { clock, limits } = this.around;
    clock.after(Math.min(SWEEP_MS, limits.idleMs), () => {
      this.sweeping = false;
      if (this.closed) return;
      const idleSince = clock.monotonicMs() - limits.idleMs;
      for (const activation of [...this.byName.values()]) {
        if (activation.usedMs > idleSince) break;
        if (activation.quiet) this.passivate(activation);
      }
      if (this.byName.size > 0) this.sweepLater();
    });
  }
}
