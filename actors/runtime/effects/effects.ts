import { type RowWrite, WRITE_ROWS_MAX } from '../../../store/port.js';
import { Unavailable } from '../../domain/problem.js';
import type { Surroundings } from '../activation/activation-context.js';
import { type Halt, Halted } from '../asking/cancellation.js';
import { actorName, type Effects } from '../kind.js';
import { alarmRow } from './alarm-row.js';
import { backoffMs } from './backoff.js';

/** First and longest wait between two tries of an effect: an outage of minutes costs a try every few seconds. */
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 5_000;
/** By then it is no hiccup. */
const TRIES_BEFORE_WARNING = 6;

const DEFERRED = { deferred: true } as const;

/** Whose effects they are. */
export interface EffectSource {
  /** `kind/id`. */
  readonly actor: string;
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

/** One entry's commands to one actor. */
interface Turn {
  readonly seq: number;
  /** The last command asked for; rejected if that one or one before it in the same attempt failed. */
  latest: Promise<unknown> | undefined;
  /** Called when the actor has received all of them, or the entry is done. */
  readonly atEnd: (() => void)[];
}

/** Order among entries whose effects are carried out side by side. */
export class InOrder {
  /** Turns that are not over, by the actor that is told, in order of the entries. */
  private turns: Map<string, Turn[]> | undefined;
  /** Rows that go to the store with the next write, the last of each, by its name. */
  private gathered: Map<string, RowWrite> | undefined;
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly halt: Halt) {}

  /**
   * Runs the action once the target has received what earlier entries have for it. An earlier entry that fails keeps
   * its turn until a later attempt succeeds: receivers drop commands of entries before the last that they know.
   */
  after<T>(target: string, seq: number, action: () => Promise<T>): Promise<T> {
    const turn = this.turnOf(target, seq);
    const earlier = turn.latest ?? this.earlierThan(turn, target);
    const outcome = earlier === undefined ? action() : earlier.then(action);
    turn.latest = outcome;
    outcome.then(
      () => {
        if (turn.latest === outcome) this.endTurn(target, turn);
      },
      () => undefined,
    );
    return outcome;
  }

  /** An attempt of the entry failed: the next one starts anew. */
  failed(seq: number): void {
    for (const turns of this.turns?.values() ?? []) {
      for (const turn of turns) if (turn.seq === seq) turn.latest = undefined;
    }
  }

  /** The entry is done, also if its last attempt told fewer actors than one before. */
  finished(seq: number): void {
    for (const [target, turns] of this.turns ?? []) {
      for (const turn of turns) if (turn.seq === seq) this.endTurn(target, turn);
    }
  }

  /**
   * Rows of all that ask at once, or while the write before is under way, go in one: the account's row once for thirty
   * followers. A later write of a row never goes before an earlier one. A write that fails fails for those in it only.
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
    const send = () => {
      if (this.gathered === next) this.gathered = undefined;
      return action([...next.values()]);
    };
    this.written = this.written.then(send, send);
    return this.written;
  }

  private turnOf(target: string, seq: number): Turn {
    this.turns ??= new Map();
    const turns = this.turns.get(target) ?? [];
    const known = turns.find((turn) => turn.seq === seq);
    if (known !== undefined) return known;
    const turn: Turn = { seq, latest: undefined, atEnd: [] };
    const place = turns.findIndex((other) => other.seq > seq);
    turns.splice(place < 0 ? turns.length : place, 0, turn);
    this.turns.set(target, turns);
    return turn;
  }

  private earlierThan({ seq }: Turn, target: string): Promise<unknown> | undefined {
    const earlier = this.turns?.get(target)?.filter((turn) => turn.seq < seq) ?? [];
    if (earlier.length === 0) return undefined;
    const ends = earlier.map(({ atEnd }) => new Promise<void>((resolve) => void atEnd.push(resolve)));
    return this.halt.race(Promise.all(ends));
  }

  private endTurn(target: string, turn: Turn): void {
    for (const proceed of turn.atEnd.splice(0)) proceed();
    const left = this.turns?.get(target)?.filter((other) => other !== turn) ?? [];
    if (left.length === 0) this.turns?.delete(target);
    else this.turns?.set(target, left);
  }
}

const nameOf = ({ table, key }: RowWrite): string => `${table.name}\0${Object.values(key).join('\0')}`;

/**
 * One attempt at the effects of an entry, numbered in the order in which the reactions ask for them. Each is repeated
 * while its target is unavailable, until the attempt is over or the activation is halted.
 */
export class EntryEffects implements Effects {
  private n = 0;
  private isOver = false;

  constructor(
    private readonly around: Surroundings,
    private readonly from: EffectSource,
    private readonly waits: Waits,
    private readonly seq: number,
    private readonly order: InOrder,
    /** Of what is carried out side by side a write that is repeated must not undo a later one's. */
    private readonly alone: boolean,
    readonly mayRepeat: boolean,
  ) {}

  write(rows: readonly RowWrite[]): Promise<void> {
    // Not yet durable is good enough: the cursor is written behind them, and without it the effect is done anew.
    const action = (all: readonly RowWrite[]) => this.untilDone(() => this.around.tables.write(all, DEFERRED));
    return this.alone ? action(rows) : this.order.write(rows, action);
  }

  /** Each try makes the row anew, so that an outage of hours leaves no alarm of long ago. */
  setAlarm(atMs: number, what: string): Promise<void> {
    const { clock, tables } = this.around;
    return this.untilDone(() => tables.write([alarmRow(this.from.actor, atMs, what, clock.nowMs())], DEFERRED));
  }

  tell(kind: string, id: string, command: string, input: object): Promise<unknown> {
    const cause = { actor: this.from.source, seq: this.seq, n: this.n++ };
    const target = actorName({ kind, id });
    const message = { kind, id, command, input, cause, once: undefined };
    const attempt = () => {
      if (this.isOver) throw new Halted();
      return this.from.halt.race(this.around.send(message, this.around.limits.attemptMs));
    };
    const action = () => this.waitingFor(target, () => this.untilDone(attempt));
    return this.order.after(target, this.seq, action);
  }

  /** Repeats no command any more: the attempt has failed. */
  end(): void {
    this.isOver = true;
  }

  publish(subject: string, payload: Uint8Array): void {
    if (this.from.halt.halted) throw new Halted();
    this.around.publish(subject, payload);
  }

  nowMs(): number {
    return this.around.clock.nowMs();
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
