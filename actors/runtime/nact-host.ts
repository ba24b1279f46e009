import { type ActorSystemRef, dispatch, type Ref, type SupervisionContext, spawn, start, stop } from 'nact';

/** One actor as nact runs it: turns come one after the other, each from the event loop. */
export interface Hosted {
  /** Asks for a turn; once is enough until it begins: nact's own mailbox has no bound. */
  wake(): void;
  /** Nothing is expected for a while: nact's part of it, 1.5 KB, goes until the next turn. */
  rest(): void;
  stop(): void;
}

/** What all of them have in common, made once. */
const PROPS = {
  onCrash: (_message: unknown, _error: unknown, context: SupervisionContext<unknown, ActorSystemRef>) => context.stop,
};

/**
 * nact's actor system. Activations are spawned under the system itself, because nact copies a parent's map of children
 * on each of the parent's messages; under names of their own, because nact finds actors by name and a stopped
 * activation must not be mistaken for its successor.
 */
export class NactHost {
  private readonly system: ActorSystemRef = start();
  private spawned = 0;
  private due = 0;

  /** True when no turn is due: all that goes on waits for the store, the bus or the clock. */
  idle(): boolean {
    return this.due === 0;
  }

  /** @param turn must not reject: nact would stop the actor and forget its messages */
  host(kind: string, turn: () => Promise<void>): Hosted {
    return new HostedActor(kind, turn, this);
  }

  /** A turn of a hosted actor has become due (1), or is no more (-1). */
  count(change: 1 | -1): void {
    this.due += change;
  }

  spawn(kind: string, begin: () => Promise<void>): Ref<'turn'> {
    this.spawned += 1;
    return spawn(this.system, begin as () => Promise<undefined>, `${kind}-${this.spawned}`, PROPS);
  }

  close(): void {
    stop(this.system);
  }
}

class HostedActor implements Hosted {
  private actor: Ref<'turn'> | undefined;
  private due = false;
  private stopped = false;

  constructor(
    private readonly kind: string,
    private readonly turn: () => Promise<void>,
    private readonly host: NactHost,
  ) {}

  wake(): void {
    if (this.stopped || this.due) return;
    this.due = true;
    this.host.count(1);
    this.actor ??= this.host.spawn(this.kind, () => {
      this.settle();
      return this.turn();
    });
    dispatch(this.actor, 'turn');
  }

  rest(): void {
    if (this.due || this.actor === undefined) return;
    stop(this.actor);
    this.actor = undefined;
  }

  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.settle();
    if (this.actor !== undefined) stop(this.actor);
  }

  private settle(): void {
    if (this.due) this.host.count(-1);
    this.due = false;
  }
}
