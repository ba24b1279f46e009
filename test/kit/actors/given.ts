import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { CommandTable, Ctx, Recorded, Slice } from '../../../actors/runtime/slice.js';

/** The context of a test's decisions besides state and command. */
export interface GivenContext {
  readonly self: string;
  readonly nowMs: number;
  /** Ids to hand out, in order; then an error. Default: 1, 2, 3, … as 18 digits. */
  readonly ids?: readonly string[];
}

/** A slice with its state, and the outcome of the commands so far. */
export interface Given<S, C extends CommandTable<C>, E> {
  readonly state: S;
  /** All recorded events, in order. */
  readonly events: readonly Recorded<E>[];
  /** The reply to the last command, unless it was refused. */
  readonly reply: C[keyof C]['out'] | undefined;
  readonly lastProblem: Problem | undefined;
  /** All ids minted for actors, in order. */
  readonly actorIds: readonly string[];
  /** Decides the command and applies the recorded events to the state. */
  when<K extends keyof C>(
    command: K,
    input: C[K]['in'],
    at?: Partial<Pick<Ctx, 'nowMs' | 'settledSeq' | 'row'>>,
  ): Given<S, C, E>;
}

const DEFAULT_CONTEXT: GivenContext = { self: '000000000000000001', nowMs: 1_767_225_600_000 };

/** Puts a slice into a state; `when` changes the state, as in a running actor. */
export function given<S, C extends CommandTable<C>, E>(
  slice: Slice<S, C, E>,
  state: S,
  context: GivenContext = DEFAULT_CONTEXT,
): Given<S, C, E> {
  let minted = 0;
  const newId = () => {
    const id = context.ids === undefined ? String(minted + 1).padStart(18, '0') : context.ids[minted];
    if (id === undefined) throw new Error(`only ${minted} ids were given`);
    minted += 1;
    return id;
  };
  const actorIds: string[] = [];
  const newActorId = () => {
    const id = newId();
    actorIds.push(id);
    return id;
  };
  const after = (events: readonly Recorded<E>[], reply: C[keyof C]['out'] | undefined, lastProblem?: Problem) => {
    const result: Given<S, C, E> = {
      state,
      events,
      reply,
      lastProblem,
      actorIds,
      when(command, input, at) {
        // Each command is decided after the effects of all earlier ones.
        const { nowMs = context.nowMs, settledSeq = events.length, row } = at ?? {};
        const format = Number.POSITIVE_INFINITY;
        const ctx: Ctx = {
          self: context.self,
          nowMs,
          newId,
          newActorId,
          seq: events.length + 1,
          settledSeq,
          format,
          row,
        };
        const decision = slice.decide[command](state, input, ctx);
        if (isProblem(decision)) return after(events, undefined, decision);
        for (const event of decision.events) slice.apply[event.type](state, event, nowMs);
        return after([...events, ...decision.events], decision.reply);
      },
    };
    return result;
  };
  return after([], undefined);
}
