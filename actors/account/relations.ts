import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isMuted } from '../domain/visibility.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap, LazySet } from '../runtime/state/lazy-collections.js';
import { sourcesCodec } from './packed-relations.js';

export interface Commands {
  relations: { in: P.AccountRelationsOf; out: P.AccountRelations };
  sources: { in: P.AccountEmpty; out: P.AccountSources };
}

/** A mute of an account. It may have expired. */
export interface Mute {
  /** Cursor of pages of mutes. */
  readonly edgeId: string;
  readonly notifications: boolean;
  /** End of the mute; 0: no end. */
  readonly untilMs: number;
}

/** A list: its title and rules, and its members in order with the ids that pages use as cursors. */
export interface PeopleList extends Omit<P.AccountList, 'id'> {
  readonly members: LazyMap<string, string>;
}

/**
 * The account's relations to other accounts. follow.ts, followers.ts, block.ts, mute.ts, lists.ts, followed-tags.ts and
 * filters.ts maintain them.
 */
export interface RelationState {
  /** Follows made, including pending ones, by target. At most FOLLOWING_MAX. */
  readonly following: LazyMap<string, P.AccountFollowingEdge>;
  /** Follow requests that await the owner's answer, by follower. At most FOLLOW_REQUESTS_MAX. */
  readonly requests: LazyMap<string, { readonly edgeId: string; readonly atMs: number }>;
  /**
   * Number of all accepted followers. `recentFollowers` holds the edge ids of the latest FOLLOWERS_REMEMBERED_MAX by
   * follower.
   */
  followers: number;
  readonly recentFollowers: LazyMap<string, string>;
  /** True once an account of another server has followed or asked to. */
  isFollowedElsewhere?: boolean;
  /** Edge ids of blocks by account, in order. At most BLOCKS_MAX. */
  readonly blocking: LazyMap<string, string>;
  readonly blockedBy: LazySet<string>;
  /** Mutes by account, in the order of their edge ids. At most MUTES_MAX. */
  readonly muting: LazyMap<string, Mute>;
  /** At most MUTED_CONVERSATIONS_MAX. */
  readonly mutedConversations: LazySet<string>;
  /** Lists by id, oldest first. At most LISTS_MAX. */
  readonly lists: LazyMap<string, PeopleList>;
  /** Filters by id, oldest first. At most FILTERS_MAX. */
  readonly filters: LazyMap<string, P.AccountFilter>;
  /** Edge ids of followed hashtags by name, in order. At most FOLLOWED_TAGS_MAX. */
  readonly followedTags: LazyMap<string, string>;
  /** The owner's private notes by account. At most PERSONAL_NOTES_MAX. */
  readonly notes: LazyMap<string, string>;
  /** Edge ids of endorsements by account; a local account follows all of them. At most ENDORSEMENTS_MAX. */
  readonly endorsed: LazyMap<string, string>;
  /** Edge ids of blocked domains by name. At most DOMAIN_BLOCKS_MAX. */
  readonly blockedDomains: LazyMap<string, string>;
  /**
   * Increases with each event that `changesRelations`. A reader that has cached the relations of this version need not
   * read them again.
   */
  relationsVersion: number;
}

/** Queries about relations. They record nothing. */
export const relations: Slice<RelationState, Commands, object> = {
  decide: {
    relations(state, { targets }, { nowMs }) {
      return { events: [], reply: { relations: targets.map((target) => relationTo(state, target, nowMs)) } };
    },
    sources(state) {
      return { events: [], reply: sourcesOf(state) };
    },
  },
  apply: {},
  commands: {
    relations: {
      in: codec('murmuration.account.RelationsOf'),
      out: codec('murmuration.account.Relations'),
      repeats: 'query',
      local: true,
      remote: 'answers',
    },
    sources: { in: codec('murmuration.account.Empty'), out: sourcesCodec, repeats: 'query', local: true },
  },
  events: {},
};

export function sourcesOf(state: Readonly<RelationState>): P.AccountSources {
  const muted = Array.from(state.muting, ([account, { untilMs, notifications }]) => ({
    account,
    untilMs,
    notifications,
  }));
  const lists = Array.from(state.lists, ([id, { members, repliesPolicy, exclusive }]) => ({
    id,
    members: [...members.keys()],
    repliesPolicy,
    exclusive,
  }));
  return {
    following: [...state.following.values()],
    blocked: [...state.blocking.keys()],
    blockedBy: [...state.blockedBy],
    muted,
    lists,
    screened: isScreened(state),
    tags: [...state.followedTags.keys()],
    mutedConversations: [...state.mutedConversations],
  };
}

export function relationTo(state: Readonly<RelationState>, target: string, nowMs: number): P.AccountRelation {
  const edge = state.following.get(target);
  const mute = state.muting.get(target);
  const muting = isMuted(mute?.untilMs, nowMs);
  return {
    target,
    following: edge?.pending === false,
    requested: edge?.pending === true,
    reblogs: edge?.reblogs ?? false,
    notify: edge?.notify ?? false,
    blocking: state.blocking.has(target),
    blockedBy: state.blockedBy.has(target),
    requestedBy: state.requests.has(target),
    muting,
    mutingNotifications: muting && mute?.notifications === true,
    mutingUntilMs: muting ? (mute?.untilMs ?? 0) : 0,
    note: state.notes.get(target) ?? '',
    endorsed: state.endorsed.has(target),
    limit: edge?.limit,
    followedBy: isFollowedBy(state, target),
  };
}

/** True, false, or undefined when the account may be one of the followers that are not stored. */
function isFollowedBy({ followers, recentFollowers }: Readonly<RelationState>, account: string): boolean | undefined {
  if (recentFollowers.has(account)) return true;
  return followers > recentFollowers.size ? undefined : false;
}

/** Returns the follows that are limited to languages. */
export function followLanguages({ following }: Readonly<RelationState>): P.AccountFollowLanguages[] {
  const found: P.AccountFollowLanguages[] = [];
  for (const { target, limit } of following.values())
    if (limit !== undefined) found.push({ target, languages: limit.languages });
  return found;
}

/** True when the account has filters, domain blocks or language limits, which relations do not contain. */
function isScreened({ filters, blockedDomains, following }: Readonly<RelationState>): boolean {
  if (filters.size > 0 || blockedDomains.size > 0) return true;
  for (const { limit } of following.values()) if (limit !== undefined) return true;
  return false;
}
