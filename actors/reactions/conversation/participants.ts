import type { ConversationMarkOf } from '../../../proto/gen/types.js';
import type { ReadTables } from '../../../store/port.js';
import { favouritedBy, quotes, rebloggedBy, statuses } from '../../../store/tables.js';
import { heldMarks } from '../../conversation/marks.js';
import type { ConversationState, ThreadEntry } from '../../conversation/state.js';

/**
 * Accounts of one kind (answering, favouriting, reblogging, quoting) that are looked up for one activity. Bounds the work
 * of an edit of a popular status. Hosts of further
 * accounts alone receive nothing.
 */
export const PARTICIPANTS_MAX = 1_000;

/**
 * Returns the accounts that answered a status, or whose marks on it are in the state; some twice. `unmarked`: marks that
 * its deletion has removed from the state.
 */
export function participantsHere(
  state: Readonly<ConversationState>,
  entry: ThreadEntry,
  unmarked: readonly ConversationMarkOf[] = [],
): string[] {
  const found = entry.children.slice(-PARTICIPANTS_MAX).flatMap((id) => state.statuses.get(id)?.record.accountId ?? []);
  const removed = unmarked.map(({ id, mark }) => [id, mark ?? {}] as const);
  for (const [by, { quote }] of [...removed, ...heldMarks(entry)]) found.push(quote === undefined ? by : quote.by);
  return found;
}

/**
 * Returns the authors of answers that began conversations of their own; their statuses have rows. There are at most
 * GRAFTS_OF_STATUS_MAX. @throws Unavailable
 */
export async function participantsInGrafts(
  tables: Pick<ReadTables, 'getMany'>,
  { grafts }: Readonly<ConversationState>,
  { record }: ThreadEntry,
): Promise<string[]> {
  const replies = grafts?.get(record.id) ?? [];
  if (replies.length === 0) return [];
  const records = await tables.getMany(
    statuses,
    replies.map(({ replyId }) => ({ status: replyId })),
  );
  return records.flatMap((reply) => (reply === undefined ? [] : reply.accountId));
}

/** Returns the accounts whose marks have left the state, as far as rows tell. @throws Unavailable */
export async function participantsInRows(tables: Pick<ReadTables, 'range'>, entry: ThreadEntry): Promise<string[]> {
  if (!entry.spilled) return [];
  const [partition, limit] = [{ status: entry.record.id }, { limit: PARTICIPANTS_MAX }];
  const pages = await Promise.all([
    tables.range(favouritedBy, partition, limit),
    tables.range(rebloggedBy, partition, limit),
    tables.range(quotes, partition, limit),
  ]);
  return pages.flatMap((rows) => rows.map(({ value }) => value.accountId));
}
