import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import type { Part } from '../runtime/part.js';

export interface Commands {
  relations: { in: P.AccountRelationsOf; out: P.AccountRelations };
  sources: { in: P.AccountEmpty; out: P.AccountSources };
}

/** What the account is to others; kept by follow.ts, followers.ts and block.ts. */
export interface RelationState {
  /** Follows made, pending ones too, by target. At most FOLLOWING_MAX. */
  readonly following: Map<string, P.AccountFollowingEdge>;
  /** Follows that await the owner's answer, by follower. At most FOLLOW_REQUESTS_MAX. */
  readonly requests: Map<string, { readonly edgeId: string; readonly atMs: number }>;
  /** All accepted followers are counted; the latest FOLLOWERS_REMEMBERED_MAX are known, by follower, with their edge. */
  followers: number;
  readonly recentFollowers: Map<string, string>;
  readonly blocking: Set<string>;
  readonly blockedBy: Set<string>;
  /** Grows with each event of `relationEvents`: who knows the relations by it need not ask for them again. */
  relationsVersion: number;
}

/** The events that change what the account may see, or whom it hears. */
export const relationEvents = [
  'followed',
  'unfollowed',
  'followAnswered',
  'blocked',
  'unblocked',
  'blockReceived',
] as const;

/** Questions about relations; nothing is recorded. */
export const relations: Part<RelationState, Commands, object> = {
  decide: {
    relations(state, { targets }) {
      return { events: [], reply: { relations: targets.map((target) => relationTo(state, target)) } };
    },
    sources(state) {
      return { events: [], reply: sourcesOf(state) };
    },
  },
  apply: {},
  commands: {
    relations: { in: codec('murmuration.account.RelationsOf'), out: codec('murmuration.account.Relations') },
    sources: { in: codec('murmuration.account.Empty'), out: codec('murmuration.account.Sources') },
  },
  events: {},
};

export function sourcesOf(state: Readonly<RelationState>): P.AccountSources {
  const blocked = [...new Set([...state.blocking, ...state.blockedBy])];
  return { following: [...state.following.values()], blocked };
}

export function relationTo(state: Readonly<RelationState>, target: string): P.AccountRelation {
  const edge = state.following.get(target);
  return {
    target,
    following: edge?.pending === false,
    requested: edge?.pending === true,
    reblogs: edge?.reblogs ?? false,
    notify: edge?.notify ?? false,
    blocking: state.blocking.has(target),
    blockedBy: state.blockedBy.has(target),
    requestedBy: state.requests.has(target),
  };
}
