import type { RowWrite } from '../../store/port.js';
import { Unavailable } from '../domain/problem.js';
import { backoffMs } from './backoff.js';
import { type Halt, Halted } from './halt.js';
import { actorName, type Effects } from './kind.js';
import type { Surroundings } from './surroundings.js';

/** First and longest wait between two tries of an effect: an outage of minutes costs a try every few seconds. */
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 5_000;
/** By then it is no hiccup. */
const TRIES_BEFORE_WARNING = 6;

const DEFERRED = { deferred: true } as const;

/** Whose effects they are. */
export interface EffectSource {
  /** As receivers know it: they expect a source's effects in order, which holds within one lane only. */
  readonly source: string;
  readonly shard: number;
  readonly epoch: number;
  readonly halt: Halt;
  /** Actors that this lane is waiting for now, each as often as it is asked; nothing while it waits for none. */
  asked: string[] | undefined;
}

/** What leaves one after the other, of entries that are carried out side by side. */
export class InOrder {
  /** The last command to each actor: one waits for the other, so that they arrive in order. */
  private latest: Map<string, Promise<unknown>> | undefined;

  after<T>(target: string, action: () => Promise<T>): Promise<T> {
    const earlier = this.latest?.get(target);
    const outcome = earlier === undefined ? action() : earlier.then(action);
    this.latest ??= new Map();
    this.latest.set(target, outcome);
    return outcome;
  }
}

/** Stands for the store among the targets of effects. */
const STORE = '';

/** The effects of one entry, numbered in the order in which the reactions ask for them. Tried until done or halted. */
export class EntryEffects implements Effects {
  private n = 0;

  constructor(
    private readonly around: Surroundings,
    private readonly from: EffectSource,
    private readonly seq: number,
    private readonly order: InOrder,
    /** Of several entries at once a write that is repeated must not undo a later one's. */
    private readonly alone: boolean,
  ) {}

  write(rows: readonly RowWrite[]): Promise<void> {
    // Not yet durable is good enough: the cursor is written behind them, and without it the effect is done anew.
    const action = () => this.untilDone(() => this.around.tables.write(rows, DEFERRED));
    return this.alone ? action() : this.order.after(STORE, action);
  }

  tell(kind: string, id: string, command: string, input: object): Promise<unknown> {
    const cause = { actor: this.from.source, seq: this.seq, n: this.n++ };
    const target = actorName({ kind, id });
    const attempt = () => this.around.send({ kind, id, command, input, cause }, this.around.limits.attemptMs);
    const action = () => this.waitingFor(target, () => this.untilDone(() => this.from.halt.race(attempt())));
    return this.order.after(target, action);
  }

  publish(subject: string, payload: Uint8Array): void {
    if (this.from.halt.halted) throw new Halted();
    this.around.publish(subject, payload);
  }

  private async waitingFor<T>(target: string, action: () => Promise<T>): Promise<T> {
    const { from } = this;
    from.asked ??= [];
    const { asked } = from;
    asked.push(target);
    try {
      return await action();
    } finally {
      asked.splice(asked.indexOf(target), 1);
      if (asked.length === 0) from.asked = undefined;
    }
  }

  private async untilDone<T>(action: () => Promise<T>): Promise<T> {
    const { around, from } = this;
    for (let attempt = 0; ; attempt++) {
      if (from.halt.halted) throw new Halted();
      try {
        // A fenced owner's rows could hide its successor's.
        if (around.placement.epochOf(from.shard) === from.epoch) return await action();
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        if (attempt === TRIES_BEFORE_WARNING) {
          around.logger.warn({ source: from.source, seq: this.seq, err: error }, 'an effect is tried again and again');
        }
      }
      await from.halt.sleep(around.clock, backoffMs(attempt, RETRY_FIRST_MS, RETRY_MOST_MS, around.random));
    }
  }
}
