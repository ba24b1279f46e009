import type { Bus, Served, Subscription } from '../../../transport/bus.js';
import { actorSubject } from '../../../transport/bus.js';
import { Minter } from '../placement/minter.js';
import type { Activation } from './activation.js';
import type { ActivationContext } from './activation-context.js';

/** A shard that this node serves. */
export interface HeldShard {
  readonly shard: number;
  readonly minter: Minter;
  readonly activations: Set<Activation>;
  /** False once the shard is being released. */
  open: boolean;
  subscription: Subscription | undefined;
}

/** The shards that the cluster assigned to this node, with their subscriptions to commands from other nodes. */
export class Shards {
  private readonly held = new Map<number, HeldShard>();
  /** Minters outlive a release, so that ids still ascend when a shard comes back. */
  private readonly minters = new Map<number, Minter>();

  constructor(
    private readonly around: ActivationContext,
    private readonly bus: Bus,
    private readonly serve: (payload: Uint8Array) => Promise<Served>,
  ) {}

  /** The shard if this node holds it and it is open. */
  get(shard: number): HeldShard | undefined {
    const found = this.held.get(shard);
    return found?.open ? found : undefined;
  }

  all(): HeldShard[] {
    return [...this.held.values()];
  }

  /** The latest time in an id minted here; 0 before the first. */
  mintedMs(): number {
    let latestMs = 0;
    for (const minter of this.minters.values()) latestMs = Math.max(latestMs, minter.reachedMs);
    return latestMs;
  }

  /** Mints an id of the shard; undefined when this node does not own it. */
  mint(shard: number): string | undefined {
    return this.around.placement.epochOf(shard) === undefined ? undefined : this.get(shard)?.minter.next();
  }

  /** Opens the shard for commands: from this node at once, from other nodes when the promise resolves. */
  async hold(shard: number): Promise<HeldShard> {
    const before = this.held.get(shard);
    if (before?.open && before.subscription !== undefined) return before;
    const found: HeldShard = before?.open
      ? before
      : {
          shard,
          minter: this.minterOf(shard),
          activations: before?.activations ?? new Set(),
          open: true,
          subscription: undefined,
        };
    this.held.set(shard, found);
    const subscription = await this.serveShard(shard);
    if (found.open) found.subscription = subscription;
    else await subscription.close();
    return found;
  }

  /** Closes the shard to new commands. Queued commands are still answered. */
  close(shard: number): HeldShard | undefined {
    const found = this.held.get(shard);
    if (found === undefined) return undefined;
    found.open = false;
    const { subscription } = found;
    found.subscription = undefined;
    subscription?.close().catch((error: unknown) => {
      this.around.logger.warn({ shard, err: error }, 'failed to unsubscribe from a shard');
    });
    return found;
  }

  drop(found: HeldShard): void {
    if (this.held.get(found.shard) === found) this.held.delete(found.shard);
  }

  /** Serves the subject with the epoch and the subject without it, for callers that do not know the epoch. */
  private async serveShard(shard: number): Promise<Subscription> {
    const { placement } = this.around;
    const epoch = placement.ownerEpoch?.(shard) === undefined ? undefined : placement.epochOf(shard);
    const subjects = epoch === undefined ? [actorSubject(shard)] : [actorSubject(shard), actorSubject(shard, epoch)];
    const all = await Promise.all(subjects.map((subject) => this.bus.serve(subject, this.serve)));
    return { close: async () => void (await Promise.all(all.map((each) => each.close()))) };
  }

  private minterOf(shard: number): Minter {
    const known = this.minters.get(shard);
    if (known !== undefined) return known;
    const minter = new Minter(shard, () => this.around.stamps.nowMs());
    this.minters.set(shard, minter);
    return minter;
  }
}
