import { type ActorSystemRef, dispatch, type Ref, type SupervisionContext, spawn, start, stop } from 'nact';

/** The turns of one actor. They run one after the other, each from the event loop. */
export interface Hosted {
  /** Requests a turn. One request is enough until the turn begins; nact's own mailbox is unbounded. */
  wake(): void;
  stop(): void;
}

/** Options shared by all nact actors. */
const PROPS = {
  onCrash: (_message: unknown, _error: unknown, context: SupervisionContext<unknown, ActorSystemRef>) => context.stop,
};
/**
 * Idle nact actors in the pool, 1.5 KB each. The limit is the number of actors that have turns at the same time under
 * load.
 */
const IDLE_MAX = 1_024;

/**
 * nact's actor system with a pool of nact actors. An activation borrows one while turns are due: creating and stopping
 * one costs more than most turns, and one for each activation would add a quarter to its memory. The actors are spawned
 * under the system itself, because nact copies a parent's map of children on each of the parent's messages.
 */
export class NactHost {
  private readonly system: ActorSystemRef = start();
  private readonly idling: Ref<HostedActor>[] = [];
  private spawned = 0;
  private due = 0;

  /** True when no turn is due: all pending work waits for the store, the bus or the clock. */
  idle(): boolean {
    return this.due === 0;
  }

  /**
   * Returns the turns of one actor.
   * @param turn must not reject: nact would stop its actor and drop its messages
   */
  host(turn: () => Promise<void>): Hosted {
    return new HostedActor(turn, this);
  }

  /** Counts a turn that became due (1) or is no longer due (-1). */
  count(change: 1 | -1): void {
    this.due += change;
  }

  lend(): Ref<HostedActor> {
    const idle = this.idling.pop();
    if (idle !== undefined) return idle;
    this.spawned += 1;
    const begin = (_state: undefined, hosted: HostedActor) => hosted.begin() as Promise<undefined>;
    return spawn(this.system, begin, `turns-${this.spawned}`, PROPS);
  }

  /** Returns a nact actor to the pool. It may still be ending the turn that returns it. */
  takeBack(lent: Ref<HostedActor>): void {
    if (this.idling.length < IDLE_MAX) this.idling.push(lent);
    else stop(lent);
  }

  close(): void {
    stop(this.system);
  }
}

class HostedActor implements Hosted {
  /** Borrowed while a turn is due or under way, so that turns never overlap. */
  private lent: Ref<HostedActor> | undefined;
  private due = false;
  private stopped = false;

  constructor(
    private readonly turn: () => Promise<void>,
    private readonly host: NactHost,
  ) {}

  wake(): void {
    if (this.stopped || this.due) return;
    this.due = true;
    this.host.count(1);
    this.lent ??= this.host.lend();
    dispatch(this.lent, this);
  }

  /** Runs the requested turn, unless the actor was stopped before. */
  async begin(): Promise<void> {
    if (!this.stopped) {
      this.settle();
      await this.turn();
    }
    if (this.due || this.lent === undefined) return;
    this.host.takeBack(this.lent);
    this.lent = undefined;
  }

  stop(): void {
    this.stopped = true;
    this.settle();
  }

  private settle(): void {
    if (this.due) this.host.count(-1);
    this.due = false;
  }
}
