import type { AccountQuote, ConversationMarkOf, StoreStatusRecord } from '../../../proto/gen/types.js';
import { quoteStamps, remotePublicBuckets, remotePublicStatuses } from '../../../store/federation-tables.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import {
  accountStatuses,
  bookmarks,
  favouritedBy,
  favourites,
  marks,
  popularStatuses,
  publicBuckets,
  publicStatuses,
  quotes,
  rebloggedBy,
  statuses,
  statusMarks,
  statusRevisions,
} from '../../../store/tables.js';
import { heldMark, isNoMark, markKey } from '../../conversation/marks.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import { type ConversationState, parentOf, type ThreadEntry } from '../../conversation/state.js';
import { ORPHANED_AT_ONCE_MAX } from '../../conversation/thread.js';
import { isLocal } from '../../domain/addresses.js';
import { eraOfId } from '../../domain/ids.js';
import { popularLevel } from '../../domain/popular.js';
import { isListed, isOldNews, PUBLIC_BUCKET_MS, publicBucket, publicLane } from '../../domain/public.js';
import { uriKey } from '../../domain/text/uri-key.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { tagRows, untaggedRows } from '../tag-rows.js';
import { writeAll } from '../write-all.js';
import { reblogRecord } from './reblog-record.js';

const DAY_MS = 86_400_000;

type Now = Happened<ConversationState>;

// Rows are made from the current state where possible, so that a repeated effect ends with the correct rows.

const statusRow = (record: StoreStatusRecord) => put(statuses, { status: record.id }, record);

function parentRow({ state }: Now, record: StoreStatusRecord): RowWrite[] {
  const parent = parentOf(state, record);
  return parent === undefined ? [] : [statusRow(parent.record)];
}

/** Returns rows of some replies to a deleted status, without their parent. */
function orphanRows({ state }: Now, { children }: ThreadEntry, from: number): RowWrite[] {
  return children.slice(from, from + ORPHANED_AT_ONCE_MAX).flatMap((id) => {
    const record = state.statuses.get(id)?.record;
    return record === undefined || record.deleted ? [] : [statusRow(record)];
  });
}

const ofAccount = (account: string, status: string) => ({ account, era: eraOfId(status), status });

function listedRow(record: StoreStatusRecord): RowWrite {
  return put(accountStatuses, ofAccount(record.accountId, record.id), {
    visibility: record.visibility,
    inReplyToId: record.inReplyToId,
    inReplyToAccountId: record.inReplyToAccountId,
    reblogOfId: record.reblogOfId,
    reblogOfAccountId: record.reblogOfAccountId,
    mentionIds: record.mentions.map((mention) => mention.accountId),
    hasMedia: record.media !== undefined || undefined,
  });
}

const publicKey = (status: string) => ({ bucket: publicBucket(status), lane: publicLane(status), status });

/** Returns the rows of public timelines, which exclude reblogs and replies to others. */
function publicRows(record: StoreStatusRecord): RowWrite[] {
  if (!isListed(record) || isOldNews(record)) return [];
  const bucket = publicBucket(record.id);
  const [listed, buckets] = isLocal(record)
    ? [publicStatuses, publicBuckets]
    : [remotePublicStatuses, remotePublicBuckets];
  return [
    put(listed, publicKey(record.id), {
      accountId: record.accountId,
      hasMedia: record.media !== undefined || undefined,
    }),
    put(buckets, { century: 0, bucket }, { atMs: bucket * PUBLIC_BUCKET_MS }),
  ];
}

/**
 * Returns the row of a mark. It is empty if the state no longer holds the mark, because its row was written before it
 * left the state.
 */
function markRow(entry: ThreadEntry, by: string): RowWrite[] {
  const key = ofAccount(by, entry.record.id);
  if (entry.record.deleted) return [remove(marks, key)];
  const mark = heldMark(entry, by);
  if (mark === undefined) return [];
  return [isNoMark(mark) ? remove(marks, key) : put(marks, key, mark)];
}

/** Sets the alarm for the end of a poll. */
async function setPollAlarm(effects: Effects, { id, poll }: StoreStatusRecord): Promise<void> {
  if (poll !== undefined && !poll.ended) await effects.setAlarm(poll.expiresAtMs, id);
}

/** Returns the key in an account's list of favourites or bookmarks. */
const ofList = (account: string, mark: string) => ({ account, era: eraOfId(mark), mark });

function removedRows(now: Now, entry: ThreadEntry): RowWrite[] {
  const { record } = entry;
  const rows = [
    statusRow(record),
    ...parentRow(now, record),
    remove(accountStatuses, ofAccount(record.accountId, record.id)),
    remove(isLocal(record) ? publicStatuses : remotePublicStatuses, publicKey(record.id)),
    ...orphanRows(now, entry, 0),
  ];
  // The first edit stores two revisions.
  for (let number = 0; record.edits !== undefined && number <= record.edits; number++)
    rows.push(remove(statusRevisions, { status: record.id, number }));
  return rows;
}

/** Returns the removals of all rows of these marks of a deleted status. */
function unmarkedRows(status: string, turned: boolean, unmarked: readonly ConversationMarkOf[]): RowWrite[] {
  const rows: RowWrite[] = [];
  for (const { id, mark } of unmarked) {
    if (turned) rows.push(remove(statusMarks, markKey(status, id)));
    if (mark?.quote === undefined) rows.push(remove(marks, ofAccount(id, status)));
    else rows.push(remove(quotes, { status, quote: id }));
    const { favouriteId, bookmarkId, reblogId } = mark ?? {};
    if (favouriteId !== undefined)
      rows.push(remove(favouritedBy, { status, mark: favouriteId }), remove(favourites, ofList(id, favouriteId)));
    if (bookmarkId !== undefined) rows.push(remove(bookmarks, ofList(id, bookmarkId)));
    if (reblogId !== undefined) rows.push(...unreblogRows(status, id, reblogId));
  }
  return rows;
}

/** Returns the rows of the marks that leave the state with the next turn. */
function olderMarkRows(state: Readonly<ConversationState>): RowWrite[] {
  const rows: RowWrite[] = [];
  for (const { record, olderMarks } of state.statuses.values()) {
    if (record.deleted) continue;
    for (const [by, mark] of olderMarks ?? []) {
      const key = markKey(record.id, by);
      rows.push(isNoMark(mark) ? remove(statusMarks, key) : put(statusMarks, key, mark));
    }
  }
  return rows;
}

function unreblogRows(status: string, by: string, reblogId: string): RowWrite[] {
  return [
    remove(rebloggedBy, { status, mark: reblogId }),
    remove(statuses, { status: reblogId }),
    remove(accountStatuses, ofAccount(by, reblogId)),
  ];
}

/** Writes the rows of one status after a change, and further rows of the event. */
async function writeEntry(effects: Effects, now: Now, id: string, by: string, more: readonly RowWrite[]) {
  const entry = now.state.statuses.get(id);
  if (entry === undefined) return;
  const rows = [...more, statusRow(entry.record), ...markRow(entry, by)];
  const level = popularLevel(entry.record.favourites + entry.record.reblogs);
  if (level !== undefined && isListed(entry.record)) {
    const key = { day: Math.floor(now.atMs / DAY_MS), level, status: id };
    rows.push(put(popularStatuses, key, { accountId: entry.record.accountId }));
  }
  await effects.write(rows);
}

async function unquotedRows(
  { statusId, quotingId }: { readonly statusId: string; readonly quotingId: string },
  { state }: Now,
  effects: Effects,
): Promise<void> {
  const record = state.statuses.get(statusId)?.record;
  const row = remove(quotes, { status: statusId, quote: quotingId });
  await effects.write(record === undefined ? [row] : [row, statusRow(record)]);
}

/** Writes the row of a changed status, after a change that no other row shows. */
async function ownRow(
  { statusId }: { readonly statusId: string },
  { state }: { readonly state: Readonly<ConversationState> },
  effects: Effects,
): Promise<void> {
  const record = state.statuses.get(statusId)?.record;
  if (record !== undefined) await effects.write([statusRow(record)]);
}

/**
 * Returns the rows of the stamps of a status: that which permits its quote has a row, the earlier one has none.
 */
function stampRows({ id, quote }: StoreStatusRecord, earlier: AccountQuote | undefined): RowWrite[] {
  const rows: RowWrite[] = [];
  for (const one of [earlier, quote]) {
    if (!one?.uri || !one.approvalUri || one.statusId === '') continue;
    const key = { account: one.accountId, stamp: uriKey(one.approvalUri) };
    rows.push(
      one === quote && one.state === 'accepted' ? put(quoteStamps, key, { statusId: id }) : remove(quoteStamps, key),
    );
  }
  return rows;
}

async function writeQuote(
  effects: Effects,
  { state }: Now,
  statusId: string,
  earlier: AccountQuote | undefined,
): Promise<void> {
  const record = state.statuses.get(statusId)?.record;
  if (record !== undefined) await effects.write([statusRow(record), ...stampRows(record, earlier)]);
}

/** Rows of statuses, and of the marks on them. */
export const conversationRows: Reaction<ConversationState, ConversationEvents> = {
  surface: 'rows',
  beforeReply: true,
  on: {
    async added({ status }, now, effects) {
      const record = now.state.statuses.get(status?.id ?? '')?.record;
      if (record === undefined) return;
      if (!record.deleted && record.poll !== undefined) await setPollAlarm(effects, record);
      const lists = record.deleted ? [] : [listedRow(record), ...publicRows(record), ...tagRows(record)];
      await effects.write([statusRow(record), ...parentRow(now, record), ...lists]);
    },
    async removed({ statusId, tags, unmarked, quote }, now, effects) {
      const entry = now.state.statuses.get(statusId);
      if (entry === undefined) return;
      const marked = unmarkedRows(statusId, entry.turned, unmarked);
      const rows = [...removedRows(now, entry), ...marked, ...stampRows(entry.record, quote)];
      await writeAll(effects, [...rows, ...untaggedRows(statusId, tags)]);
    },
    async someUnmarked({ statusId, unmarked }, { state }, effects) {
      const turned = state.statuses.get(statusId)?.turned ?? true;
      await writeAll(effects, unmarkedRows(statusId, turned, unmarked));
    },
    marksTurned: (_event, { state }, effects) => writeAll(effects, olderMarkRows(state)),
    async someOrphaned({ statusId, from }, now, effects) {
      const entry = now.state.statuses.get(statusId);
      if (entry !== undefined) await effects.write(orphanRows(now, entry, from));
    },
    async edited({ statusId, number, revision, first, untagged }, now, effects) {
      const record = now.state.statuses.get(statusId)?.record;
      if (record === undefined || record.deleted) return;
      await setPollAlarm(effects, record);
      const lists = [listedRow(record), ...publicRows(record), ...tagRows(record)];
      const rows = [statusRow(record), ...lists];
      if (first !== undefined) rows.push(put(statusRevisions, { status: statusId, number: 0 }, first));
      if (revision !== undefined) rows.push(put(statusRevisions, { status: statusId, number }, revision));
      const gone = untagged.filter((name) => !record.tags.includes(name));
      await effects.write([...rows, ...untaggedRows(statusId, gone)]);
    },
    voted: ({ statusId, by }, now, effects) => writeEntry(effects, now, statusId, by, []),
    quotePolicySet: ownRow,
    async quoted({ statusId, by, quotingId, atMs }, { state }, effects) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || entry.record.deleted) return;
      if (heldMark(entry, quotingId)?.quote?.revoked !== false) return;
      const row = put(quotes, { status: statusId, quote: quotingId }, { accountId: by, atMs });
      await effects.write([row, statusRow(entry.record)]);
    },
    quoteRevoked: unquotedRows,
    unquoted: unquotedRows,
    quoteAttached: ({ statusId, earlier }, now, effects) => writeQuote(effects, now, statusId, earlier),
    quoteSettled: ({ statusId }, now, effects) => writeQuote(effects, now, statusId, undefined),
    async pollReported({ statusId }, { state }, effects) {
      const record = state.statuses.get(statusId)?.record;
      if (record === undefined || record.deleted) return;
      await setPollAlarm(effects, record);
      await effects.write([statusRow(record)]);
    },
    pollEnded: ownRow,
    cardSet: ownRow,
    grafted: ownRow,
    ungrafted: ownRow,
    async parentNamed({ statusId }, { state }, effects) {
      const record = state.statuses.get(statusId)?.record;
      if (record !== undefined)
        await effects.write([statusRow(record), ...(record.deleted ? [] : [listedRow(record)])]);
    },
    favourited({ statusId, by, markId, atMs }, now, effects) {
      const row = put(favouritedBy, { status: statusId, mark: markId }, { accountId: by, atMs });
      return writeEntry(effects, now, statusId, by, [row, put(favourites, ofList(by, markId), { statusId })]);
    },
    unfavourited({ statusId, by, markId }, now, effects) {
      const rows = [remove(favouritedBy, { status: statusId, mark: markId }), remove(favourites, ofList(by, markId))];
      return writeEntry(effects, now, statusId, by, rows);
    },
    async bookmarked({ statusId, by, markId }, { state }, effects) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || entry.record.deleted) return;
      await effects.write([put(bookmarks, ofList(by, markId), { statusId }), ...markRow(entry, by)]);
    },
    async unbookmarked({ statusId, by, markId }, { state }, effects) {
      const entry = state.statuses.get(statusId);
      if (entry !== undefined) await effects.write([remove(bookmarks, ofList(by, markId)), ...markRow(entry, by)]);
    },
    reblogged({ statusId, by, reblogId, visibility, atMs }, now, effects) {
      const original = now.state.statuses.get(statusId)?.record;
      const record = reblogRecord(now.self, original, by, { id: reblogId, visibility, atMs });
      const own = record === undefined ? [] : [statusRow(record), listedRow(record)];
      const hidden = visibility === 'private' ? true : undefined;
      const row = put(rebloggedBy, { status: statusId, mark: reblogId }, { accountId: by, atMs, hidden });
      return writeEntry(effects, now, statusId, by, [row, ...own]);
    },
    unreblogged({ statusId, by, reblogId }, now, effects) {
      return writeEntry(effects, now, statusId, by, unreblogRows(statusId, by, reblogId));
    },
  },
};
