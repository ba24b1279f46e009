import type { Bus, Served, Subscription } from '../../../transport/bus.js';
import { actorSubject } from '../../../transport/bus.js';
import { Minter } from '../placement/minter.js';
import { StampClock } from '../placement/stamp-clock.js';
import type { Activation } from './activation.js';
import type { Surroundings } from './activation-context.js';

/** A shard that this node serves. */
export interface HeldShard {
  readonly shard: number;
  readonly minter: Minter;
  readonly activations: Set<Activation>;
  /** False once it is on its way to another node. */
  open: boolean;
  subscription: Subscription | undefined;
}

/** The shards that the cluster gave to this node, and whom their commands from other nodes reach. */
export class Shards {
  private readonly held = new Map<number, HeldShard>();
  /** Kept when a shard leaves: should it come back, its ids still ascend. */
  private readonly minters = new Map<number, Minter>();
  private readonly stamps: StampClock;

  constructor(
    private readonly around: Surroundings,
    private readonly bus: Bus,
    private readonly serve: (payload: Uint8Array) => Promise<Served>,
  ) {
    this.stamps = new StampClock(around.clock, around.placement);
  }

  /** The shard, if it is held and open. */
  get(shard: number): HeldShard | undefined {
    const found = this.held.get(shard);
    return found?.open ? found : undefined;
  }

  all(): HeldShard[] {
    return [...this.held.values()];
  }

  /** The latest time in an id that was minted here; 0 before the first. */
  mintedMs(): number {
    let latestMs = 0;
    for (const minter of this.minters.values()) latestMs = Math.max(latestMs, minter.reachedMs);
    return latestMs;
  }

  /** A fresh id of the shard; undefined when it is not owned here. */
  mint(shard: number): string | undefined {
    return this.around.placement.epochOf(shard) === undefined ? undefined : this.get(shard)?.minter.next();
  }

  /** Begins to take commands, from this node at once and from others when resolved. */
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

  /** Takes no more commands. Those that came are still answered. */
  close(shard: number): HeldShard | undefined {
    const found = this.held.get(shard);
    if (found === undefined) return undefined;
    found.open = false;
    const { subscription } = found;
    found.subscription = undefined;
    subscription?.close().catch((error: unknown) => {
      this.around.logger.warn({ shard, err: error }, 'a shard is still subscribed to');
    });
    return found;
  }

  drop(found: HeldShard): void {
    if (this.held.get(found.shard) === found) this.held.delete(found.shard);
  }

  /** For those who know under which epoch it is owned, and for those who do not. */
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
    const minter = new Minter(shard, () => this.stamps.nowMs());
    this.minters.set(shard, minter);
    return minter;
  }
}
