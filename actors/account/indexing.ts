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
  /** Number of choices that the owner has made. Indexing for an earlier choice stops when the number changes. */
  indexingRound: number;
}

/** Indexing of the owner's earlier statuses for search. They are added to the index, or removed, in steps. */
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
      local: true,
    },
  },
  events: {
    indexingChosen: { codec: codec('murmuration.account.IndexingChosen'), invalidates: false },
    someIndexed: { codec: codec('murmuration.account.IndexSome'), invalidates: false },
  },
};

/** Returns the event of the owner's choice to be found in searches, or not. */
export function chosen(
  { indexingRound }: Readonly<State>,
  on: boolean,
  atMs: number,
): Recorded<Pick<Events, 'indexingChosen'>> {
  return { type: 'indexingChosen', on, round: indexingRound + 1, atMs };
}
