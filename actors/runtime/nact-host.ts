import { type ActorSystemRef, dispatch, type Ref, spawn, start, stop } from 'nact';

/** One actor as nact runs it: turns come one after the other, each from the event loop. */
export interface Hosted {
  /** Asks for a turn; once is enough until it begins: nact's own mailbox has no bound. */
  wake(): void;
  stop(): void;
}

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
    this.spawned += 1;
    let due = false;
    const settle = () => {
      if (due) this.due -= 1;
      due = false;
    };
    const begin = (_state: undefined, _message: 'turn'): Promise<undefined> => {
      settle();
      return turn() as Promise<undefined>;
    };
    const actor: Ref<'turn'> = spawn(this.system, begin, `${kind}-${this.spawned}`, {
      onCrash: (_message, _error, context) => context.stop,
    });
    let stopped = false;
    return {
      wake: () => {
        if (stopped || due) return;
        due = true;
        this.due += 1;
        dispatch(actor, 'turn');
      },
      stop: () => {
        if (stopped) return;
        stopped = true;
        settle();
        stop(actor);
      },
    };
  }

  close(): void {
    stop(this.system);
  }
}
