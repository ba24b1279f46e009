import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { accounts, statuses } from '../../store/tables.js';
import { pollProblem } from '../domain/poll-rules.js';
import { noParent, noQuoted } from '../domain/posting-refusals.js';
import { isProblem, type Problem, problem } from '../domain/problem.js';
import { invalidField, mixtureProblem, textProblem } from '../domain/text/status-text.js';
import { VISIBILITIES } from '../domain/visibility.js';
import type { Slice } from '../runtime/slice.js';
import { countTags, type State as FeaturedTagState, uncountTags } from './featured-tags.js';
import { attachable, attached, type State as MediaState } from './media.js';
import type { State as MovesState } from './moves.js';
import { forgetPin, type State as PinState } from './pin.js';
import type { State as ProfileState } from './profile.js';
import type { RelationState } from './relations.js';
import type { State as SubscriberState } from './subscribers.js';

export interface Commands {
  post: { in: P.AccountPost; out: P.AccountPostedReply };
  countStatus: { in: P.AccountCountStatus; out: P.AccountEmpty };
}
export interface Events {
  posted: P.AccountPosted;
  statusCounted: P.AccountStatusCounted;
  /** A status was deleted. */
  statusUncounted: P.AccountStatusCounted;
}
export interface State
  extends ProfileState,
    PinState,
    FeaturedTagState,
    MediaState,
    RelationState,
    SubscriberState,
    MovesState {
  /**
   * Number of existing statuses and reblogs. It is temporarily negative if the undoing of a reblog arrives before the
   * reblog.
   */
  statuses: number;
  /** Direct ones among them: the public count excludes these. */
  directStatuses: number;
  lastStatusAtMs: number;
}

const NOTHING: readonly P.AccountMedia[] = [];

/** The author's side of statuses: ids, limits and counts. */
export const post: Slice<State, Commands, Events> = {
  decide: {
    post(state, command, { nowMs, newId, newActorId }) {
      if (state.moves.movedTo !== undefined) return problem('forbidden', 'This account has moved: it cannot post');
      const refusal = refused(command) ?? unanswerable(state, command);
      if (refusal !== undefined) return refusal;
      const quote = command.quote && quoted(state, command.quote);
      if (isProblem(quote)) return quote;
      const uploads = command.media === undefined ? NOTHING : attachable(state, command.media.ids);
      if (isProblem(uploads)) return uploads;
      const media = uploads.length === 0 ? undefined : { media: uploads };
      const id = command.conversationId === undefined ? newActorId() : newId();
      const conversationId = command.conversationId ?? id;
      const language = command.language || state.profile.language || 'en';
      return {
        events: [{ type: 'posted', ...command, media, quote, id, conversationId, language, atMs: nowMs }],
        reply: { id, conversationId },
      };
    },
    countStatus(_state, counted) {
      return { events: [{ type: counted.delta < 0 ? 'statusUncounted' : 'statusCounted', ...counted }], reply: {} };
    },
  },
  apply: {
    posted(state, { atMs, tags, visibility, media }) {
      state.statuses += 1;
      if (visibility === 'direct') state.directStatuses += 1;
      else state.lastStatusAtMs = atMs;
      if (media !== undefined) attached(state, media.media);
      countTags(state, { tags, visibility, atMs });
    },
    statusCounted: counted,
    statusUncounted: counted,
  },
  commands: {
    post: {
      in: codec('murmuration.account.Post'),
      out: codec('murmuration.account.PostedReply'),
      repeats: 'keyed',
      local: true,
      shows: (account, _post, { id }) => [
        { table: accounts, key: { account } },
        { table: statuses, key: { status: id } },
      ],
    },
    countStatus: {
      in: codec('murmuration.account.CountStatus'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    posted: {
      codec: codec('murmuration.account.Posted'),
      invalidates: false,
      overlaps: (event, state) => event.quote === undefined && state.subscribers.size === 0,
    },
    statusCounted: { codec: codec('murmuration.account.StatusCounted'), invalidates: false, overlaps: () => true },
    statusUncounted: { codec: codec('murmuration.account.StatusCounted'), invalidates: true, forgets: true },
  },
};

function counted(state: State, { id, delta, atMs, direct, tags }: P.AccountStatusCounted): void {
  state.statuses += delta;
  if (direct === true) state.directStatuses += delta;
  if (delta > 0) {
    state.lastStatusAtMs = Math.max(state.lastStatusAtMs, atMs);
    return;
  }
  forgetPin(state.pins, id);
  uncountTags(state, tags);
}

/** Refuses a reply to an account that blocks the owner, also for statuses that were scheduled before the block. */
function unanswerable({ blockedBy }: Readonly<State>, { inReplyToAccountId }: P.AccountPost): Problem | undefined {
  if (!inReplyToAccountId || !blockedBy.has(inReplyToAccountId)) return undefined;
  return noParent();
}

/** Refuses a quote if either account blocks the other. The conversation of the quoted status decides the rest. */
function quoted(state: Readonly<State>, quote: P.AccountQuote): P.AccountQuote | Problem {
  const { accountId } = quote;
  if (state.blocking.has(accountId) || state.blockedBy.has(accountId)) return noQuoted();
  return { ...quote, state: '', follows: state.following.get(accountId)?.pending === false };
}

function refused({ text, spoilerText, visibility, media, poll, quote }: P.AccountPost): Problem | undefined {
  const hasMedia = media !== undefined && media.ids.length > 0;
  const mayBeEmpty = quote !== undefined || hasMedia;
  const refusal =
    textProblem(text, spoilerText, mayBeEmpty) ??
    (poll && pollProblem(poll)) ??
    mixtureProblem(hasMedia, poll !== undefined);
  if (refusal !== undefined) return refusal;
  if (!VISIBILITIES.some((known) => known === visibility))
    return invalidField('visibility', 'Visibility', 'ERR_INCLUSION', 'is not included in the list');
  return undefined;
}
