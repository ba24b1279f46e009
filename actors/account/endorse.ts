import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import { type RelationState, relationTo } from './relations.js';
import type { OriginState } from './standing.js';

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
 * Accounts that the owner recommends on their profile, out of those they follow. An endorsement ends with the follow. The
 * follows of an account of another server are not all known here, so it need not follow.
 */
export const endorse: Slice<RelationState & OriginState, Commands, Events> = {
  decide: {
    endorse(state, { target }, { self, nowMs, newId }) {
      const relation = relationTo(state, target, nowMs);
      const isParted = target === self || relation.blocking || relation.blockedBy === true;
      if (state.origin === undefined ? !relation.following : isParted)
        return problem('invalid', 'Validation failed: You must be already following the person you want to endorse');
      const reply = { ...relation, endorsed: true };
      if (relation.endorsed) return { events: [], reply };
      if (state.endorsed.size >= ENDORSEMENTS_MAX)
        return problem('limit_reached', `Validation failed: You cannot endorse more than ${ENDORSEMENTS_MAX} people`);
      return { events: [{ type: 'endorsed', target, edgeId: newId() }], reply };
    },
    unendorse(state, { target }, { nowMs }) {
      const reply = { ...relationTo(state, target, nowMs), endorsed: false };
      return { events: unendorsement(state, target), reply };
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
      local: false,
      remote: 'answers',
    },
    unendorse: {
      in: codec('murmuration.account.Unendorse'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    endorsements: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.EdgePage'),
      repeats: 'query',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    endorsed: { codec: codec('murmuration.account.Endorsed'), invalidates: false },
    unendorsed: { codec: codec('murmuration.account.Unendorsed'), invalidates: false },
  },
};

/** Returns the event that ends an endorsement together with the follow, if there is one. */
export const unendorsement = (
  { endorsed }: Pick<RelationState, 'endorsed'>,
  target: string,
): Recorded<Pick<Events, 'unendorsed'>>[] => (endorsed.has(target) ? [{ type: 'unendorsed', target }] : []);
