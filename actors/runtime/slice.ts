import type { Problem } from '../domain/problem.js';

/** What a decision may know besides state and command; everything that is not a function of those comes from here. */
export interface Ctx {
  /** The actor's id. */
  readonly self: string;
  /** Wall clock, milliseconds; never before the actor's last event. */
  readonly nowMs: number;
  /** A new id of this actor's shard; greater than any it gave before, so an actor's ids are in order. */
  newId(): string;
  /** The journal entry that this decision becomes if it records anything. */
  readonly seq: number;
  /** All effects before the reply of entries up to this one are done: their rows are what a read finds. */
  readonly settledSeq: number;
  /** The newest format that every node can read: an event of a newer one (`since` of the kind) must not be recorded yet. */
  readonly format: number;
  /** The value of the row that the kind's `reads` names for the command, null if there is none; undefined: not named. */
  readonly row: unknown;
}

export type CommandTable<C> = { [K in keyof C]: { in: object; out: unknown } };
export type Recorded<E> = { [K in keyof E]: { readonly type: K } & E[K] }[keyof E];
export type Decision<E, R> = { readonly events: readonly Recorded<E>[]; readonly reply: R } | Problem;

/**
 * A part of an actor: what it decides and how its events change the state. `decide` is pure and synchronous;
 * `apply` cannot fail and never checks rules: the event has happened.
 */
export interface Slice<S, C extends CommandTable<C>, E> {
  readonly decide: {
    readonly [K in keyof C]: (state: Readonly<S>, command: C[K]['in'], ctx: Ctx) => Decision<E, C[K]['out']>;
  };
  /** `atMs`: the time of the journal entry. */
  readonly apply: { readonly [K in keyof E]: (state: S, event: E[K], atMs: number) => void };
}
