import type { StoreAnswered, StoreCause, StoreJournalRecord } from '../../../proto/gen/types.js';
import { isProblem, Unavailable } from '../../domain/problem.js';
import { Dedupe } from '../asking/dedupe.js';
import { RepliesByKey } from '../asking/replies-by-key.js';
import type { RowName } from '../carried-rows.js';
import type { AnyKind } from '../kind.js';
import type { Moment } from '../placement/steady-clock.js';
import type { Ctx, Decision, Ids } from '../slice.js';

/** A stored event, decoded. */
export interface StoredEvent {
  readonly type: string;
  readonly event: object;
}

/** One journal entry: everything that one command decided. */
export interface JournalEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly events: readonly StoredEvent[];
  /** True when a reply had left although effects of earlier entries were pending: they come before those of this one. */
  readonly afterEarlyReply?: true | undefined;
}

/** An entry not yet stored. */
export interface Decided {
  readonly entry: JournalEntry;
  readonly record: StoreJournalRecord;
}

/** A command with the fields of `Delivery`. */
export interface Handleable {
  readonly command: string;
  readonly input: object;
  readonly cause: StoreCause | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface Handled {
  readonly reply: unknown;
  /** Absent when the command recorded nothing. */
  readonly decided?: Decided;
  readonly repeated?: true;
}

/**
 * Some node of the cluster does not support a command or event yet, because an upgrade is under way. The command was
 * not decided.
 */
export class NotKnownYet extends Unavailable {}

const NO_BYTES = new Uint8Array(0);

/** An actor's state and rules without input or output: decides, applies, replays. */
export class ActorCore {
  /** Seq of the last entry applied, stored or not. */
  seq = 0;
  /** Time of the last entry. */
  atMs = 0;
  /** Steady time of the last command or forgetting; 0 before the first. */
  steadyMs = 0;
  // biome-ignore lint/suspicious/noExplicitAny: its type is the kind's business.
  state: any;
  dedupe = new Dedupe();
  /** Absent until a command with an idempotency key has recorded something: most actors never receive one. */
  answered: RepliesByKey | undefined;
  private latest: object | undefined;

  constructor(
    readonly kind: AnyKind,
    readonly id: string,
    private readonly ids: Ids,
    /** Returns the newest format that every node can read. */
    private readonly format: () => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.state = kind.initial(id);
  }

  /**
   * Decides one command and applies its events. With an idempotency key it does so once; repeats get the first reply.
   * Rethrows what decide or apply throw: a bug. @throws NotKnownYet
   */
  handle(message: Handleable, now: Moment, settledSeq = 0, row?: unknown): Handled {
    const { command, input, cause, idempotencyKey } = message;
    this.steadyMs = now.steadyMs;
    // A repeated query whose reply was lost is answered anew: it changes nothing.
    if (cause !== undefined && this.dedupe.repeats(cause) && !this.asks(command)) {
      return { reply: this.kind.commands[command]?.out.decode(NO_BYTES), repeated: true };
    }
    const decide = this.kind.decide[command];
    if (decide === undefined) throw new Error(`${this.kind.name} has no command ${command}`);
    const nowMs = Math.max(now.wallMs, this.atMs);
    const earlier = idempotencyKey === undefined ? undefined : this.answered?.find(keyOf(command, idempotencyKey), now);
    if (earlier !== undefined) return { reply: this.kind.commands[command]?.out.decode(earlier), repeated: true };
    const decision: Decision<Record<string, object>, unknown> = decide(
      this.state,
      input,
      this.context(nowMs, settledSeq, row),
    );
    if (isProblem(decision)) return { reply: decision };
    const { reply, events } = decision;
    if (events.length === 0) {
      if (cause !== undefined && !this.asks(command)) this.dedupe.note(cause);
      return { reply };
    }
    const stored = events.map((event) => ({ type: event.type, event }));
    this.checkKnown(stored);
    const answered = idempotencyKey === undefined ? undefined : this.answerTo(command, idempotencyKey, reply);
    const record = this.record(stored, nowMs, cause, answered);
    this.apply(stored, nowMs, cause, answered);
    return { reply, decided: { entry: { seq: this.seq, atMs: nowMs, events: stored }, record } };
  }

  private context(nowMs: number, settledSeq: number, row: unknown): Ctx {
    const { newId, newActorId } = this.ids;
    return { self: this.id, nowMs, newId, newActorId, seq: this.seq + 1, settledSeq, format: this.format(), row };
  }

  private checkKnown(events: readonly StoredEvent[]): void {
    const early = events.find(({ type }) => (this.kind.events[type]?.since ?? 0) > this.format());
    if (early !== undefined) throw new NotKnownYet(notKnown(`the event ${early.type}`, this.kind.name));
  }

  /** True when every node can read a snapshot of this state. */
  get isKnownState(): boolean {
    return (this.kind.stateSince ?? 0) <= this.format();
  }

  /** Returns the name of the row that the decision needs besides the state. */
  rowFor(command: string, input: object): RowName | undefined {
    return this.kind.commands[command]?.reads?.(this.state, input);
  }

  /** Answers a command that records nothing. Returns undefined when the command must be decided in a turn. */
  query(command: string, input: object, wallMs: number): Handled | undefined {
    const ctx = this.context(Math.max(wallMs, this.atMs), 0, undefined);
    try {
      if (this.rowFor(command, input) !== undefined) return undefined;
      const decision = this.kind.decide[command]?.(this.state, input, ctx) as Decision<object, unknown> | undefined;
      if (decision === undefined) return undefined;
      if (isProblem(decision)) return { reply: decision };
      return decision.events.length === 0 ? { reply: decision.reply } : undefined;
    } catch {
      // The command fails again in its turn, which reports the fault and ends the activation.
      return undefined;
    }
  }

  /** Applies a stored entry. Entries come in order, without a gap. */
  replay(seq: number, record: StoreJournalRecord): void {
    if (seq !== this.seq + 1) throw new Error(`entry ${seq} follows ${this.seq}`);
    this.apply(entryOf(this.kind, seq, record).events, record.atMs, record.cause, record.answered);
  }

  /** An object that stands for the state: the same one until the next entry. */
  get revision(): object {
    this.latest ??= {};
    return this.latest;
  }

  private asks(command: string): boolean {
    return this.kind.commands[command]?.repeats === 'query';
  }

  /** Returns the record of the reply that is stored with the events. */
  private answerTo(command: string, idempotencyKey: string, reply: unknown): StoreAnswered {
    const codec = this.kind.commands[command]?.out;
    return { key: keyOf(command, idempotencyKey), reply: codec?.encode(reply) ?? NO_BYTES, steadyMs: this.steadyMs };
  }

  private apply(
    events: readonly StoredEvent[],
    atMs: number,
    cause: StoreCause | undefined,
    answered: StoreAnswered | undefined,
  ): void {
    for (const { type, event } of events) this.kind.apply[type]?.(this.state, event, atMs);
    if (cause !== undefined) this.dedupe.note(cause);
    if (answered !== undefined) {
      this.answered ??= new RepliesByKey();
      this.answered.note(answered, atMs);
    }
    this.seq += 1;
    this.atMs = atMs;
    this.latest = undefined;
  }

  private record(
    events: readonly StoredEvent[],
    atMs: number,
    cause: StoreCause | undefined,
    answered: StoreAnswered | undefined,
  ): StoreJournalRecord {
    const encoded = events.map(({ type, event }) => {
      const codec = this.kind.events[type]?.codec;
      if (codec === undefined) throw new Error(`${this.kind.name} has no event ${type}`);
      return { type, payload: codec.encode(event) };
    });
    if (answered !== undefined) return { atMs, cause, events: encoded, answered };
    return cause === undefined ? { atMs, events: encoded } : { atMs, cause, events: encoded };
  }
}

/** Returns the reason for refusing something newer than the cluster's format. */
export const notKnown = (what: string, kind: string): string =>
  `not every node supports ${what} of ${kind} yet: upgrade all nodes to use it`;

/**
 * Returns the key of a stored reply. It includes the command, because one request may send several commands with its
 * key.
 */
const keyOf = (command: string, idempotencyKey: string): string => `${command} ${idempotencyKey}`;

export function entryOf(kind: AnyKind, seq: number, record: StoreJournalRecord): JournalEntry {
  const events = record.events.map(({ type, payload }) => {
    const codec = kind.events[type]?.codec;
    if (codec === undefined) throw new Error(`${kind.name} cannot read its stored event ${type}`);
    return { type, event: codec.decode(payload) as object };
  });
  const { atMs } = record;
  return record.afterEarlyReply ? { seq, atMs, events, afterEarlyReply: true } : { seq, atMs, events };
}
