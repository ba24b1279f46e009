import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isMuted } from '../domain/visibility.js';
import type { Slice } from '../runtime/slice.js';
import { sourcesCodec } from './packed-relations.js';

export interface Commands {
  relations: { in: P.AccountRelationsOf; out: P.AccountRelations };
  sources: { in: P.AccountEmpty; out: P.AccountSources };
}

/** A mute of somebody; it may have ended. */
export interface Mute {
  /** What pages of mutes go by. */
  readonly edgeId: string;
  readonly notifications: boolean;
  /** 0: without an end. */
  readonly untilMs: number;
}

/** A list of people; its title and rules, and its members with the ids that pages go by, in their order. */
export interface PeopleList extends Omit<P.AccountList, 'id'> {
  readonly members: Map<string, string>;
}

/**
 * What the account is to others; kept by follow.ts, followers.ts, block.ts, mute.ts, lists.ts, followed-tags.ts and
 * filters.ts.
 */
export interface RelationState {
  /** Follows made, pending ones too, by target. At most FOLLOWING_MAX. */
  readonly following: Map<string, P.AccountFollowingEdge>;
  /** Follows that await the owner's answer, by follower. At most FOLLOW_REQUESTS_MAX. */
  readonly requests: Map<string, { readonly edgeId: string; readonly atMs: number }>;
  /** All accepted followers are counted; the latest FOLLOWERS_REMEMBERED_MAX are known, by follower, with their edge. */
  followers: number;
  readonly recentFollowers: Map<string, string>;
  /** By account, with the ids that pages go by, in their order. At most BLOCKS_MAX. */
  readonly blocking: Map<string, string>;
  readonly blockedBy: Set<string>;
  /** By account, in the order of their edges' ids. At most MUTES_MAX. */
  readonly muting: Map<string, Mute>;
  /** At most MUTED_CONVERSATIONS_MAX. */
  readonly mutedConversations: Set<string>;
  /** By id, oldest first. At most LISTS_MAX. */
  readonly lists: Map<string, PeopleList>;
  /** By id, oldest first. At most FILTERS_MAX. */
  readonly filters: Map<string, P.AccountFilter>;
  /** Hashtags followed, with the ids that pages go by, in their order. At most FOLLOWED_TAGS_MAX. */
  readonly followedTags: Map<string, string>;
  /** What the owner notes about others, by account. At most PERSONAL_NOTES_MAX. */
  readonly notes: Map<string, string>;
  /** Some of those followed, with the ids that pages go by. At most ENDORSEMENTS_MAX. */
  readonly endorsed: Map<string, string>;
  /** With the ids that pages go by. At most DOMAIN_BLOCKS_MAX. */
  readonly blockedDomains: Map<string, string>;
  /** Grows with each event of `relationEvents`: who knows the relations by it need not ask for them again. */
  relationsVersion: number;
}

/** The events that change what the account may see, or whom it hears, and where. */
export const relationEvents = [
  'followed',
  'unfollowed',
  'followAnswered',
  'blocked',
  'unblocked',
  'blockReceived',
  'muted',
  'unmuted',
  'conversationMuted',
  'conversationUnmuted',
  'listCreated',
  'listUpdated',
  'listDeleted',
  'listMembersAdded',
  'listMembersRemoved',
  'filterSaved',
  'filterRemoved',
  'tagFollowed',
  'tagUnfollowed',
  'domainBlocked',
  'domainUnblocked',
] as const;

/** Questions about relations; nothing is recorded. */
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
    },
    sources: { in: codec('murmuration.account.Empty'), out: sourcesCodec, repeats: 'query' },
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

/** Undefined: among so many followers it is not remembered. */
function isFollowedBy({ followers, recentFollowers }: Readonly<RelationState>, account: string): boolean | undefined {
  if (recentFollowers.has(account)) return true;
  return followers > recentFollowers.size ? undefined : false;
}

/** Follows limited to some languages. */
export function followLanguages({ following }: Readonly<RelationState>): P.AccountFollowLanguages[] {
  const found: P.AccountFollowLanguages[] = [];
  for (const { target, limit } of following.values())
    if (limit !== undefined) found.push({ target, languages: limit.languages });
  return found;
}

/** Whether there is more to be known than relations say. */
function isScreened({ filters, blockedDomains, following }: Readonly<RelationState>): boolean {
  if (filters.size > 0 || blockedDomains.size > 0) return true;
  for (const { limit } of following.values()) if (limit !== undefined) return true;
  return false;
}
