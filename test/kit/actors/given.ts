import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { CommandTable, Ctx, Recorded, Slice } from '../../../actors/runtime/slice.js';

/** What the decisions of a test know besides state and command. */
export interface GivenContext {
  readonly self: string;
  readonly nowMs: number;
  /** Ids given out, in order; then an error. By default 1, 2, 3, … as 18 digits. */
  readonly ids?: readonly string[];
}

/** A slice and its state, and what the commands so far have led to. */
export interface Given<S, C extends CommandTable<C>, E> {
  readonly state: S;
  /** All that was recorded, in order. */
  readonly events: readonly Recorded<E>[];
  /** Of the last command, unless it was refused. */
  readonly reply: C[keyof C]['out'] | undefined;
  readonly lastProblem: Problem | undefined;
  /** Decides the command and applies what it recorded to the state. */
  when<K extends keyof C>(
    command: K,
    input: C[K]['in'],
    at?: Partial<Pick<Ctx, 'nowMs' | 'settledSeq' | 'row'>>,
  ): Given<S, C, E>;
}

const DEFAULT_CONTEXT: GivenContext = { self: '000000000000000001', nowMs: 1_767_225_600_000 };

/** A slice in a state; the state is changed by `when`, as in a running actor. */
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
  const after = (events: readonly Recorded<E>[], reply: C[keyof C]['out'] | undefined, lastProblem?: Problem) => {
    const result: Given<S, C, E> = {
      state,
      events,
      reply,
      lastProblem,
      when(command, input, at) {
        // Each command is decided after the effects of all before it.
        const { nowMs = context.nowMs, settledSeq = events.length, row } = at ?? {};
        const format = Number.POSITIVE_INFINITY;
        const ctx: Ctx = { self: context.self, nowMs, newId, seq: events.length + 1, settledSeq, format, row };
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
