import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, type Problem, problem } from '../domain/problem.js';
import type { Part } from '../runtime/part.js';
import { type ConversationState, changed, type Entry, livingStatus, MARKS_MAX, notFound } from './state.js';

export interface Commands {
  vote: { in: P.ConversationVote; out: P.AccountEmpty };
  alarm: { in: P.StoreAlarmCall; out: P.AccountEmpty };
}
export interface Events {
  voted: P.ConversationVoted;
  pollEnded: P.ConversationPollEnded;
}

/** Questions with answers to choose from. Whether they may see it was asked before. */
export const poll: Part<ConversationState, Commands, Events> = {
  decide: {
    vote(state, { statusId, by, choices }, { nowMs }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const refusal = voteProblem(entry, by, choices, nowMs);
      if (refusal !== undefined) return refusal;
      if (state.marks >= MARKS_MAX) return problem('limit_reached', 'This conversation takes no more votes');
      return { events: [{ type: 'voted', statusId, by, choices: [...new Set(choices)] }], reply: {} };
    },
    /** Somebody looks whether a poll's time is up. */
    alarm(state, { what, atMs }, { nowMs }) {
      const entry = livingStatus(state, what);
      if (isProblem(entry)) return entry;
      const { poll: asked } = entry.record;
      // A poll that was changed has an alarm of its own.
      if (asked === undefined || asked.ended || atMs !== asked.expiresAtMs) return { events: [], reply: {} };
      if (nowMs < asked.expiresAtMs) return problem('unavailable', 'The poll goes on');
      return { events: [{ type: 'pollEnded', statusId: what }], reply: {} };
    },
  },
  apply: {
    voted(state, { statusId, by, choices }) {
      const entry = state.statuses.get(statusId);
      const asked = entry?.record.poll;
      if (entry === undefined || asked === undefined) return;
      const before = entry.votes?.get(by);
      entry.votes ??= new Map();
      entry.votes.set(by, before === undefined ? choices : [...before, ...choices].sort((a, b) => a - b));
      if (before === undefined) state.marks += 1;
      const options = asked.options.map((option, index) =>
        choices.includes(index) ? { ...option, votes: option.votes + 1 } : option,
      );
      entry.record = changed(entry.record, {
        poll: { ...asked, options, voters: asked.voters + (before === undefined ? 1 : 0) },
      });
    },
    pollEnded(state, { statusId }) {
      const entry = state.statuses.get(statusId);
      if (entry?.record.poll === undefined) return;
      entry.record = changed(entry.record, { poll: { ...entry.record.poll, ended: true } });
    },
  },
  commands: {
    vote: { in: codec('murmuration.conversation.Vote'), out: codec('murmuration.account.Empty') },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: codec('murmuration.account.Empty') },
  },
  events: {
    voted: codec('murmuration.conversation.Voted'),
    pollEnded: codec('murmuration.conversation.PollEnded'),
  },
};

/** A new poll as it is stored. */
export function pollOf({ options, expiresInMs, multiple, hideTotals }: P.AccountNewPoll, nowMs: number): P.StorePoll {
  return {
    options: options.map((title) => ({ title, votes: 0 })),
    expiresAtMs: nowMs + expiresInMs,
    multiple,
    hideTotals,
    voters: 0,
    ended: false,
    round: 0,
  };
}

function voteProblem(entry: Entry, by: string, choices: readonly number[], nowMs: number): Problem | undefined {
  const { poll: asked, accountId } = entry.record;
  if (asked === undefined) return notFound();
  if (asked.ended || nowMs >= asked.expiresAtMs) return refused('The poll has already ended');
  if (accountId === by) return refused('You cannot vote in your own polls');
  // A poll of several choices takes more of them later. Source: Mastodon VoteValidator.
  const before = entry.votes?.get(by);
  if (before !== undefined && (!asked.multiple || choices.some((choice) => before.includes(choice))))
    return refused('You have already voted on this poll');
  const isChoice = choices.every((choice) => choice < asked.options.length);
  if (choices.length === 0 || !isChoice) return refused('The chosen vote option does not exist');
  if (!asked.multiple && new Set(choices).size > 1) return refused('You may choose one option only');
  return undefined;
}

const refused = (why: string) =>
  problem('invalid', `Validation failed: ${why}`, { base: [{ error: 'ERR_INVALID', description: why }] });
