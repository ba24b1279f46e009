import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { edgePage } from '../domain/edge-page.js';
import { type Problem, problem } from '../domain/problem.js';
import { isLanguage } from '../domain/text/language.js';
import type { Ctx, Decision, Slice } from '../runtime/slice.js';
import { type Events as EndorseEvents, unendorsement } from './endorse.js';
import { leaveLists } from './lists.js';
import { type RelationState, relationTo } from './relations.js';
import type { OriginState } from './standing.js';

export interface Commands {
  follow: { in: P.AccountFollow; out: P.AccountRelation };
  unfollow: { in: P.AccountUnfollow; out: P.AccountRelation };
  answerFollow: { in: P.AccountAnswerFollow; out: P.AccountEmpty };
  following: { in: P.AccountEdgeBounds; out: P.AccountEdgePage };
}
export interface Events {
  followed: P.AccountFollowed;
  unfollowed: P.AccountUnfollowed;
  followAnswered: P.AccountFollowAnswered;
}

type State = RelationState & OriginState;

/**
 * Bounds one activation's memory and the merge of a home timeline. Source: Mastodon FollowLimitValidator, default
 * 7,500.
 */
export const FOLLOWING_MAX = 7_500;

/** Languages that one follow is limited to. More would hardly be a limit. */
export const FOLLOW_LANGUAGES_MAX = 20;
/**
 * Characters of a language code, with room for a script or a region (`sr-Latn`). The languages of all follows travel in
 * one message.
 */
export const FOLLOW_LANGUAGE_CHARS_MAX = 7;
/** Follows that are limited to languages. Bounds their size in a message. */
export const FOLLOWS_WITH_LANGUAGES_MAX = 750;

const ownRow = (account: string) => [{ table: accounts, key: { account } }];

/** The follower's side of a follow. */
export const follow: Slice<State, Commands, Events, Pick<EndorseEvents, 'unendorsed'>> = {
  decide: {
    follow(state, command, about) {
      const { self, nowMs, newId } = about;
      const { target, targetLocked, reblogs, notify } = command;
      if (target === self || state.blocking.has(target) || state.blockedBy.has(target))
        return refusedFollow(state, command, about);
      const edge = state.following.get(target);
      const limit = command.limit === undefined ? edge?.limit : limitTo(command.limit.languages);
      const options = { reblogs: reblogs ?? edge?.reblogs ?? true, notify: notify ?? edge?.notify ?? false, limit };
      const refused = refusedLimit(state, target, limit);
      if (refused !== undefined) return refused;
      // An account of another server learns of the answer by an activity, so it always waits for one.
      const pending = edge?.pending ?? (targetLocked || state.origin !== undefined);
      const relation = { ...relationTo(state, target, nowMs), ...options, following: !pending, requested: pending };
      // Another server that asks again has not received the answer.
      const asksAgain = command.activityId !== undefined && edge?.pending === false;
      if (edge !== undefined && !asksAgain && isSame(edge, options)) return { events: [], reply: relation };
      if (edge === undefined && state.following.size >= FOLLOWING_MAX)
        return problem('limit_reached', `Validation failed: You cannot follow more than ${FOLLOWING_MAX} people`);
      const edgeId = edge?.edgeId ?? newId();
      const optionsOnly = edge !== undefined;
      const activityId = command.activityId ?? edge?.activityId;
      const event = { target, edgeId, pending, ...options, atMs: edge?.atMs ?? nowMs, optionsOnly, activityId };
      return { events: [{ type: 'followed', ...event }], reply: relation };
    },
    unfollow(state, { target }, { nowMs }) {
      const edge = state.following.get(target);
      const none = {
        following: false,
        requested: false,
        reblogs: false,
        notify: false,
        endorsed: false,
        limit: undefined,
      };
      const reply = { ...relationTo(state, target, nowMs), ...none };
      if (edge === undefined) return { events: [], reply };
      const { edgeId, pending: wasPending } = edge;
      return { events: [...unendorsement(state, target), { type: 'unfollowed', target, edgeId, wasPending }], reply };
    },
    answerFollow(state, { target, edgeId, answer }) {
      const edge = state.following.get(target);
      const isKnown = answer !== 'rejected' && edge?.pending === (answer === 'pending');
      if (edge?.edgeId !== edgeId || isKnown) return { events: [], reply: {} };
      const { activityId } = edge;
      const ended = answer === 'rejected' ? unendorsement(state, target) : [];
      return { events: [...ended, { type: 'followAnswered', target, edgeId, answer, activityId }], reply: {} };
    },
    following(state, bounds) {
      const edges: P.AccountEdge[] = [];
      for (const { target, edgeId, pending } of state.following.values()) {
        if (!pending) edges.push({ account: target, edgeId, untilMs: 0 });
      }
      return { events: [], reply: edgePage(edges, bounds) };
    },
  },
  apply: {
    followed(state, { target, edgeId, pending, reblogs, notify, atMs, limit, activityId }) {
      state.following.set(target, { target, edgeId, pending, reblogs, notify, atMs, limit, activityId });
    },
    unfollowed(state, { target }) {
      state.following.delete(target);
      state.endorsed.delete(target);
      leaveLists(state, target);
    },
    followAnswered(state, { target, answer }) {
      const edge = state.following.get(target);
      if (answer === 'rejected') {
        state.following.delete(target);
        state.endorsed.delete(target);
        leaveLists(state, target);
      } else if (edge !== undefined) state.following.set(target, { ...edge, pending: answer === 'pending' });
    },
  },
  commands: {
    follow: {
      in: codec('murmuration.account.Follow'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: false,
      shows: ownRow,
      remote: 'answers',
    },
    unfollow: {
      in: codec('murmuration.account.Unfollow'),
      out: codec('murmuration.account.Relation'),
      repeats: 'idempotent',
      local: false,
      shows: ownRow,
      remote: 'answers',
    },
    answerFollow: {
      in: codec('murmuration.account.AnswerFollow'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    following: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.EdgePage'),
      repeats: 'query',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    followed: {
      codec: codec('murmuration.account.Followed'),
      invalidates: false,
      overlaps: (_event, { origin }) => origin === undefined,
      changesRelations: true,
    },
    unfollowed: { codec: codec('murmuration.account.Unfollowed'), invalidates: true, changesRelations: true },
    followAnswered: { codec: codec('murmuration.account.FollowAnswered'), invalidates: true, changesRelations: true },
  },
};

/** Refuses a follow. Another server gets an answer, and this side of the follow never begins. */
function refusedFollow(
  state: Readonly<State>,
  { target, activityId }: P.AccountFollow,
  { self, nowMs, newId }: Ctx,
): Decision<Pick<Events, 'followAnswered'>, P.AccountRelation> {
  if (state.origin === undefined || target === self) return problem('forbidden', 'This action is not allowed');
  const answered = { target, edgeId: newId(), answer: 'rejected', activityId };
  return { events: [{ type: 'followAnswered', ...answered }], reply: relationTo(state, target, nowMs) };
}

type Options = Pick<P.AccountFollowingEdge, 'reblogs' | 'notify' | 'limit'>;

function isSame(a: Options, b: Options): boolean {
  return a.reblogs === b.reblogs && a.notify === b.notify && a.limit?.languages.join() === b.limit?.languages.join();
}

/** Sorts the languages. An empty list is no limit. */
function limitTo(languages: readonly string[]): P.AccountLanguages | undefined {
  return languages.length === 0 ? undefined : { languages: [...new Set(languages)].sort() };
}

const isFollowable = (code: string) => code.length <= FOLLOW_LANGUAGE_CHARS_MAX && isLanguage(code);

function refusedLimit(
  state: Readonly<RelationState>,
  target: string,
  limit: P.AccountLanguages | undefined,
): Problem | undefined {
  if (limit === undefined) return undefined;
  const { languages } = limit;
  if (languages.length > FOLLOW_LANGUAGES_MAX || !languages.every(isFollowable)) {
    const error = { error: 'ERR_INCLUSION', description: 'are not included in the list' };
    return problem('invalid', 'Validation failed: Languages are not included in the list', { languages: [error] });
  }
  let others = 0;
  for (const edge of state.following.values()) if (edge.target !== target && edge.limit !== undefined) others += 1;
  return others < FOLLOWS_WITH_LANGUAGES_MAX
    ? undefined
    : problem('limit_reached', `Validation failed: Languages limit more than ${FOLLOWS_WITH_LANGUAGES_MAX} follows`);
}
