import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Part } from '../runtime/part.js';

export interface Commands {
  /** What a node has counted. */
  keepTotals: { in: P.InstanceTotals; out: P.InstanceEmpty };
}
export interface Events {
  totalsKept: P.InstanceTotals;
}
export interface State {
  /** Undefined: nobody has counted yet. */
  totals: P.InstanceTotals | undefined;
}

const totals = codec('murmuration.instance.Totals');

/** How many people and statuses there are, for a node that has not counted them itself. Each counts every five minutes. */
export const instanceTotals: Part<State, Commands, Events> = {
  decide: {
    keepTotals({ totals: known }, counted) {
      if (known !== undefined && (counted.atMs < known.atMs || isSame(known, counted)))
        return { events: [], reply: {} };
      return { events: [{ type: 'totalsKept', ...counted }], reply: {} };
    },
  },
  apply: {
    totalsKept: (state, { users, statuses, activeMonth, activeHalfYear, atMs }) => {
      state.totals = { users, statuses, activeMonth, activeHalfYear, atMs };
    },
  },
  commands: { keepTotals: { in: totals, out: codec('murmuration.instance.Empty') } },
  events: { totalsKept: totals },
};

const isSame = (one: P.InstanceTotals, other: P.InstanceTotals): boolean =>
  one.users === other.users &&
  one.statuses === other.statuses &&
  one.activeMonth === other.activeMonth &&
  one.activeHalfYear === other.activeHalfYear;
