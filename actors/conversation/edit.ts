import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { badMixture } from '../account/media.js';
import { pollProblem } from '../domain/poll-rules.js';
import { isProblem, problem } from '../domain/problem.js';
import { indexedTags } from '../domain/text/hashtag.js';
import { mixtureProblem, textProblem } from '../domain/text/status-text.js';
import type { Slice } from '../runtime/slice.js';
import { pollOf } from './poll.js';
import type { Events as PolicyEvents } from './quote-policy.js';
import { type ConversationState, changed, livingStatus, notFound } from './state.js';

export interface Commands {
  edit: { in: P.ConversationEdit; out: P.AccountEmpty };
  revise: { in: P.ConversationRevise; out: P.AccountEmpty };
}
export interface Events {
  edited: P.ConversationEdited;
  pollReported: P.ConversationPollReported;
}

/** Revisions of one status. Bounds its history's partition and the rows that a deletion removes. */
export const REVISIONS_MAX = 1_000;

/** Edits of a status by its author. The previous revisions stay in its history. */
export const edit: Slice<ConversationState, Commands, Events, PolicyEvents> = {
  decide: {
    edit(state, { statusId, by, ...next }, { nowMs }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { record } = entry;
      if (record.accountId !== by) return notFound();
      const uploads = next.media?.media ?? [];
      const refusal =
        textProblem(next.text, next.spoilerText, uploads.length > 0 || record.quote !== undefined) ??
        badMixture(uploads) ??
        mixtureProblem(uploads.length > 0, next.poll !== undefined);
      if (refusal !== undefined) return refusal;
      const edits = record.edits ?? 0;
      const poll = nextPoll(record.poll, next.poll, nowMs, edits + 1);
      if (isProblem(poll)) return poll;
      if (saysTheSame(record, next) && isSame(record.poll, poll)) return { events: [], reply: {} };
      if (edits >= REVISIONS_MAX) return problem('limit_reached', 'This post cannot be edited any more');
      const known = new Set(record.mentions.map((mention) => mention.accountId));
      const { mentions, tags, poll: _, ...said } = next;
      const dropped = (record.media?.media ?? []).filter(({ id }) => !uploads.some((one) => one.id === id));
      return {
        events: [
          {
            type: 'edited',
            statusId,
            number: edits + 1,
            revision: { ...said, atMs: nowMs, pollOptions: titlesOf(poll) },
            poll,
            first: edits === 0 ? revisionOf(record) : undefined,
            mentions,
            tags,
            released: dropped.length === 0 ? undefined : { media: dropped },
            untagged: indexedTags(record).filter((name) => !tags.includes(name)),
            newlyMentioned: mentions.map(({ accountId }) => accountId).filter((id) => !known.has(id)),
          },
        ],
        reply: {},
      };
    },
    revise(state, { statusId, by, status }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { record } = entry;
      if (record.accountId !== by || record.remote === undefined || status?.remote === undefined) return notFound();
      const poll = reportedPoll(record.poll, status.poll, (record.edits ?? 0) + 1);
      if (status.remote.updatedMs <= record.remote.updatedMs || (record.edits ?? 0) >= REVISIONS_MAX) {
        // Servers report votes without a new time.
        const isReport = poll !== undefined && poll.round === record.poll?.round && !isSame(poll, record.poll);
        const reports = isReport ? [{ type: 'pollReported' as const, statusId, poll }] : [];
        return { events: [...reports, ...policyOf(record, status)], reply: {} };
      }
      return {
        events: [{ type: 'edited', ...revisedBy(record, status, poll) }, ...policyOf(record, status)],
        reply: {},
      };
    },
  },
  apply: {
    edited(state, { statusId, number, revision, mentions, tags, poll, remote }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || revision === undefined) return;
      const { atMs, pollOptions: _, ...said } = { ...revision, media: revision.media };
      if (entry.record.poll !== undefined && entry.record.poll.round !== poll?.round)
        entry.markCount -= entry.record.poll.voters;
      const card = said.text === entry.record.text ? entry.record.card : undefined;
      const changes = { ...said, card, mentions, tags, poll, editedAtMs: atMs, edits: number };
      entry.record = changed(entry.record, remote === undefined ? changes : { ...changes, remote });
    },
    pollReported(state, { statusId, poll }) {
      const entry = state.statuses.get(statusId);
      if (entry?.record.poll !== undefined) entry.record = changed(entry.record, { poll });
    },
  },
  commands: {
    edit: {
      in: codec('murmuration.conversation.Edit'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
    revise: {
      in: codec('murmuration.conversation.Revise'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
  },
  events: {
    edited: { codec: codec('murmuration.conversation.Edited'), invalidates: true },
    pollReported: { codec: codec('murmuration.conversation.PollReported'), invalidates: false },
  },
};

/** Returns the event of another policy on quotes, which servers state without a new time. */
function policyOf(
  record: P.StoreStatusRecord,
  { quotePolicy: policy = 'nobody', manualQuotePolicy: manualPolicy }: P.StoreStatusRecord,
): readonly ({ readonly type: 'quotePolicySet' } & P.ConversationQuotePolicySet)[] {
  const isAsBefore = policy === (record.quotePolicy ?? 'nobody') && manualPolicy === record.manualQuotePolicy;
  return isAsBefore ? [] : [{ type: 'quotePolicySet', statusId: record.id, policy, manualPolicy }];
}

/** Returns the event of an edit by the author of another server. Its server has applied its own limits. */
function revisedBy(
  record: P.StoreStatusRecord,
  status: P.StoreStatusRecord,
  poll: P.StorePoll | undefined,
): P.ConversationEdited {
  const { text, html, spoilerText, sensitive, language, media, mentions, tags, remote } = status;
  const edits = record.edits ?? 0;
  const known = new Set(record.mentions.map((mention) => mention.accountId));
  const atMs = Math.max(remote?.updatedMs ?? 0, record.editedAtMs, record.createdAtMs);
  return {
    statusId: record.id,
    number: edits + 1,
    revision: { text, html, spoilerText, sensitive, language, media, atMs, pollOptions: titlesOf(poll) },
    poll,
    first: edits === 0 ? revisionOf(record) : undefined,
    mentions,
    tags,
    untagged: indexedTags(record).filter((name) => !tags.includes(name)),
    newlyMentioned: mentions.map(({ accountId }) => accountId).filter((id) => !known.has(id)),
    // An edit does not move a reply to another thread.
    remote: remote && { ...remote, inReplyToUri: record.remote?.inReplyToUri ?? '' },
  };
}

/** Returns a poll of another server as it is now: other options are a new round, in which nobody here has voted. */
function reportedPoll(
  now: P.StorePoll | undefined,
  next: P.StorePoll | undefined,
  round: number,
): P.StorePoll | undefined {
  if (next === undefined) return undefined;
  const isKept = now !== undefined && isSameList(titlesOf(now), titlesOf(next)) && now.multiple === next.multiple;
  return { ...next, round: isKept ? now.round : round, ended: next.ended || (isKept && now.ended) };
}

const isSameList = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other);

/** Returns the current revision of a status, as its history stores it. */
export function revisionOf(record: P.StoreStatusRecord): P.StoreStatusRevision {
  const atMs = record.editedAtMs || record.createdAtMs;
  const { text, html, spoilerText, sensitive, language, media } = record;
  return { text, html, spoilerText, sensitive, language, media, atMs, pollOptions: titlesOf(record.poll) };
}

const titlesOf = (poll: P.StorePoll | undefined) => poll?.options.map(({ title }) => title) ?? [];

/** Returns the poll after an edit: other options or rules discard all votes. Source: Mastodon UpdateStatusService. */
/** `round`: number of a new poll; no earlier poll of the status has had it. */
function nextPoll(now: P.StorePoll | undefined, next: P.AccountNewPoll | undefined, nowMs: number, round: number) {
  if (next === undefined) return undefined;
  const refusal = pollProblem(next);
  if (refusal !== undefined) return refusal;
  const asked = pollOf(next, nowMs, round);
  if (now === undefined) return asked;
  const isKept =
    JSON.stringify(titlesOf(now)) === JSON.stringify(next.options) &&
    now.multiple === next.multiple &&
    now.hideTotals === next.hideTotals;
  // An unchanged poll keeps its end: an edit of the text should not extend it.
  return isKept ? now : asked;
}

const isSame = (a: P.StorePoll | undefined, b: P.StorePoll | undefined) => JSON.stringify(a) === JSON.stringify(b);

function saysTheSame(record: P.StoreStatusRecord, next: Omit<P.ConversationEdit, 'statusId' | 'by'>): boolean {
  return (
    record.text === next.text &&
    record.spoilerText === next.spoilerText &&
    record.sensitive === next.sensitive &&
    record.language === next.language &&
    shown(record.media) === shown(next.media)
  );
}

/** Returns the properties of a status's media that its author can change. */
function shown(list: P.AccountMediaList | undefined): string {
  return JSON.stringify(
    list?.media.map(({ id, description, focus, preview }) => [id, description, focus?.x, focus?.y, preview]),
  );
}
