import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { RelationState } from './relations.js';

export interface Commands {
  followTag: { in: P.AccountTagName; out: P.AccountEmpty };
  unfollowTag: { in: P.AccountTagName; out: P.AccountEmpty };
  followedTags: { in: P.AccountEdgeBounds; out: P.AccountFollowedTags };
}
export interface Events {
  tagFollowed: P.AccountTagFollowed;
  tagUnfollowed: P.AccountTagUnfollowed;
}

/** Each followed hashtag adds a list to the merge of every home page. */
export const FOLLOWED_TAGS_MAX = 100;

/** Hashtags whose public statuses appear in the home timeline. Only the follower can see that they follow. */
export const followedTags: Slice<RelationState, Commands, Events> = {
  decide: {
    followTag(state, { name }, { newId, nowMs }) {
      if (state.followedTags.has(name)) return { events: [], reply: {} };
      if (state.followedTags.size >= FOLLOWED_TAGS_MAX)
        return problem('limit_reached', `Validation failed: You cannot follow more than ${FOLLOWED_TAGS_MAX} hashtags`);
      return { events: [{ type: 'tagFollowed', name, edgeId: newId(), atMs: nowMs }], reply: {} };
    },
    unfollowTag: (state, { name }) => ({
      events: state.followedTags.has(name) ? [{ type: 'tagUnfollowed', name }] : [],
      reply: {},
    }),
    followedTags(state, bounds) {
      const edges = Array.from(state.followedTags, ([name, edgeId]) => ({ name, edgeId }));
      const { edges: tags, more } = edgePage(edges, bounds);
      return { events: [], reply: { tags, more } };
    },
  },
  apply: {
    tagFollowed: (state, { name, edgeId }) => void state.followedTags.set(name, edgeId),
    tagUnfollowed: (state, { name }) => void state.followedTags.delete(name),
  },
  commands: {
    followTag: {
      in: codec('murmuration.account.TagName'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    unfollowTag: {
      in: codec('murmuration.account.TagName'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    followedTags: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.FollowedTags'),
      repeats: 'query',
      local: true,
    },
  },
  events: {
    tagFollowed: { codec: codec('murmuration.account.TagFollowed'), invalidates: false, changesRelations: true },
    tagUnfollowed: { codec: codec('murmuration.account.TagUnfollowed'), invalidates: true, changesRelations: true },
  },
};
