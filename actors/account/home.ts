import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { HomeRings } from '../timelines/home-rings.js';
import { NO_RING } from '../timelines/ring-part.js';
import { homeCodec } from './packed-relations.js';
import { type RelationState, sourcesOf } from './relations.js';

export interface Commands {
  home: { in: P.AccountReadHome; out: P.AccountHome };
}
interface State extends RelationState {
  readonly owner: object | undefined;
}

/**
 * Returns ids of the home timeline together with the relations by which the reader filters them, both as of the same
 * moment. Records nothing: the ring is a cache beside the actor's state.
 */
export function home(rings: Pick<HomeRings, 'read' | 'request'>): Slice<State, Commands, object> {
  return {
    decide: {
      home(state, { knownVersion, before, after, upwards, limit }, { self }) {
        if (state.owner === undefined) return problem('not_found', 'Record not found');
        const version = state.relationsVersion;
        const read = limit === 0 ? NO_RING : rings.read(self, { before, after, upwards, limit }, version);
        if (limit > 0 && read.rest === 'none') rings.request(self, followedIds(state));
        const sources = knownVersion === version ? undefined : sourcesOf(state);
        return { events: [], reply: { version, sources, ids: read.ids, rest: read.rest, floor: read.floor } };
      },
    },
    apply: {},
    commands: { home: { in: codec('murmuration.account.ReadHome'), out: homeCodec, repeats: 'query', local: true } },
    events: {},
  };
}

function followedIds(state: Readonly<RelationState>): string[] {
  return Array.from(state.following.values()).flatMap((edge) => (edge.pending ? [] : [edge.target]));
}
