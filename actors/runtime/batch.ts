import type { ActorCore, Decided } from './core.js';
import type { Delivery } from './delivery.js';

/** A decided command whose reply waits for the batch to be durable. */
export interface Answer {
  readonly delivery: Delivery;
  readonly reply: unknown;
  /** The last entry that the reply may tell of. */
  readonly seq: number;
}

export interface DecidedBatch {
  readonly answers: readonly Answer[];
  readonly decided: readonly Decided[];
  readonly repeats: number;
  /** The command on which decide or apply threw. What came before it stands. */
  readonly fault?: { readonly delivery: Delivery; readonly error: Error };
  /** Behind the fault, not looked at. */
  readonly untouched: readonly Delivery[];
}

/** Decides commands one after the other, each upon what those before it decided. */
export function decideBatch(core: ActorCore, taken: readonly Delivery[], wallMs: number): DecidedBatch {
  const answers: Answer[] = [];
  const decided: Decided[] = [];
  let repeats = 0;
  for (const [index, delivery] of taken.entries()) {
    // Its caller has given up: to decide it now would do what nobody waits for.
    if (!delivery.open) continue;
    try {
      const { command, input, cause, once } = delivery;
      const handled = core.handle(command, input, cause, wallMs, once);
      if (handled.repeated) repeats += 1;
      if (handled.decided !== undefined) decided.push(handled.decided);
      answers.push({ delivery, reply: handled.reply, seq: core.seq });
    } catch (error) {
      const fault = { delivery, error: error as Error };
      return { answers, decided, repeats, fault, untouched: taken.slice(index + 1) };
    }
  }
  return { answers, decided, repeats, untouched: [] };
}
