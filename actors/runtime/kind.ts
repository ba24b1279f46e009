import type { RowWrite } from '../../store/port.js';
import type { Problem } from '../domain/problem.js';
import type { CommandTable, Slice } from './slice.js';

/** An actor's identity. Its text form is `kind/id`. */
export interface ActorRef {
  readonly kind: string;
  readonly id: string;
}
export const actorName = (ref: ActorRef): string => `${ref.kind}/${ref.id}`;

/** The origin of an effect: the n-th effect of the entry `seq` of an actor. Receivers deduplicate by it. */
export interface EffectKey {
  readonly actor: string;
  readonly seq: number;
  readonly n: number;
}

/** The operations available to a reaction. Each may be repeated after a crash. */
export interface Effects {
  /** True when an earlier activation, or a failed attempt, may have carried out the effects already. */
  readonly mayRepeat: boolean;
  /** Writes rows durably. The caller awaits it. */
  write(rows: readonly RowWrite[]): Promise<void>;
  /**
   * Sends a command to another actor (or this one) with the effect's key. Retries while its owner is unavailable.
   * Resolves to the reply, which may be a Problem.
   */
  tell(kind: string, id: string, command: string, input: object): Promise<unknown>;
  /**
   * Has this actor called with the command `alarm` at a time, or soon if that has passed. As durable as rows. The call
   * may be late, repeated, or early by the clock skew, so the actor compares `atMs` with the time it expects.
   * @param what identifies the reason of the call, by the actor's own ids
   */
  setAlarm(atMs: number, what: string): Promise<void>;
  /** Publishes to a bus topic without waiting for delivery. */
  publish(subject: string, payload: Uint8Array): void;
  /**
   * Returns the outcome of a request to another server, which may take long. Rejects when the activation ends before,
   * so that the request does not hold back a handoff; the effects are repeated by the next activation.
   */
  outside<T>(request: Promise<T>): Promise<T>;
  /** Returns the time by the clock of ids (`StampClock`), ms: positions of streams are compared with it. */
  stampMs(): number;
}

/** The context of a stored event that a reaction receives. */
export interface Happened<S> {
  readonly self: string;
  readonly seq: number;
  readonly atMs: number;
  /** The current state, at least as new as after this event. */
  readonly state: Readonly<S>;
}

/**
 * A handler that turns stored events into effects on one surface. With `beforeReply` the effects are done before the
 * command's reply, because the caller must see them at once; otherwise after it. An actor's lane handles events one
 * after the other, in order, behind a durable cursor.
 */
export interface Reaction<S, E> {
  readonly surface: string;
  readonly beforeReply: boolean;
  readonly on: {
    readonly [K in keyof E]?: (event: E[K], happened: Happened<S>, effects: Effects) => Promise<void> | void;
  };
}

/** One kind of persistent actor: its composed slices, and the codecs of everything that is stored or sent. */
export interface ActorKind<S, C extends CommandTable<C>, E> extends Slice<S, C, E> {
  readonly name: string;
  /** Returns the state before the first event. Its maps and sets are lazy ones, as those of a decoded snapshot. */
  readonly initial: (id: string) => S;
  /**
   * Version of the state's shape. Increase it, and `stateSince`, with each change. Snapshots of other versions are
   * migrated or ignored.
   */
  readonly stateVersion: number;
  /**
   * The format (cluster/format.ts) that introduced `stateVersion`; absent: the first. No snapshots are stored before
   * every node supports it, since older nodes could not read a trimmed actor.
   */
  readonly stateSince?: number;
  /**
   * Converts the state of an older version's snapshot to `stateVersion`. If it is absent or throws, the journal is
   * replayed, which fails for an actor whose journal was trimmed. It must support every version of which snapshots may
   * exist, since an actor that receives no commands keeps its snapshot. It may change `state`.
   */
  readonly migrate?: (fromVersion: number, state: unknown) => S;
  readonly reactions: readonly Reaction<S, E>[];
  /**
   * True when all ids of the kind come from `Ctx.newActorId` of actors of the same shard, and commands reach an actor
   * only after the event that names it is stored. An actor whose id this node has just minted is then known to be new.
   */
  readonly minted?: boolean;
  /**
   * Returns true for the state of an actor that waits for an alarm. Its activation leaves memory as soon as its effects
   * are done, so that many of them do not take the places of others.
   */
  readonly leavesWhenDone?: (state: Readonly<S>) => boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: the runtime treats every kind alike; askers keep the types.
export type AnyKind = ActorKind<any, any, any>;

/** Sends commands to actors. The typed functions of each kind wrap it. */
export interface Asker {
  /**
   * Delivers the command to the actor, wherever it lives, and waits for its reply. A reply that is not a Problem is
   * durable. Retries while the owner moves, within the deadline. With an idempotency key (`once`) the actor carries the
   * command out once: it stores its reply with the events for ANSWERED_MS, and repeats get that reply. Commands that
   * were refused or recorded nothing are decided again. Queries carry no key.
   * @throws Unavailable past the deadline (default ASK_TIMEOUT_MS) or when the actor's mailbox is full
   */
  ask(kind: string, id: string, command: string, input: object, once?: string, timeoutMs?: number): Promise<unknown>;
  /** The reply to a query if the actor is idle on this node; undefined when the query must be sent. */
  answerNow(kind: string, id: string, command: string, input: object): unknown;
}

/** Shows whether the state of an actor has changed, without a query. */
export interface Revisions {
  /** An object that is the same until the actor's next entry; undefined unless the actor is idle on this node. */
  revisionNow(kind: string, id: string): object | undefined;
}

/** Default deadline. Clients wait about as long, and a takeover (lease + LWT) takes less. */
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

export function revisionsOf(kind: AnyKind, revisions: Revisions): (id: string) => object | undefined {
  return (id) => revisions.revisionNow(kind.name, id);
}

export function askerOf<S, C extends CommandTable<C>, E>(kind: ActorKind<S, C, E>, asker: Asker): TypedAsk<C> {
  return async (id, command, input, once) => (await asker.ask(kind.name, id, command, input, once)) as never;
}

/**
 * Sends the commands that activities of other servers ask for; no such command takes another way.
 * @throws Error when the command is `local`
 */
export function receiverOf<S, C extends CommandTable<C>, E>(kind: ActorKind<S, C, E>, asker: Asker): TypedAsk<C> {
  const ask = askerOf(kind, asker);
  return async (id, command, input, once) => {
    if (kind.commands[command].local) throw new Error(`another server asked for ${kind.name} ${command}`);
    return ask(id, command, input, once);
  };
}
