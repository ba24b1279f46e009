import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Slice } from '../runtime/slice.js';

export interface Commands {
  /** Stores the totals of a day that has ended, as counted by a node. */
  keepDay: { in: P.InstanceDayTotals; out: P.InstanceEmpty };
}
export interface Events {
  dayKept: P.InstanceDayTotals;
}
export interface State {
  /** The latest day, since 1970, whose totals are stored; -1: none. */
  keptDay: number;
}

const totals = codec('murmuration.instance.DayTotals');

/**
 * Numbers of users and statuses at the end of each day. They are stored once, so that all nodes add to the same values.
 */
export const instanceTotals: Slice<State, Commands, Events> = {
  decide: {
    keepDay({ keptDay }, counted) {
      return { events: counted.day > keptDay ? [{ type: 'dayKept', ...counted }] : [], reply: {} };
    },
  },
  apply: {
    dayKept: (state, { day }) => {
      state.keptDay = day;
    },
  },
  commands: { keepDay: { in: totals, out: codec('murmuration.instance.Empty'), repeats: 'idempotent', local: true } },
  events: { dayKept: { codec: totals, invalidates: false } },
};
