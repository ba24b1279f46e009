import { type RowWrite, WRITE_ROWS_MAX } from '../../../store/port.js';
import { Unavailable } from '../../domain/problem.js';
import type { ActivationContext } from '../activation/activation-context.js';
import { type Cancellation, Cancelled } from '../asking/cancellation.js';
import { actorName, type Effects } from '../kind.js';
import { alarmsMs } from '../placement/agreed-time.js';
import { alarmRow, putAlarm } from './alarm-row.js';
import { backoffMs } from './backoff.js';

/**
 * First and longest pause between two attempts at an effect: an outage of minutes costs an attempt every few seconds.
 */
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 5_000;
/** Log a warning after this many failed attempts. */
const TRIES_BEFORE_WARNING = 6;

const DEFERRED = { deferred: true } as const;

/** The lane that emits the effects. */
export interface EffectSource {
  /** `kind/id`. */
  readonly actor: string;
  /** The source as receivers know it. They expect a source's effects in order, which holds within one lane only. */
  readonly source: string;
  readonly shard: number;
  readonly epoch: number;
  readonly halt: Cancellation;
}

/** An effect of the entry that was sent to an actor and is not answered yet. */
export interface Wait {
  readonly target: string;
  readonly seq: number;
}

/** Receiver of the begin and end of each wait. */
export interface Waits {
  begin(wait: Wait): void;
  end(wait: Wait): void;
}

/** One entry's commands to one actor. */
interface Turn {
  readonly seq: number;
  /** The last command requested. It rejects if that command, or an earlier one of the same attempt, failed. */
  latest: Promise<unknown> | undefined;
  /** Callbacks for when the actor has received all commands, or the entry is done; undefined while nothing waits. */
  atEnd: (() => void)[] | undefined;
}

/** Keeps the order of effects among entries that are handled concurrently. */
export class InOrder {
  /** Open turns by target actor, in the order of the entries. */
  private turns: Map<string, Turn[]> | undefined;
  /** Rows of the next write by name; of each row the last version. */
  private gathered: Map<string, RowWrite> | undefined;
  /** The last write; undefined before the first, since most entries write alone. */
  private written: Promise<void> | undefined;

  constructor(private readonly halt: Cancellation) {}

  /**
   * Runs the action when the target has received all commands of earlier entries. A failed entry keeps its turn until a
   * later attempt succeeds, because receivers drop commands of entries older than the last one they know.
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

  /** Prepares for the next attempt after an attempt of the entry failed. */
  failed(seq: number): void {
    for (const turns of this.turns?.values() ?? []) {
      for (const turn of turns) if (turn.seq === seq) turn.latest = undefined;
    }
  }

  /** Ends all turns of the entry, even if its last attempt sent commands to fewer actors than an earlier one. */
  finished(seq: number): void {
    if (this.turns === undefined) return;
    for (const [target, turns] of this.turns) {
      const turn = turns.find((one) => one.seq === seq);
      if (turn !== undefined) this.endTurn(target, turn);
    }
  }

  /**
   * Combines the rows of all calls made at once, or while the previous write is under way, in one write: thirty
   * followers cost one write of the account's row. A later write of a row never overtakes an earlier one. A failed
   * write fails only for the calls whose rows are in it.
   */
  write(rows: readonly RowWrite[], action: (rows: readonly RowWrite[]) => Promise<void>): Promise<void> {
    const names = rows.map(nameOf);
    const { gathered, written } = this;
    if (written !== undefined && gathered !== undefined && gathered.size + rows.length <= WRITE_ROWS_MAX) {
      for (const [place, row] of rows.entries()) gathered.set(names[place] as string, row);
      return written;
    }
    const next = new Map(rows.map((row, place) => [names[place] as string, row]));
    this.gathered = next;
    const send = () => {
      if (this.gathered === next) this.gathered = undefined;
      return action([...next.values()]);
    };
    const sent = (written ?? Promise.resolve()).then(send, send);
    this.written = sent;
    return sent;
  }

  /** Returns the entry's turn. Nearly always it is the only one: then no list is searched or copied. */
  private turnOf(target: string, seq: number): Turn {
    this.turns ??= new Map();
    const turns = this.turns.get(target);
    const known = turns?.find((turn) => turn.seq === seq);
    if (known !== undefined) return known;
    const turn: Turn = { seq, latest: undefined, atEnd: undefined };
    if (turns === undefined) this.turns.set(target, [turn]);
    else {
      const place = turns.findIndex((other) => other.seq > seq);
      turns.splice(place < 0 ? turns.length : place, 0, turn);
    }
    return turn;
  }

  private earlierThan({ seq }: Turn, target: string): Promise<unknown> | undefined {
    const turns = this.turns?.get(target) ?? [];
    if (turns.length <= 1) return undefined;
    const earlier = turns.filter((turn) => turn.seq < seq);
    if (earlier.length === 0) return undefined;
    const ends = earlier.map((turn) => {
      turn.atEnd ??= [];
      const { atEnd } = turn;
      return new Promise<void>((resolve) => void atEnd.push(resolve));
    });
    return this.halt.race(Promise.all(ends));
  }

  private endTurn(target: string, turn: Turn): void {
    const { atEnd } = turn;
    turn.atEnd = undefined;
    for (const proceed of atEnd ?? []) proceed();
    const turns = this.turns?.get(target) ?? [];
    const place = turns.indexOf(turn);
    if (place >= 0) turns.splice(place, 1);
    if (turns.length === 0) this.turns?.delete(target);
  }
}

const nameOf = ({ table, key }: RowWrite): string => `${table.name}\0${Object.values(key).join('\0')}`;

/**
 * One attempt at the effects of an entry. Effects are numbered in the order in which the reactions request them. Each
 * is retried while its target is unavailable, until the attempt ends or the activation halts.
 */
export class EntryEffects implements Effects {
  private n = 0;
  private isOver = false;

  constructor(
    private readonly around: ActivationContext,
    private readonly from: EffectSource,
    private readonly waits: Waits,
    private readonly seq: number,
    private readonly order: InOrder,
    /**
     * False when the entry runs concurrently with others. A repeated write must not undo a later one then, so `order`
     * serialises writes.
     */
    private readonly alone: boolean,
    readonly mayRepeat: boolean,
  ) {}

  write(rows: readonly RowWrite[]): Promise<void> {
    // A deferred write is enough: the cursor is written after it, and without the cursor the effect is repeated.
    const action = (all: readonly RowWrite[]) => this.untilDone(() => this.around.tables.write(all, DEFERRED));
    return this.alone ? action(rows) : this.order.write(rows, action);
  }

  /**
   * Each attempt builds the row anew, so that an outage of hours leaves no alarm in the distant past. A
   * clock that is ahead does not delay the alarm.
   */
  setAlarm(atMs: number, what: string): Promise<void> {
    const { clock, placement, tables, alarmSet } = this.around;
    return this.untilDone(async () => {
      const alarm = alarmRow(this.from.actor, atMs, what, alarmsMs(clock, placement));
      await tables.write([putAlarm(alarm)], DEFERRED);
      alarmSet(alarm);
    });
  }

  tell(kind: string, id: string, command: string, input: object): Promise<unknown> {
    const cause = { actor: this.from.source, seq: this.seq, n: this.n++ };
    const target = actorName({ kind, id });
    const message = { kind, id, command, input, cause, idempotencyKey: undefined };
    const attempt = () => {
      if (this.isOver) throw new Cancelled();
      return this.from.halt.race(this.around.send(message, this.around.limits.attemptMs));
    };
    const action = () => this.waitingFor(target, () => this.untilDone(attempt));
    return this.order.after(target, this.seq, action);
  }

  /** Stops retries of commands, because the attempt has failed. */
  end(): void {
    this.isOver = true;
  }

  publish(subject: string, payload: Uint8Array): void {
    if (this.from.halt.halted) throw new Cancelled();
    this.around.publish(subject, payload);
  }

  outside<T>(request: Promise<T>): Promise<T> {
    return this.from.halt.race(request);
  }

  stampMs(): number {
    return this.around.stamps.nowMs();
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
      if (from.halt.halted) throw new Cancelled();
      try {
        // A fenced owner must not write: its rows could hide its successor's.
        if (around.placement.epochOf(from.shard) === from.epoch) return await action();
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        if (attempt === TRIES_BEFORE_WARNING) {
          around.logger.warn(
            { source: from.source, seq: this.seq, err: error },
            'failed to carry out an effect, retrying',
          );
        }
      }
      await from.halt.sleep(around.clock, backoffMs(attempt, RETRY_FIRST_MS, RETRY_MOST_MS, around.random));
    }
  }
}
