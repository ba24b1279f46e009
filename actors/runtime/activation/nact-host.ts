import { type ActorSystemRef, dispatch, type Ref, type SupervisionContext, spawn, start, stop } from 'nact';

/** One actor's turns: they come one after the other, each from the event loop. */
export interface Hosted {
  /** Asks for a turn; once is enough until it begins: nact's own mailbox has no bound. */
  wake(): void;
  stop(): void;
}

/** What all of them have in common, made once. */
const PROPS = {
  onCrash: (_message: unknown, _error: unknown, context: SupervisionContext<unknown, ActorSystemRef>) => context.stop,
};
/** nact's actors that wait for somebody to lend themselves to, 1.5 KB each: as many as have turns at a time under load. */
const IDLE_MAX = 1_024;

/**
 * nact's actor system. Its actors are lent for as long as turns are due: to make one and to stop it costs more than
 * most turns, and one for each activation would be a quarter of what that takes in memory. They are spawned under the
 * system itself, because nact copies a parent's map of children on each of the parent's messages.
 */
export class NactHost {
  private readonly system: ActorSystemRef = start();
  private readonly idling: Ref<HostedActor>[] = [];
  private spawned = 0;
  private due = 0;

  /** True when no turn is due: all that goes on waits for the store, the bus or the clock. */
  idle(): boolean {
    return this.due === 0;
  }

  /** @param turn must not reject: nact would stop its actor and forget its messages */
  host(turn: () => Promise<void>): Hosted {
    return new HostedActor(turn, this);
  }

  /** A turn of a hosted actor has become due (1), or is no more (-1). */
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

  /** It has nothing to do but to end the turn that gives it back. */
  takeBack(lent: Ref<HostedActor>): void {
    if (this.idling.length < IDLE_MAX) this.idling.push(lent);
    else stop(lent);
  }

  close(): void {
    stop(this.system);
  }
}

class HostedActor implements Hosted {
  /** As long as a turn is due or under way: so turns never overlap. */
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

  /** The turn that was asked for, unless it was stopped before. */
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
