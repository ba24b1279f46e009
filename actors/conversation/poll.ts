import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, type Problem, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { changeMark, dueTurn, heldMark, knownMark, type Mark, markOfAccount, tooManyMarks } from './marks.js';
import type { TurnEvents } from './marks-part.js';
import { type ConversationState, changed, livingStatus, notFound, recount, type ThreadEntry } from './state.js';

export interface Commands {
  vote: { in: P.ConversationVote; out: P.AccountEmpty };
  alarm: { in: P.StoreAlarmCall; out: P.AccountEmpty };
}
export interface Events {
  voted: P.ConversationVoted;
  pollEnded: P.ConversationPollEnded;
}

/** Edits declare this event; it tells the counts of a poll. */
interface ReportEvents {
  pollReported: P.ConversationPollReported;
}

/** Interval in which other servers learn of new votes: a popular poll would cost each of them a request for each vote. */
const COUNTS_EVERY_MS = 60_000;
/** Delay of the first counts: votes that follow at once come with the first one. */
const FIRST_COUNTS_MS = 2_000;
const COUNTS = 'counts';

/**
 * Returns the alarm after which other servers learn of a vote. All votes of the interval share it, but for the first of
 * a poll. @param voters people who have voted by now
 */
export const countsAlarm = (statusId: string, votedMs: number, voters: number) => ({
  what: `${statusId} ${COUNTS}`,
  atMs: voters <= 1 ? votedMs + FIRST_COUNTS_MS : (Math.floor(votedMs / COUNTS_EVERY_MS) + 1) * COUNTS_EVERY_MS,
});

/** Polls. The gateway checks that the account may see the status. */
export const poll: Slice<ConversationState, Commands, Events, TurnEvents & ReportEvents> = {
  decide: {
    vote(state, { statusId, by, choices }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      const refusal = voteProblem(entry, mark, by, choices, ctx.nowMs);
      if (refusal !== undefined) return refusal;
      const turn = tooManyMarks(entry, 'votes') ?? dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      return {
        events: [{ type: 'voted', statusId, by, choices: [...new Set(choices)], earlier }, ...turn],
        reply: {},
      };
    },
    /** Ends a poll whose time is up, or reports its counts. The alarms of the poll call it. */
    alarm(state, { what, atMs }, { nowMs }) {
      const [statusId = '', reason] = what.split(' ');
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { poll: asked } = entry.record;
      if (reason === COUNTS) {
        // The end has a report of its own.
        const isOpen = asked !== undefined && !asked.ended && nowMs < asked.expiresAtMs;
        return { events: isOpen ? [{ type: 'pollReported', statusId, poll: asked }] : [], reply: {} };
      }
      // A changed poll has an alarm of its own.
      if (asked === undefined || asked.ended || atMs !== asked.expiresAtMs) return { events: [], reply: {} };
      if (nowMs < asked.expiresAtMs) return problem('unavailable', 'The poll goes on');
      return { events: [{ type: 'pollEnded', statusId }], reply: {} };
    },
  },
  apply: {
    voted(state, { statusId, by, choices, earlier }) {
      const entry = state.statuses.get(statusId);
      const asked = entry?.record.poll;
      if (entry === undefined || asked === undefined) return;
      const cast = votesOf(heldMark(entry, by) ?? earlier, asked);
      const all = [...(cast ?? []), ...choices].sort((a, b) => a - b);
      changeMark(state, entry, by, { votes: { choices: all, round: asked.round } }, earlier);
      const options = asked.options.map((option, index) =>
        choices.includes(index) ? { ...option, votes: option.votes + 1 } : option,
      );
      const isFirst = cast === undefined;
      const poll = { ...asked, options, voters: asked.voters + (isFirst ? 1 : 0) };
      recount(entry, isFirst ? 1 : 0, { poll });
    },
    pollEnded(state, { statusId }) {
      const entry = state.statuses.get(statusId);
      if (entry?.record.poll === undefined) return;
      entry.record = changed(entry.record, { poll: { ...entry.record.poll, ended: true } });
    },
  },
  commands: {
    vote: {
      in: codec('murmuration.conversation.Vote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: false,
      reads: markOfAccount,
    },
    alarm: {
      in: codec('murmuration.store.AlarmCall'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    voted: { codec: codec('murmuration.conversation.Voted'), invalidates: true },
    pollEnded: { codec: codec('murmuration.conversation.PollEnded'), invalidates: false },
  },
};

/** Returns a new poll as it is stored. Votes count for the round in which they were cast. */
export function pollOf(
  { options, expiresInMs, multiple, hideTotals }: P.AccountNewPoll,
  nowMs: number,
  round = 0,
): P.StorePoll {
  return {
    options: options.map((title) => ({ title, votes: 0 })),
    expiresAtMs: nowMs + expiresInMs,
    multiple,
    hideTotals,
    voters: 0,
    ended: false,
    round,
  };
}

/** Returns the choices that the account has voted for in this round of the poll. */
function votesOf(mark: Mark | undefined, { round }: P.StorePoll): readonly number[] | undefined {
  return mark?.votes?.round === round ? mark.votes.choices : undefined;
}

function voteProblem(
  entry: ThreadEntry,
  mark: Mark,
  by: string,
  choices: readonly number[],
  nowMs: number,
): Problem | undefined {
  const { poll: asked, accountId } = entry.record;
  if (asked === undefined) return notFound();
  if (asked.ended || nowMs >= asked.expiresAtMs) return refused('The poll has already ended');
  if (accountId === by) return refused('You cannot vote in your own polls');
  // A poll with multiple choices accepts further choices later. Source: Mastodon VoteValidator.
  const before = votesOf(mark, asked);
  if (before !== undefined && (!asked.multiple || choices.some((choice) => before.includes(choice))))
    return refused('You have already voted on this poll');
  const isChoice = choices.every((choice) => choice < asked.options.length);
  if (choices.length === 0 || !isChoice) return refused('The chosen vote option does not exist');
  if (!asked.multiple && new Set(choices).size > 1) return refused('You may choose one option only');
  return undefined;
}

const refused = (why: string) =>
  problem('invalid', `Validation failed: ${why}`, { base: [{ error: 'ERR_INVALID', description: why }] });
