import type { Codec } from '../../proto/codec.js';
import type { Problem } from '../domain/problem.js';
import type { RowName } from './carried-rows.js';

/** Mints the ids of one actor's decisions. */
export type Ids = Pick<Ctx, 'newId' | 'newActorId'>;

/** The context of a decision. It provides everything that is not a function of state and command. */
export interface Ctx {
  /** The actor's id. */
  readonly self: string;
  /** Wall clock, milliseconds; never before the actor's last event. */
  readonly nowMs: number;
  /** Mints an id of this actor's shard. It is greater than any before, so an actor's ids are in order. */
  newId(): string;
  /** Mints an id like `newId`, for an actor of a kind with `minted`. Its first activation then reads nothing. */
  newActorId(): string;
  /** The seq of the journal entry that this decision becomes if it records anything. */
  readonly seq: number;
  /** All before-reply effects of entries up to this one are done: a read finds their rows. */
  readonly settledSeq: number;
  /**
   * The newest format that every node can read. An event of a newer one (`since` of the kind) must not be recorded yet.
   */
  readonly format: number;
  /**
   * The value of the row that the kind's `reads` names for the command; null if the row does not exist; undefined if
   * none is named.
   */
  readonly row: unknown;
}

export type CommandTable<C> = { [K in keyof C]: { in: object; out: unknown } };
export type Recorded<E> = { [K in keyof E]: { readonly type: K } & E[K] }[keyof E];
export type Decision<E, R> = { readonly events: readonly Recorded<E>[]; readonly reply: R } | Problem;

/** Decides commands and applies events. `decide` is pure and synchronous. `apply` cannot fail and checks no rules. */
export interface Decider<S, C extends CommandTable<C>, E> {
  readonly decide: {
    readonly [K in keyof C]: (state: Readonly<S>, command: C[K]['in'], ctx: Ctx) => Decision<E, C[K]['out']>;
  };
  /** `atMs`: the time of the journal entry. */
  readonly apply: { readonly [K in keyof E]: (state: S, event: E[K], atMs: number) => void };
}

/**
 * How a command behaves when it is sent again because its reply was lost (the owner died, the shard moved).
 * - `query`: only reads. Its reply waits for earlier events to be durable, but not for their before-reply effects.
 * - `idempotent`: records nothing the second time.
 * - `keyed`: creates something each time, or refuses what was done already. The sender adds an idempotency key when its
 *   caller gives none.
 * - `never`: is not safe to repeat, so it is not sent again without a key.
 */
export type Repeats = 'query' | 'idempotent' | 'keyed' | 'never';

/** A command's messages and traits. */
export interface CommandSpec<S, In, Out> {
  readonly in: Codec<In>;
  readonly out: Codec<Out>;
  readonly repeats: Repeats;
  /**
   * True when only this server sends the command: its clients, operators and effects. False: an activity of another
   * server may ask for it, too (receiverOf).
   */
  readonly local: boolean;
  /**
   * How an actor that represents something of another server takes the command; its kind enforces it. Absent: the actor
   * refuses it. `ignores`: it has no effect there. `only`: no other actor takes it.
   */
  readonly remote?: 'answers' | 'ignores' | 'only';
  /** True when an actor also takes the command before its first event, and as what it may be then; its kind enforces it. */
  readonly unregistered?: true;
  /** Rows of hot tables that the command writes and its caller reads next. They travel with the reply. */
  readonly shows?: (id: string, input: In, reply: Out) => readonly RowName[];
  /**
   * Names the row that the decision needs besides the state. The runtime reads it first and passes it as `Ctx.row`. The
   * state before the batch names it. It may lack the effects of entries after `Ctx.settledSeq`, which the state must
   * hold.
   */
  readonly reads?: (state: Readonly<S>, input: In) => RowName | undefined;
  /**
   * The format (cluster/format.ts) that introduced the command; absent: the first. Until every node supports it, the
   * command is refused with 503, and effects wait.
   */
  readonly since?: number;
}

/** A stored event's message and traits. */
export interface EventSpec<S, T> {
  readonly codec: Codec<T>;
  /** True when the reply waits until every other node has invalidated its cache of the changed rows (ADR 19). */
  readonly invalidates: boolean;
  /**
   * True when the event's effects may run concurrently with those of other such events of the actor. Rows of one such
   * event must not undo rows of another. Such an event must not send a command after awaiting something if another
   * could send one to the same actor, because receivers accept an actor's commands only in the order of its events. If
   * one entry has several such events, only the first may send commands, because effects are numbered in the order of
   * the requests.
   */
  readonly overlaps?: (event: T, state: Readonly<S>) => boolean;
  /**
   * True when the event retracts earlier ones, or deletes their subject. Within two days everything before it is
   * removed from the actor's journal and snapshots. The kind must have the command `alarm`.
   */
  readonly forgets?: true;
  /** True when the event changes what an account may see, or the authors in its timelines. */
  readonly changesRelations?: true;
  /** The format that introduced the event; absent: the first. It is not recorded until every node supports it. */
  readonly since?: number;
}

/**
 * One concern of an actor: its commands and events with their messages and traits, decisions and changes of state.
 * `More`: events of other slices that its commands decide along with their own.
 */
export interface Slice<S, C extends CommandTable<C>, E, More = unknown>
  extends Pick<Decider<S, C, E & More>, 'decide'>,
    Pick<Decider<S, C, E>, 'apply'> {
  readonly commands: { readonly [K in keyof C]: CommandSpec<S, C[K]['in'], C[K]['out']> };
  readonly events: { readonly [K in keyof E]: EventSpec<S, E[K]> };
}

// biome-ignore lint/suspicious/noExplicitAny: slices of all states, commands and events.
export type AnySlice = Slice<any, any, any, any>;
type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** The commands of all slices of a list. */
export type CommandsOf<L extends readonly AnySlice[]> = Intersection<
  L[number] extends infer X ? (X extends Slice<infer _S, infer C, infer _E, infer _M> ? C : never) : never
>;
/** The events of all slices of a list. */
export type EventsOf<L extends readonly AnySlice[]> = Intersection<
  L[number] extends infer X ? (X extends Slice<infer _S, infer _C, infer E, infer _M> ? E : never) : never
>;
/** The state that the slices of a list need. */
export type StateOf<L extends readonly AnySlice[]> = Intersection<
  L[number] extends infer X ? (X extends Slice<infer S, infer _C, infer _E, infer _M> ? S : never) : never
>;

/** Combines slices into one. @throws Error when two slices have a command or an event of the same name */
export function joined<const L extends readonly AnySlice[]>(
  slices: L,
): Slice<StateOf<L>, CommandsOf<L> & CommandTable<CommandsOf<L>>, EventsOf<L>> {
  const merged = (part: 'decide' | 'apply' | 'commands' | 'events') => {
    const all: Record<string, unknown> = {};
    for (const slice of slices)
      for (const [name, own] of Object.entries(slice[part])) {
        if (Object.hasOwn(all, name)) throw new Error(`two slices have ${name} among their ${part}`);
        all[name] = own;
      }
    return all;
  };
  const whole = {
    decide: merged('decide'),
    apply: merged('apply'),
    commands: merged('commands'),
    events: merged('events'),
  };
  return whole as never;
}
