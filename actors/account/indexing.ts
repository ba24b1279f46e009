import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Recorded, Slice } from '../runtime/slice.js';

export interface Commands {
  indexSome: { in: P.AccountIndexSome; out: P.AccountEmpty };
}
export interface Events {
  indexingChosen: P.AccountIndexingChosen;
  someIndexed: P.AccountIndexSome;
}
export interface State {
  /** How often the owner has chosen: what an earlier choice began ends with the next one. */
  indexingRound: number;
}

/** Whether the owner's earlier statuses are everyone's to find: they are put into the index, or taken out, bit by bit. */
export const indexing: Slice<State, Commands, Events> = {
  decide: {
    indexSome(state, { round, after }) {
      if (round !== state.indexingRound) return { events: [], reply: {} };
      return { events: [{ type: 'someIndexed', round, after }], reply: {} };
    },
  },
  apply: {
    indexingChosen(state, { round }) {
      state.indexingRound = round;
    },
    someIndexed() {},
  },
  commands: {
    indexSome: {
      in: codec('murmuration.account.IndexSome'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
    },
  },
  events: {
    indexingChosen: { codec: codec('murmuration.account.IndexingChosen'), invalidates: false },
    someIndexed: { codec: codec('murmuration.account.IndexSome'), invalidates: false },
  },
};

/** The owner wants to be found, or no longer. */
export function chosen(
  { indexingRound }: Readonly<State>,
  on: boolean,
  atMs: number,
): Recorded<Pick<Events, 'indexingChosen'>> {
  return { type: 'indexingChosen', on, round: indexingRound + 1, atMs };
}
