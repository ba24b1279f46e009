import type { RowWrite } from '../../store/port.js';
import type { Problem } from '../domain/problem.js';
import type { CommandTable, Slice } from './slice.js';

/** Names an actor. As text `kind/id`. */
export interface ActorRef {
  readonly kind: string;
  readonly id: string;
}
export const actorName = (ref: ActorRef): string => `${ref.kind}/${ref.id}`;

/** Where an effect comes from: the n-th effect of the entry seq of an actor. Receivers deduplicate by it. */
export interface EffectKey {
  readonly actor: string;
  readonly seq: number;
  readonly n: number;
}

/** What a reaction may do. All of it may be repeated after a crash. */
export interface Effects {
  /** An earlier activation, or an attempt that failed, may have carried them out. */
  readonly mayRepeat: boolean;
  /** Rows written durably; await it. */
  write(rows: readonly RowWrite[]): Promise<void>;
  /**
   * A command to another actor (or this one), carrying the effect's key; retried while its owner is unavailable.
   * Resolves to its reply, a Problem included.
   */
  tell(kind: string, id: string, command: string, input: object): Promise<unknown>;
  /**
   * Has this actor called with the command `alarm` at a time, or soon if it has passed; durable as rows are. The call
   * may be late, repeated, or early by the skew of clocks: the actor compares `atMs` with what it expects.
   * @param what the reason of the call, by the actor's own ids
   */
  setAlarm(atMs: number, what: string): Promise<void>;
  /** To the bus's topic, fire and forget. */
  publish(subject: string, payload: Uint8Array): void;
  /** The node's wall clock, ms. */
  nowMs(): number;
}

/** What a reaction knows of the stored event. */
export interface Happened<S> {
  readonly self: string;
  readonly seq: number;
  readonly atMs: number;
  /** The state now: at least as new as after this event. */
  readonly state: Readonly<S>;
}

/**
 * Stored events → effects on one surface. `beforeReply`: done before the command's reply (what the caller must see
 * at once); else behind it. Per actor and lane, events are handled one after the other, in order, behind a durable
 * cursor.
 */
export interface Reaction<S, E> {
  readonly surface: string;
  readonly beforeReply: boolean;
  readonly on: {
    readonly [K in keyof E]?: (event: E[K], happened: Happened<S>, effects: Effects) => Promise<void> | void;
  };
}

/** One kind of persistent actor: its slices composed, with the codecs of everything that is stored or sent. */
export interface ActorKind<S, C extends CommandTable<C>, E> extends Slice<S, C, E> {
  readonly name: string;
  readonly initial: (id: string) => S;
  /** Bump it, and `stateSince`, when the state's shape changes. Snapshots of another version are migrated, or ignored. */
  readonly stateVersion: number;
  /**
   * The format (cluster/format.ts) with which `stateVersion` came; absent: the first. No snapshots are stored before
   * every node knows it, since older nodes could not read a trimmed actor.
   */
  readonly stateSince?: number;
  /**
   * The state that a snapshot of an older version holds, in the shape of `stateVersion`. Without it, or when it throws,
   * the journal is replayed, which fails for an actor whose journal was trimmed. It must know every version of which
   * there may be snapshots: an actor that nobody asks keeps its own. It may change `state`.
   */
  readonly migrate?: (fromVersion: number, state: unknown) => S;
  readonly reactions: readonly Reaction<S, E>[];
  /**
   * All ids of the kind come from `Ctx.newId` of actors of the same shard, and commands reach an actor only once the
   * event that names it is stored. An actor whose id this node has just minted is then known to be new.
   */
  readonly minted?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: the runtime treats every kind alike; askers keep the types.
export type AnyKind = ActorKind<any, any, any>;

/** Asks one actor; the typed askers of each kind wrap this. */
export interface Asker {
  /**
   * Delivers the command to the actor, wherever it lives, and waits for its reply. A reply that is not a Problem is
   * durable. Retries while the owner moves, within the deadline. With a key (`once`) the actor carries the command out
   * once: it keeps its answer with what it recorded, for ANSWERED_MS, and answers repeats with it. What was refused, and
   * what recorded nothing, is decided again. A query carries none.
   * @throws Unavailable past the deadline (default ASK_TIMEOUT_MS) or when the actor's mailbox is full
   */
  ask(kind: string, id: string, command: string, input: object, once?: string, timeoutMs?: number): Promise<unknown>;
  /** The reply to a query if the actor lives on this node and nothing goes on there; undefined says nothing. */
  answerNow(kind: string, id: string, command: string, input: object): unknown;
}

/** A client's patience, and longer than a takeover takes (lease + LWT). */
export const ASK_TIMEOUT_MS = 10_000;

/** `ask` with a kind's types. */
export type TypedAsk<C extends CommandTable<C>> = <K extends keyof C & string>(
  id: string,
  command: K,
  input: C[K]['in'],
  once?: string,
) => Promise<C[K]['out'] | Problem>;

/** `answerNow` with a kind's types. */
export type TypedAnswerNow<C extends CommandTable<C>> = <K extends keyof C & string>(
  id: string,
  command: K,
  input: C[K]['in'],
) => C[K]['out'] | Problem | undefined;

export function answererOf<S, C extends CommandTable<C>, E>(kind: ActorKind<S, C, E>, asker: Asker): TypedAnswerNow<C> {
  return (id, command, input) => asker.answerNow(kind.name, id, command, input) as never;
}

export function askerOf<S, C extends CommandTable<C>, E>(kind: ActorKind<S, C, E>, asker: Asker): TypedAsk<C> {
  return async (id, command, input, once) => (await asker.ask(kind.name, id, command, input, once)) as never;
}
