import type {
  AccountQuote,
  ConversationMarkOf,
  StoreAccountRecord,
  StoreStatusRecord,
} from '../../../proto/gen/types.js';
import type { ReadTables } from '../../../store/port.js';
import { accounts, statuses } from '../../../store/tables.js';
import { countsAlarm } from '../../conversation/poll.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import { type ConversationState, parentOf, type ThreadEntry } from '../../conversation/state.js';
import { accountUri, isLocal, statusUri } from '../../domain/addresses.js';
import type { Relay, Relays } from '../../domain/servers/relays.js';
import { type Outgoing, queueActivity } from '../../federation/delivery/queue.js';
import { noteOf, type Rendering } from '../../federation/documents/objects.js';
import { createActivity } from '../../federation/documents/publishing.js';
import { inboxesOfFollowersOf, sharedInboxOf } from '../../federation/outgoing/audience.js';
import { deleteActivity } from '../../federation/outgoing/delete.js';
import { updateActivity } from '../../federation/outgoing/update.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { participantsHere, participantsInGrafts, participantsInRows } from './participants.js';

/** The dependencies of activities about statuses. */
export interface FederationContext extends Rendering {
  readonly tables: Pick<ReadTables, 'get' | 'getMany' | 'range' | 'peekId'>;
  readonly relays: Pick<Relays, 'accepted'>;
}

type Now = Happened<ConversationState>;
type Render = (author: StoreAccountRecord) => Promise<Outgoing['activity']> | Outgoing['activity'];

/** A change of a status, and the accounts that it mentions besides those of its record. */
interface Change {
  readonly record: StoreStatusRecord;
  readonly mentioned: readonly { readonly accountId: string; readonly acct: string }[];
  /** Its quote, if the quoted author learns of the change. */
  readonly quote: AccountQuote | undefined;
  /** True if servers of those who took part learn of it: they may have the status without following or being named. */
  readonly isForParticipants?: boolean;
  /** Marks that the deletion of the status has removed from the state. */
  readonly unmarked?: readonly ConversationMarkOf[];
}

/**
 * Tells other servers of statuses of local authors: those of followers, of accounts mentioned and of the author answered
 * or quoted, and relays; of changes and deletions also those of accounts that answered, favourited, reblogged or quoted
 * the status.
 * It must follow other reactions that send commands: the number of its commands depends on rows.
 */
export function federatedStatuses(context: FederationContext): Reaction<ConversationState, ConversationEvents> {
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      added({ status }, now, effects) {
        if (status === undefined) return undefined;
        const { mentions: mentioned } = status;
        const change = { record: status, mentioned, quote: openQuote(status) };
        return tell(context, now, effects, change, async (author) =>
          createActivity(await note(context, author, status)),
        );
      },
      edited: ({ statusId, number }, now, effects) => tellVersion(context, now, effects, statusId, `${number}`),
      quotePolicySet: ({ statusId }, now, effects) => tellVersion(context, now, effects, statusId, `policy-${now.seq}`),
      quoteSettled: ({ statusId }, now, effects) => tellVersion(context, now, effects, statusId, `quote-${now.seq}`),
      voted({ statusId, by }, now, effects) {
        const record = now.state.statuses.get(statusId)?.record;
        if (record === undefined || record.deleted || !isLocal(record)) return undefined;
        const voter = context.tables.peekId?.(accounts, by);
        const named = concerned(context, now, changeOf(record));
        if (named === undefined && voter !== undefined && isLocal(voter)) return undefined;
        return countLater(context, effects, { record, named: named ?? [], by, atMs: now.atMs });
      },
      // The document carries the last edit, too, so that it may replace the edit's activity.
      pollReported: ({ statusId }, now, effects) => tellVersion(context, now, effects, statusId, `poll-${now.seq}`),
      pollEnded: ({ statusId }, now, effects) => tellVersion(context, now, effects, statusId, `poll-${now.seq}`),
      removed({ statusId, mentions: mentioned, unmarked, quote }, now, effects) {
        const record = now.state.statuses.get(statusId)?.record;
        if (record === undefined) return undefined;
        const { baseUrl } = context;
        const change = { record, mentioned, quote, isForParticipants: true, unmarked };
        return tell(context, now, effects, change, (author) =>
          deleteActivity(accountUri(baseUrl, author), statusUri(baseUrl, record, author)),
        );
      },
    },
  };
}

/**
 * Describes a new version of a status. Text that is not for everybody reaches only followers and those named: others may
 * have taken part as former followers.
 */
const changeOf = (record: StoreStatusRecord): Change => ({
  record,
  mentioned: record.mentions,
  quote: openQuote(record),
  isForParticipants: record.visibility === 'public' || record.visibility === 'unlisted',
});

/** Returns the quote of a status that everybody may see: only then the quoted author learns of each version. */
const openQuote = ({ visibility, quote }: StoreStatusRecord): AccountQuote | undefined =>
  visibility === 'public' || visibility === 'unlisted' ? quote : undefined;

/** A vote in a poll of a local account; `named`: accounts of other servers that the status names. */
interface Vote {
  readonly record: StoreStatusRecord;
  readonly named: readonly string[];
  readonly by: string;
  readonly atMs: number;
}

/** Sets the alarm that tells of the votes of a poll, unless the poll concerns nobody elsewhere. */
async function countLater({ tables }: FederationContext, effects: Effects, vote: Vote): Promise<void> {
  const { record, named, by } = vote;
  const author = await tables.get(accounts, { account: record.accountId });
  if (named.length === 0 && author?.followedElsewhere !== true) {
    const voter = await tables.get(accounts, { account: by });
    if (voter === undefined || isLocal(voter)) return;
  }
  const { atMs, what } = countsAlarm(record.id, vote.atMs, record.poll?.voters ?? 0);
  await effects.setAlarm(atMs, what);
}

/** Tells of a status as it is now. A later deletion has its own activity. `part`: unique among the versions. */
function tellVersion(
  context: FederationContext,
  now: Now,
  effects: Effects,
  statusId: string,
  part: string,
): Promise<void> | undefined {
  const record = now.state.statuses.get(statusId)?.record;
  if (record === undefined || record.deleted) return undefined;
  return tell(context, now, effects, changeOf(record), async (author) =>
    updateActivity(accountUri(context.baseUrl, author), await note(context, author, record), part),
  );
}

/** Renders a status of a local account. */
export async function note(context: FederationContext, author: StoreAccountRecord, record: StoreStatusRecord) {
  const { quote } = record;
  const quoted =
    quote?.state === 'accepted' ? await context.tables.get(statuses, { status: quote.statusId }) : undefined;
  return noteOf(context, author, {
    record,
    original: undefined,
    quoted: quoted?.deleted === false ? quoted : undefined,
  });
}

/** Queues an activity. Returns undefined at once for statuses that concern nobody elsewhere, which are nearly all. */
function tell(
  context: FederationContext,
  now: Now,
  effects: Effects,
  change: Change,
  render: Render,
): Promise<void> | undefined {
  const { record, isForParticipants = false, unmarked } = change;
  if (!isLocal(record)) return undefined;
  const entry = isForParticipants ? now.state.statuses.get(record.id) : undefined;
  const named = concerned(context, now, change);
  const here = entry === undefined ? [] : participantsHere(now.state, entry, unmarked);
  const isGraftedOn = entry !== undefined && now.state.grafts?.has(record.id) === true;
  const isUnknownElsewhere = named === undefined && here.length === 0 && entry?.spilled !== true && !isGraftedOn;
  if (isUnknownElsewhere && relaysFor(context, record).length === 0) return undefined;
  return sendAll();

  async function sendAll(): Promise<void> {
    const others = entry === undefined ? [] : await participantsElsewhere(entry);
    await send(context, now, effects, record, [...new Set([...(named ?? []), ...here, ...others])], render);
  }

  async function participantsElsewhere(entry: ThreadEntry): Promise<string[]> {
    const [marked, answered] = await Promise.all([
      participantsInRows(context.tables, entry),
      participantsInGrafts(context.tables, now.state, entry),
    ]);
    return [...marked, ...answered];
  }
}

/**
 * Returns the accounts of other servers that a local status names. Undefined: it concerns nobody elsewhere, followers
 * of its author included.
 */
function concerned(
  context: FederationContext,
  now: Now,
  { record, mentioned, quote }: Change,
): readonly string[] | undefined {
  if (!isLocal(record)) return undefined;
  const answered = parentOf(now.state, record)?.record;
  const named = mentioned.flatMap(({ accountId, acct }) => (acct.includes('@') ? accountId : []));
  if (answered !== undefined && !isLocal(answered)) named.push(answered.accountId);
  // The status that it answers is in another conversation. Only accounts of other servers have inboxes.
  if (answered === undefined && record.inReplyToAccountId !== undefined) named.push(record.inReplyToAccountId);
  if (quote?.uri) named.push(quote.accountId);
  const author = context.tables.peekId?.(accounts, record.accountId);
  if (named.length === 0 && author !== undefined && author.followedElsewhere !== true) return undefined;
  return [...new Set(named)];
}

/** Returns the relays that get a local status: everybody may see it. */
export const relaysFor = ({ relays }: FederationContext, { visibility }: StoreStatusRecord): readonly Relay[] =>
  visibility === 'public' ? relays.accepted : [];

async function send(
  context: FederationContext,
  now: Now,
  effects: Effects,
  record: StoreStatusRecord,
  named: readonly string[],
  render: Render,
): Promise<void> {
  const { tables, baseUrl } = context;
  const author = await tables.get(accounts, { account: record.accountId });
  if (author === undefined) return;
  const keys = named.map((account) => ({ account }));
  const others = keys.length === 0 ? [] : await tables.getMany(accounts, keys);
  const isForFollowers = record.visibility !== 'direct' && author.followedElsewhere === true;
  const inboxes = new Set(isForFollowers ? await inboxesOfFollowersOf(tables, author.id) : []);
  for (const one of others) if (one?.remote?.gone === false) inboxes.add(sharedInboxOf(one.remote));
  for (const { inbox } of relaysFor(context, record)) inboxes.add(inbox);
  if (inboxes.size === 0) return;
  const signer = { id: author.id, uri: accountUri(baseUrl, author) };
  // One order for all that concerns the status, so that its Create, Update and Delete arrive in this order.
  const synchronizes = isForFollowers && record.visibility === 'private';
  const outgoing = { activity: await render(author), inboxes: [...inboxes], signer, order: record.id, synchronizes };
  await queueActivity(tables, now, effects, outgoing);
}
