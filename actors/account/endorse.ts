import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type RelationState, relationTo } from './relations.js';

export interface Commands {
  endorse: { in: P.AccountEndorse; out: P.AccountRelation };
  unendorse: { in: P.AccountUnendorse; out: P.AccountRelation };
  endorsements: { in: P.AccountEdgeBounds; out: P.AccountEdgePage };
}
export interface Events {
  endorsed: P.AccountEndorsed;
  unendorsed: P.AccountUnendorsed;
}

/** More endorsements than anybody looks through on a profile. */
export const ENDORSEMENTS_MAX = 200;

/**
 * Accounts that the owner recommends on their profile, out of those they follow. An endorsement ends with the follow.
 */
export const endorse: Slice<RelationState, Commands, Events> = {
  decide: {
    endorse(state, { target }, { nowMs, newId }) {
      const relation = relationTo(state, target, nowMs);
      if (!relation.following)
        return problem('invalid', 'Validation failed: You must be already following the person you want to endorse');
      const reply = { ...relation, endorsed: true };
      if (relation.endorsed) return { events: [], reply };
      if (state.endorsed.size >= ENDORSEMENTS_MAX)
        return problem('limit_reached', `Validation failed: You cannot endorse more than ${ENDORSEMENTS_MAX} people`);
      return { events: [{ type: 'endorsed', target, edgeId: newId() }], reply };
    },
    unendorse(state, { target }, { nowMs }) {
      const reply = { ...relationTo(state, target, nowMs), endorsed: false };
      return { events: state.endorsed.has(target) ? [{ type: 'unendorsed', target }] : [], reply };
    },
    endorsements(state, bounds) {
      const edges = Array.from(state.endorsed, ([account, edgeId]) => ({ account, edgeId, untilMs: 0 }));
      return { events: [], reply: edgePage(edges, bounds) };
    },
  },
  apply: {
    endorsed: (state, { target, edgeId }) => void state.endorsed.set(target, edgeId),
    unendorsed: (state, { target }) => void state.endorsed.delete(target),
  },
  commands: {
    endorse: {
      in: codec('murmuration.account.Endorse'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: true,
    },
    unendorse: {
      in: codec('murmuration.account.Unendorse'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: true,
    },
    endorsements: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.EdgePage'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    endorsed: { codec: codec('murmuration.account.Endorsed'), invalidates: false },
    unendorsed: { codec: codec('murmuration.account.Unendorsed'), invalidates: false },
  },
};
