import { type RowWrite, WRITE_ROWS_MAX } from '../../store/port.js';
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
}

/** An effect of that entry is on its way to an actor, and its answer not here yet. */
export interface Wait {
  readonly target: string;
  readonly seq: number;
}

/** Who is told of them. */
export interface Waits {
  begin(wait: Wait): void;
  end(wait: Wait): void;
}

/** What leaves one after the other, of entries that are carried out side by side. */
export class InOrder {
  /** The last command to each actor: one waits for the other, so that they arrive in order. */
  private latest: Map<string, Promise<unknown>> | undefined;
  /** Rows that go to the store with the next write, the last of each, by its name. */
  private gathered: Map<string, RowWrite> | undefined;
  private written: Promise<void> = Promise.resolve();

  after<T>(target: string, action: () => Promise<T>): Promise<T> {
    const earlier = this.latest?.get(target);
    const outcome = earlier === undefined ? action() : earlier.then(action);
    this.latest ??= new Map();
    this.latest.set(target, outcome);
    return outcome;
  }

  /**
   * Rows of all that ask at once, or while the write before is under way, go in one: the account's row once for thirty
   * followers. A later write of a row never goes before an earlier one.
   */
  write(rows: readonly RowWrite[], action: (rows: readonly RowWrite[]) => Promise<void>): Promise<void> {
    const names = rows.map(nameOf);
    const { gathered } = this;
    if (gathered !== undefined && gathered.size + rows.length <= WRITE_ROWS_MAX) {
      for (const [place, row] of rows.entries()) gathered.set(names[place] as string, row);
      return this.written;
    }
    const next = new Map(rows.map((row, place) => [names[place] as string, row]));
    this.gathered = next;
    this.written = this.written.then(() => {
      if (this.gathered === next) this.gathered = undefined;
      return action([...next.values()]);
    });
    return this.written;
  }
}

const nameOf = ({ table, key }: RowWrite): string => `${table.name}\0${Object.values(key).join('\0')}`;

/** The effects of one entry, numbered in the order in which the reactions ask for them. Tried until done or halted. */
export class EntryEffects implements Effects {
  private n = 0;

  constructor(
    private readonly around: Surroundings,
    private readonly from: EffectSource,
    private readonly waits: Waits,
    private readonly seq: number,
    private readonly order: InOrder,
    /** Of what is carried out side by side a write that is repeated must not undo a later one's. */
    private readonly alone: boolean,
  ) {}

  write(rows: readonly RowWrite[]): Promise<void> {
    // Not yet durable is good enough: the cursor is written behind them, and without it the effect is done anew.
    const action = (all: readonly RowWrite[]) => this.untilDone(() => this.around.tables.write(all, DEFERRED));
    return this.alone ? action(rows) : this.order.write(rows, action);
  }

  tell(kind: string, id: string, command: string, input: object): Promise<unknown> {
    const cause = { actor: this.from.source, seq: this.seq, n: this.n++ };
    const target = actorName({ kind, id });
    const message = { kind, id, command, input, cause, once: undefined };
    const attempt = () => this.around.send(message, this.around.limits.attemptMs);
    const action = () => this.waitingFor(target, () => this.untilDone(() => this.from.halt.race(attempt())));
    return this.order.after(target, action);
  }

  publish(subject: string, payload: Uint8Array): void {
    if (this.from.halt.halted) throw new Halted();
    this.around.publish(subject, payload);
  }

  private async waitingFor<T>(target: string, action: () => Promise<T>): Promise<T> {
    const { seq } = this;
    const wait = { target, seq };
    this.waits.begin(wait);
    try {
      return await action();
    } finally {
      this.waits.end(wait);
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
